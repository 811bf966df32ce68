/** Guards on the way of the journal, in the product and in the simulated store. */

import type { Guard } from "./memory-guards.ts";

const books = "src/modules/ledger/journal/books.ts";
const journal = "src/modules/ledger/journal/journal.ts";
const lanes = "src/modules/ledger/journal/lanes.ts";
const recover = "src/modules/ledger/journal/recover.ts";
const store = "test/simulation/model-journal.ts";
const nodes = "test/simulation/model-nodes.ts";

export const journalGuards: readonly Guard[] = [
  {
    name: "a record that was committed is not written a second time",
    policy: "exact",
    file: journal,
    from: "    if (isThere(from, body)) return noted(from, operations);\n",
    to: "",
  },
  {
    name: "what is committed is noted for the books",
    file: journal,
    from: "    books.note(to.seq, operations.length);\n",
    to: "",
  },
  {
    name: "a record is told only if it was committed",
    policy: "exact",
    file: journal,
    from: `    if (answer === "fenced") return { kind: "fenced" };\n`,
    to: `    if (answer === "fenced") return noted({ epoch, ...record, sum: "" }, operations);\n`,
  },
  {
    name: "a call of an epoch that has ended is ended by a transaction",
    policy: "exact",
    isRare: true,
    file: lanes,
    from: "if (!batch.operations.some(isDoubtful)) return await journal.send(batch);",
    to: "return await journal.send(batch);",
  },
  {
    name: "what is judged waits for what is on its way to the journal",
    file: lanes,
    from: "    await decided.passed();\n",
    to: "",
  },
  {
    name: "what is judged waits for the books",
    file: lanes,
    from: "      await books.barrier();\n",
    to: "",
  },
  {
    name: "a charge above its hold is judged by the books",
    policy: "exact",
    file: lanes,
    from: "return operation.charged !== null && operation.log.task === undefined;",
    to: "return operation.log.task === undefined;",
  },
  {
    name: "a failure does not overtake the release of its call",
    policy: "exact",
    isRare: true,
    firstSeed: 170,
    file: lanes,
    from: 'return operation.type === "fail" && releasing.has(operation.log.requestId);',
    to: "return false;",
  },
  {
    name: "who reads waits for everything that was noted before",
    file: books,
    from: "const reached = waiters.wait(noted.places());",
    to: "const reached = Promise.resolve();",
  },
  {
    name: "who reads is told only what is in the books",
    file: books,
    from: "const ready = waiters.filter((waiter) => waiter.place <= place);",
    to: "const ready = waiters.filter((waiter) => waiter.place <= place + 1);",
  },
  {
    name: "a group that could not be written is written again",
    file: books,
    from: "        return false;\n",
    to: "        return true;\n",
  },
  {
    name: "one bad operation of a group does not keep the others out of the books",
    file: books,
    from: "    return await deps.apply(upTo, true);\n",
    to: "    throw error;\n",
  },
  {
    name: "what calls were told is in the books before the holds of others end",
    file: recover,
    from: "    while (await applyEnded(store, nodeId));\n",
    to: "",
  },
  {
    name: "no record of an epoch appears after its end",
    policy: "exact",
    isRare: true,
    file: store,
    from: "const isCurrent = isEpoch(tables, record);",
    to: "const isCurrent = true;",
  },
  {
    name: "mark and books are one transaction",
    file: store,
    from: "  tables.heads.set(nodeId, { applied, sum });\n",
    to: "",
  },
  {
    name: "a record goes when it is in the books",
    file: store,
    from: "  tables.journal.set(nodeId, records.slice(group.length));\n",
    to: "",
  },
  {
    name: "where the records end is known when all are in the books",
    file: store,
    from: "return head.applied > last.seq ? { seq: head.applied, sum: head.sum } : last;",
    to: "return last;",
  },
  {
    name: "a hold ends whose charge the books refuse",
    policy: "exact",
    file: store,
    from: `      if (operation.type === "settle") giveBack(tables, operation.id);\n`,
    to: "",
  },
  {
    name: "a node with records of an ended epoch is found",
    file: nodes,
    from: "const rows = [...tables.reservations.values(), ...[...tables.journal.values()].flat()];",
    to: "const rows = [...tables.reservations.values()];",
  },
  {
    name: "a node is not forgotten before its records are in the books",
    policy: "exact",
    isRare: true,
    firstSeed: 3770,
    file: nodes,
    from: "const rows = [...reservations.values(), ...[...journal.values()].flat()];",
    to: "const rows = [...reservations.values()];",
  },
];
