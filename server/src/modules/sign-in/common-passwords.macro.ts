/** Runs when the product is built, not in it: what it returns stands in the code as a text. */

import { dictionary } from "@zxcvbn-ts/language-common";
import { passwordMin } from "@tollgate/contract/users.ts";

/**
 * Passwords that everybody tries first, long enough for us, in small letters: some 18,000, from
 * lists of what was found on the net. One a line, with line feeds before and behind each.
 */
export function commonPasswordLines(): string {
  const common = dictionary["passwords-common"].filter(({ length }) => length >= passwordMin);
  return `\n${common.join("\n")}\n`;
}
