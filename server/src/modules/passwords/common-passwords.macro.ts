/** Runs at build time: the bundler puts its result into the code as a text. */

import { dictionary } from "@zxcvbn-ts/language-common";
import { passwordMin } from "@tollgate/contract/users.ts";

/**
 * Some 18,000 passwords from lists of leaked ones, in lower case, those of our least length or
 * longer. One a line, with a line feed before and after each.
 */
export function commonPasswordLines(): string {
  const common = dictionary["passwords-common"].filter(({ length }) => length >= passwordMin);
  return `\n${common.join("\n")}\n`;
}
