/** Replacing the key of a token, while the token stays as it is. */

import { z } from "zod";
import { endpoint } from "./endpoint.ts";
import { id } from "@tollgate/contract/fields/fields.ts";
import { token } from "./tokens.ts";

/** The longest time for which a key may still be used after it was replaced, in seconds. */
const oldKeySecondsMax = 30 * 86_400;

const stayRule = "旧密钥的保留时间无效";

/**
 * Gives a token a new key. The present one may be used for `old_key_seconds` more; one that was
 * replaced before ends at once. The answer has the whole new key. For the owner and for root.
 */
export const rotateToken = endpoint({
  method: "POST",
  path: "/api/token/:id/rotate",
  access: "user",
  stepUp: () => true,
  input: z.object({
    id,
    old_key_seconds: z
      .number(stayRule)
      .int(stayRule)
      .min(0, stayRule)
      .max(oldKeySecondsMax, "旧密钥最多保留 30 天"),
  }),
  output: token,
});

/** Ends a replaced key before its time, for the owner and for root. */
export const endOldKey = endpoint({
  method: "POST",
  path: "/api/token/:id/old-key/end",
  access: "user",
  input: z.object({ id }),
  output: token,
});
