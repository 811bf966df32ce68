/** What signing in answers, by whichever way. Apart from all else, because every browser loads it. */

import { z } from "zod";
import { shortUser } from "./users.ts";

/** The password was right; signing in goes on with the ticket and one of the methods. */
export const secondFactorNeeded = z.object({
  require_2fa: z.literal(true),
  ticket: z.string(),
  methods: z.array(z.enum(["totp", "passkey", "recovery"])),
});
export type SecondFactorNeeded = z.infer<typeof secondFactorNeeded>;

/** What signing in answers, by whichever way. */
export const signInAnswer = z.union([shortUser, secondFactorNeeded]);
export type SignInAnswer = z.infer<typeof signInAnswer>;
