/** Runs at build time; the bundler inserts the result into the code as a string. */

import { dictionary } from "@zxcvbn-ts/language-common";
import { passwordMin } from "@tollgate/contract/users.ts";

/**
 * About 18,000 leaked passwords in lower case that have at least the minimum length. One per line,
 * with a line feed before and after each.
 */
export function commonPasswordLines(): string {
  const common = dictionary["passwords-common"].filter(({ length }) => length >= passwordMin);
  return `\n${common.join("\n")}\n`;
}
