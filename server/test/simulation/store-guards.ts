/**
 * Guards in the store, taken from the simulated one. `model-store.test.ts` compares it with
 * `batch.ts`, `recovery.ts` and `ledger.ts`.
 */

import type { Guard } from "./memory-guards.ts";

const batch = "test/simulation/model-batch.ts";
const tables = "test/simulation/model-tables.ts";
const store = "test/simulation/model-store.ts";

export const storeGuards: readonly Guard[] = [
  {
    name: "the database grants no less than a call needs of the balance",
    policy: "exact",
    file: batch,
    from: "if (free.user < least) {",
    to: "if (free.user < 0) {",
  },
  {
    name: "the database grants no less than a call needs of the token",
    policy: "exact",
    file: batch,
    from: "if (facts.tokenLimited && free.token < least) {",
    to: "if (facts.tokenLimited && free.token < 0) {",
  },
  {
    name: "the database grants no more than there is",
    policy: "exact",
    file: batch,
    from: "const amount = Math.min(want, free.user, facts.tokenLimited ? free.token : want);",
    to: "const amount = want;",
  },
  {
    name: "what was granted already is not granted again",
    policy: "exact",
    file: batch,
    from: `  if (batch.again && known !== undefined) return { type: "taken", amount: known.amount };
`,
    to: "",
  },
  {
    name: "the database extends by no more than there is",
    policy: "exact",
    file: batch,
    from: "const amount = Math.max(0, Math.min(want, limit));",
    to: "const amount = want;",
  },
  {
    name: "a hold that was extended already is not extended again",
    policy: "exact",
    file: batch,
    from: `  if (row.amount > before) return { type: "taken", amount: row.amount - before };
`,
    to: "",
  },
  {
    name: "the books charge no more than there is",
    policy: "exact",
    file: batch,
    from: "const charged = Math.min(judged ?? charge, charge, Math.max(0, limit));",
    to: "const charged = judged ?? charge;",
  },
  {
    name: "what was settled already is not settled again",
    policy: "exact",
    file: batch,
    from: "const known = batch.again ? tables.charges.get(id) : undefined;",
    to: "const known = batch.again ? undefined : undefined;",
  },
  {
    name: "a settlement ends its reservation",
    file: batch,
    from: `  giveBack(tables, id);
  const known`,
    to: "  const known",
  },
  {
    name: "a failure that was recorded already is not recorded again",
    policy: "exact",
    file: batch,
    from: "if (!batch.again || !tables.failures.has(requestId)) addFailure",
    to: "addFailure",
  },
  {
    name: "a cause counts once",
    file: tables,
    from: "if (causes.has(entry.cause)) throw",
    to: "if (entry.cause === null) throw",
  },
  {
    name: "what ended is not held any more",
    policy: "exact",
    file: tables,
    from: `  addHold(tables, row, -1);
  tables.reservations.delete(id);`,
    to: "  tables.reservations.delete(id);",
  },
  {
    name: "the console takes nothing that a node was granted",
    policy: "exact",
    file: store,
    from: `if (user.balance + amount < user.held) throw`,
    to: `if (user.balance + amount < 0) throw`,
  },
  {
    name: "the console takes nothing of a token that a node was granted",
    policy: "exact",
    file: store,
    from: "if (token.remain + delta < token.held) throw",
    to: "if (token.remain + delta < 0) throw",
  },
  {
    name: "recovery gives back what dead processes held",
    file: store,
    from: "        giveBack(tables, id);\n",
    to: "",
  },
];
