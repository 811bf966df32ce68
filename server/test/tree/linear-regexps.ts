/**
 * A rule of the linter: a regular expression that may read text from outside takes time that grows
 * with the text alone. One that backtracks, or that begins its search anew at each character of a
 * run, takes the square of it: a text of 100 kB would stop all calls for seconds.
 */

import { analyse } from "scslre";
import { createBookReads } from "./book-reads.ts";

/** What the rule reads of a literal in the syntax tree. */
type Literal = { readonly regex?: { readonly pattern: string; readonly flags: string } | null };

type Context = { report(fault: { readonly node: Literal; readonly message: string }): void };

const messages = {
  Move: "A long run of what this quantifier takes is searched again from each of its characters.",
  Self: "This quantifier can take the same text in several ways, and all of them are tried.",
  Trade: "Two quantifiers can take the same text, and all ways to share it are tried.",
} as const;

function create(context: Context) {
  return {
    Literal(node: Literal): void {
      const { regex } = node;
      if (regex === undefined || regex === null) return;
      const { reports } = analyse({ source: regex.pattern, flags: regex.flags });
      for (const { type } of reports) context.report({ node, message: messages[type] });
    },
  };
}

const rules = {
  "linear-regexp": { create },
  "reads-behind-books": { create: createBookReads },
};

export default { meta: { name: "tollgate" }, rules };
