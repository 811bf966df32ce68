/**
 * Guards in the simulated store, which `model-store.test.ts` compares with `batch.ts`,
 * `recovery.ts` and `ledger.ts`.
 */

import type { Guard } from "./memory-guards.ts";

const batch = "test/simulation/model-batch.ts";
const tables = "test/simulation/model-tables.ts";
const store = "test/simulation/model-store.ts";
const nodes = "test/simulation/model-nodes.ts";

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
    from: "const amount = Math.min(want, free.user, ofToken, left?.amount ?? want);",
    to: "const amount = want;",
  },
  {
    name: "the database grants no less than a call needs of a budget",
    policy: "exact",
    file: batch,
    from: "if (left !== undefined && left.amount < least) {",
    to: "if (left === null) {",
  },
  {
    name: "the database grants no more than a budget has left",
    policy: "exact",
    file: batch,
    from: "const amount = Math.min(want, free.user, ofToken, left?.amount ?? want);",
    to: "const amount = Math.min(want, free.user, ofToken);",
  },
  {
    name: "the database extends by no more than a budget has left",
    policy: "exact",
    file: batch,
    from: "const amount = Math.max(0, Math.min(want, limit, left?.amount ?? limit));",
    to: "const amount = Math.max(0, Math.min(want, limit));",
  },
  {
    name: "the database charges no more than a budget has left",
    policy: "exact",
    file: batch,
    from: "const ofBudget = judged ?? Math.max(held, left?.amount ?? charge);",
    to: "const ofBudget = judged ?? charge;",
  },
  {
    name: "a charge counts in its budgets",
    file: batch,
    from: "spendBudgets(tables, tokenId, budget, charged);",
    to: "",
  },
  {
    name: "a reversed charge counts in its budgets no more",
    file: batch,
    from: "spendBudgets(tables, tokenId, budget, -amount);",
    to: "",
  },
  {
    name: "what a reservation holds is held of its budgets",
    policy: "exact",
    file: tables,
    from: "if (budget !== undefined) budget.held += sign * row.amount;",
    to: "",
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
    from: "const amount = Math.max(0, Math.min(want, limit, left?.amount ?? limit));",
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
    from: "const charged = Math.min(ofBudget, charge, Math.max(0, limit));",
    to: "const charged = ofBudget;",
  },
  {
    name: "what was settled already is not settled again",
    policy: "exact",
    file: batch,
    from: "const known = batch.again ? tables.charges.get(id) : undefined;",
    to: "const known = batch.again ? undefined : undefined;",
  },
  {
    name: "what was given back already is not given back again",
    file: batch,
    from: "if (amount === 0 || tables.causes.has(cause)) return answer;",
    to: "if (amount === 0) return answer;",
  },
  {
    name: "what was never charged is not given back",
    file: batch,
    from: "const amount = tables.charges.get(id) ?? 0;",
    to: "const amount = tables.charges.get(id) ?? 1;",
  },
  {
    name: "what is given back is not used",
    file: batch,
    from: "  user.used -= amount;",
    to: "",
  },
  {
    name: "what is given back may be spent by its token again",
    file: batch,
    from: "    if (tokenLimited) token.remain += amount;",
    to: "    if (!tokenLimited) token.remain += amount;",
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
    file: nodes,
    from: "    giveBack(tables, id);\n",
    to: "",
  },
  {
    name: "nothing of an epoch that has ended is committed",
    policy: "exact",
    isRare: true,
    file: batch,
    from: `  if (tables.grants && !isEpoch(tables, batch)) return "fenced";
`,
    to: "",
  },
  {
    name: "a call that was told to be free is not charged",
    policy: "exact",
    file: batch,
    from: `  if (isInterrupted(tables, id)) return { type: "settled", charged: 0, writeOff: charge };
`,
    to: "",
  },
  {
    name: "a call that was told to be free gets no second row",
    policy: "exact",
    isRare: true,
    file: batch,
    from: `      if (isInterrupted(tables, requestId)) return done;
`,
    to: "",
  },
  {
    name: "a call that was ended before it could begin does not begin",
    policy: "exact",
    isRare: true,
    firstSeed: 2360,
    file: batch,
    from: `  if (isInterrupted(tables, facts.id)) return { type: "interrupted" };
`,
    to: "",
  },
  {
    name: "who thinks a node dead ends its epoch",
    policy: "exact",
    file: nodes,
    from: "  node.epoch += 1;\n",
    to: "",
  },
  {
    name: "a node is dead after ten seconds, not before",
    policy: "exact",
    file: nodes,
    from: "id !== watchingId && node.heartbeatAt < due",
    to: "id !== watchingId && node.heartbeatAt < tables.now() - 3_000",
  },
  {
    name: "only who has watched for ten seconds thinks others dead",
    policy: "exact",
    isRare: true,
    firstSeed: 1240,
    file: nodes,
    from: "if (watching === undefined || watching.startedAt > due) return [];",
    to: "if (watching === undefined) return [];",
  },
  {
    name: "who has no way to the store at the moment watches nobody",
    policy: "exact",
    isRare: true,
    firstSeed: 20,
    file: nodes,
    from: "  if (watching.heartbeatAt < tables.now() - gapMaxMs) return [];\n",
    to: "",
  },
  {
    name: "who had no way to the store has watched nobody meanwhile",
    policy: "exact",
    isRare: true,
    firstSeed: 2320,
    file: nodes,
    from: "  if (node.heartbeatAt < now() - gapMaxMs) node.startedAt = now();\n",
    to: "",
  },
  {
    name: "what nobody released goes on with the node that comes back",
    policy: "exact",
    file: nodes,
    from: "if (row.nodeId === nodeId) row.epoch = epoch;",
    to: "",
  },
];
