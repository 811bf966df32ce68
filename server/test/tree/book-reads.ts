/**
 * A rule of the linter: a test that queries a database while a gateway runs on it waits for the
 * books first, by `queryBooks` or because `eventually` asks until the answer is right. What calls
 * were told is in the journal before it is in these tables.
 */

/** The tables that are written when records get into the books. */
const bookTables = [
  "balances",
  "caller_totals",
  "channel_hours",
  "counters",
  "entries",
  "interrupted_calls",
  "logs",
  "model_totals",
  "prompt_cache_hours",
  "reservations",
  "token_balances",
  "token_budgets",
  "usage_hours",
  "usage_totals",
];

const readsBooks = new RegExp(`\\b(?:from|join) "?(?:${bookTables.join("|")})\\b`, "i");

/** What the rule reads of the syntax tree. */
type Node = {
  readonly type: string;
  readonly parent?: Node | null;
  readonly callee?: Node;
  readonly property?: Node;
  readonly name?: string;
  readonly value?: unknown;
  readonly quasis?: readonly { readonly value: { readonly raw: string } }[];
  readonly arguments?: readonly Node[];
};

type Context = { report(fault: { readonly node: Node; readonly message: string }): void };

const message =
  "The books may lack what calls were told: use queryBooks, or ask again by eventually.";

function textOf({ value, quasis }: Node): string {
  if (typeof value === "string") return value;
  return (quasis ?? []).map((part) => part.value.raw).join(" ");
}

/** Whether the node is part of what is asked until the answer is right. */
function isAskedAgain(node: Node): boolean {
  for (let at = node.parent; at !== undefined && at !== null; at = at.parent) {
    if (at.type === "CallExpression" && at.callee?.name === "eventually") return true;
  }
  return false;
}

export function createBookReads(context: Context) {
  return {
    CallExpression(node: Node): void {
      const [text] = node.arguments ?? [];
      if (node.callee?.property?.name !== "query" && node.callee?.name !== "query") return;
      if (text === undefined || !readsBooks.test(textOf(text)) || isAskedAgain(node)) return;
      context.report({ node, message });
    },
  };
}
