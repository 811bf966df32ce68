/**
 * The guards whose removal the search must find: those of the product, and what the simulated store
 * does in place of the product's statements.
 */

import type { Guard } from "#test/simulation/memory-guards.ts";
import type { Plan } from "./search.ts";

const batch = "src/modules/ledger/batch.ts";
const books = "src/modules/ledger/journal/books.ts";
const journal = "src/modules/ledger/journal/journal.ts";
const lanes = "src/modules/ledger/journal/lanes.ts";
const nodes = "src/modules/ledger/nodes.ts";
const records = "src/modules/ledger/journal/records.ts";
const recover = "src/modules/ledger/journal/recover.ts";
const applying = "src/modules/ledger/journal/apply-records.ts";

const modelBatch = "test/simulation/model-batch.ts";
const modelJournal = "test/simulation/model-journal.ts";
const modelNodes = "test/simulation/model-nodes.ts";

/** A guard, and what has to be searched to find that it is missing. */
export type SearchGuard = Guard & { readonly plan: Plan };

const one: Plan = { calls: 1, wealth: 2, want: 1, cost: 1 };
const two: Plan = { ...one, calls: 2 };

/** Two calls to which nothing happens. */
const calm: Plan = { ...two, troubles: { lost: 0, fence: 0, crash: 0 } };
/** With quota for one of them. */
const poor: Plan = { ...calm, wealth: 1 };
/** The second of them can hold less than it wants. */
const scarce: Plan = { ...calm, wealth: 3, want: 2 };
/** They cost more than they hold, and there is quota for one and a half. */
const dear: Plan = { ...calm, wealth: 3, cost: 2 };

/** A node ends the second call only once the first one is in its books. */
const narrow: Plan = { ...two, unapplied: 1 };

/** Guards that both stores have, because they stand before either. */
const common: readonly SearchGuard[] = [
  {
    name: "J1: a record is told only if it was committed",
    file: journal,
    from: `    if (answer === "fenced") return { kind: "fenced" };\n`,
    to: `    if (answer === "fenced") return noted({ epoch, ...record, sum: "" }, operations);\n`,
    plan: one,
  },
  {
    name: "J2: a record that was committed is not written a second time",
    file: journal,
    from: "    if (isThere(from, body)) return noted(from, operations);\n",
    to: "",
    plan: one,
  },
  {
    name: "J3: a charge above its hold is judged by the books",
    file: lanes,
    from: "return operation.charged !== null && operation.log.task === undefined;",
    to: "return operation.log.task === undefined;",
    plan: dear,
  },
  {
    name: "J6: what calls were told is in the books before the holds of others end",
    file: recover,
    from: "    while (await applyEnded(store, nodeId));\n",
    to: "",
    plan: one,
  },
  {
    name: "J7: a record of which nothing is known is looked for before its calls are sent anew",
    file: lanes,
    from: "return (await journal.findSent(batch)) ?? (await behindBooks(batch));",
    to: "return await behindBooks(batch);",
    plan: { ...one, troubles: { lost: 2, fence: 1, crash: 0 } },
  },
  {
    name: "J7: a call of an epoch that has ended is ended by a transaction",
    file: lanes,
    from: "if (!batch.operations.some(isDoubtful)) return await journal.send(batch);",
    to: "return await journal.send(batch);",
    plan: one,
  },
  {
    name: "J8: what is committed is noted for the books",
    file: journal,
    from: "    books.note(to.seq, operations.length);\n",
    to: "",
    plan: one,
  },
  {
    name: "J8: who reads waits for everything that was noted before",
    file: books,
    from: "const reached = waiters.wait(noted.places());",
    to: "const reached = Promise.resolve();",
    plan: one,
  },
  {
    name: "J8: who reads is told only what is in the books",
    file: books,
    from: "const ready = waiters.filter((waiter) => waiter.place <= place);",
    to: "const ready = waiters.filter((waiter) => waiter.place <= place + 1);",
    plan: { ...two, troubles: { lost: 0, fence: 1, crash: 0 } },
  },
  {
    name: "J9: nothing is told while the books miss as much as they may",
    file: journal,
    from: "    await books.room();\n",
    to: "",
    plan: narrow,
  },
  {
    name: "J10: a group that could not be written is written again",
    file: books,
    from: "        return false;\n",
    to: "        return true;\n",
    plan: one,
  },
];

/** Guards in what the simulated store does, whose removal the search over it must find. */
export const modelGuards: readonly SearchGuard[] = [
  ...common,
  {
    name: "J2: a record is there once",
    file: modelJournal,
    from: "if (known === undefined && isCurrent && follows) {",
    to: "if (isCurrent && follows) {",
    plan: one,
  },
  {
    name: "J2: a record that got into the books does not come again",
    file: modelJournal,
    from: "(seq === 1 && head.applied === 0) ||",
    to: "seq === 1 ||",
    plan: one,
  },
  {
    name: "J2: records get into the books in their order",
    file: modelJournal,
    from: "const due = records.filter(({ seq }) => seq <= upTo);",
    to: "const due = records.filter(({ seq }) => seq <= upTo).toReversed();",
    plan: calm,
  },
  {
    name: "J2: mark and books are one transaction",
    file: modelJournal,
    from: "  tables.heads.set(nodeId, { applied, sum });\n",
    to: "",
    plan: calm,
  },
  {
    name: "J2: the deletion of records and the books are one transaction",
    file: modelJournal,
    from: "  tables.journal.set(nodeId, records.slice(group.length));\n",
    to: "",
    plan: one,
  },
  {
    name: "J4: a call is refused when less is free than it needs",
    file: modelBatch,
    from: "  if (free.user < least) {\n",
    to: "  if (free.user < 0) {\n",
    plan: poor,
  },
  {
    name: "J4: what is lent is at most what is free",
    file: modelBatch,
    from: "const amount = Math.min(want, free.user, ofToken, left?.amount ?? want);",
    to: "const amount = Math.min(want, ofToken, left?.amount ?? want);",
    plan: scarce,
  },
  {
    name: "J5: no record of an epoch appears after its end",
    file: modelJournal,
    from: "const isCurrent = isEpoch(tables, record);",
    to: "const isCurrent = true;",
    plan: one,
  },
  {
    name: "J7: a node that goes on takes its calls along",
    file: modelNodes,
    from: "  for (const row of tables.reservations.values()) if (row.nodeId === nodeId) row.epoch = epoch;\n",
    to: "",
    plan: one,
  },
];

/** Guards in the product's statements, whose removal the search over PostgreSQL must find. */
export const sqlGuards: readonly SearchGuard[] = [
  {
    name: "J2: a record that got into the books does not come again",
    file: records,
    from: `
        and not exists (select 1 from journal_heads where node_id = \${node_id} and applied > 0))
`,
    to: ")\n",
    plan: one,
  },
  {
    name: "J2: a record is there once",
    file: records,
    from: "\n    on conflict (node_id, seq) do nothing`.execute(db);",
    to: "`.execute(db);",
    plan: one,
  },
  {
    name: "J2: records get into the books in their order",
    file: applying,
    from: `    .orderBy("seq")\n    .execute();`,
    to: `    .orderBy("seq", "desc")\n    .execute();`,
    plan: calm,
  },
  {
    name: "J2: the mark moves with the books",
    file: applying,
    from: "    .set({ applied, sum })\n",
    to: "    .set({ applied: head.applied, sum: head.sum })\n",
    plan: calm,
  },
  {
    name: "J2: records go with the books",
    file: applying,
    from: `        .where("seq", "<=", last.seq)\n`,
    to: `        .where("seq", "<", 0)\n`,
    plan: one,
  },
  {
    name: "J4: a call is refused when less is free than it needs",
    file: batch,
    from: "  if (free.user < least) {\n",
    to: "  if (free.user < 0) {\n",
    plan: poor,
  },
  {
    name: "J4: what is lent is at most what is free",
    file: batch,
    from: "const amount = Math.min(want, free.user, ofToken, scarcest?.left ?? want);",
    to: "const amount = Math.min(want, ofToken, scarcest?.left ?? want);",
    plan: scarce,
  },
  {
    name: "J5: no record of an epoch appears after its end",
    file: records,
    from: "from nodes where id = ${node_id} and epoch = ${epoch} and (\n",
    to: "from nodes where id = ${node_id} and (\n",
    plan: one,
  },
  {
    name: "J7: a node that goes on takes its calls along",
    file: nodes,
    from: `await tx.updateTable("reservations").set({ epoch }).where("node_id", "=", nodeId).execute();`,
    to: "",
    plan: one,
  },
];
