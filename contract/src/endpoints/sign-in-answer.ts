/**
 * The answer to a sign-in by any method. It is in a file of its own, because every browser loads
 * it.
 */

import { z } from "zod";
import { shortUser } from "./users.ts";

/**
 * The answer to a sign-in that needs a second factor: it continues with the ticket and one of the
 * methods.
 */
export const secondFactorNeeded = z.object({
  require_2fa: z.literal(true),
  ticket: z.string(),
  methods: z.array(z.enum(["totp", "passkey", "recovery"])),
});
export type SecondFactorNeeded = z.infer<typeof secondFactorNeeded>;

/** The answer to a sign-in by any method. */
export const signInAnswer = z.union([shortUser, secondFactorNeeded]);
export type SignInAnswer = z.infer<typeof signInAnswer>;
