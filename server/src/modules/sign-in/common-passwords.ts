/** Passwords that everybody tries first. */

import { passwordMin } from "contract/users.ts";
import { Refusal } from "#base/refusal.ts";

/**
 * Those of them that are long enough for us, in small letters: some 18,000, from lists of what was
 * found on the net. Read when the first password is chosen, because the list takes some
 * milliseconds and megabytes.
 */
let common: Promise<ReadonlySet<string>> | undefined;

async function readCommon(): Promise<ReadonlySet<string>> {
  const { dictionary } = await import("@zxcvbn-ts/language-common");
  return new Set(dictionary["passwords-common"].filter(({ length }) => length >= passwordMin));
}

/** @throws Refusal `invalid-input`. */
export async function refuseCommonPassword(password: string): Promise<void> {
  common ??= readCommon();
  if (!(await common).has(password.trim().toLowerCase())) return;
  throw new Refusal("invalid-input", "该密码过于常见，容易被猜到，请换一个", { field: "password" });
}
