/** Refuses passwords that attackers try first. */

import { Refusal } from "#base/refusal.ts";
// The passwords are a single string, because a Set would add 18,000 objects to every full garbage
// collection.
import { commonPasswordLines } from "./common-passwords.macro.ts" with { type: "macro" };

const common = commonPasswordLines();

/**
 * Refuses a password on the list of common ones.
 * @throws Refusal `invalid-input`.
 */
export function refuseCommonPassword(password: string): void {
  const line = password.trim().toLowerCase();
  if (line.includes("\n") || !common.includes(`\n${line}\n`)) return;
  throw new Refusal("invalid-input", "该密码过于常见，容易被猜到，请换一个", { field: "password" });
}
