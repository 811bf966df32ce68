/**
 * A list of common passwords that is made at build time: the bundler runs this file and inserts the
 * returned string into the code.
 */

import { dictionary } from "@zxcvbn-ts/language-common";
import { passwordMin } from "@tollgate/contract/endpoints/users.ts";

/**
 * Returns about 18,000 leaked passwords in lower case that have at least the minimum length, one
 * per line. There is also a line feed before the first and after the last, so that each can be
 * searched as a whole line.
 */
export function commonPasswordLines(): string {
  const common = dictionary["passwords-common"].filter(({ length }) => length >= passwordMin);
  return `\n${common.join("\n")}\n`;
}
