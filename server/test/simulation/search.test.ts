import { expect, test } from "bun:test";
import { join } from "node:path";
import type { Guard } from "./memory-guards.ts";
import { inMutant, withoutGuard } from "./mutate.ts";
import { search } from "./search.ts";

const isLong = process.env["TOLLGATE_TEST_LONG"] === "1";

/** Two calls have more states than a short run can try. */
const statesOfTwoMax = isLong ? Number.POSITIVE_INFINITY : 10_000;

/** Within so many states the removal of a guard must show. */
const mutantStatesMax = 30_000;

const testMaxMs = isLong ? 3_600_000 : 240_000;

test(
  "a call is told, charged and interrupted as it should, in whatever order things happen to two nodes",
  () => {
    const one = search(1, Number.POSITIVE_INFINITY);
    expect(one.flaw).toBeNull();
    expect(one.ends).toBeGreaterThan(100);
    expect(search(2, statesOfTwoMax).flaw).toBeNull();
  },
  testMaxMs,
);

const journal = "src/modules/ledger/journal/journal.ts";
const lanes = "src/modules/ledger/journal/lanes.ts";
const recover = "src/modules/ledger/journal/recover.ts";
const store = "test/simulation/model-journal.ts";

/** Guards whose removal the search must find, with one call. */
const guards: readonly Guard[] = [
  {
    name: "a record that was committed is not written a second time",
    file: journal,
    from: "    if (isThere(from, body)) return noted(from, operations);\n",
    to: "",
  },
  {
    name: "a call of an epoch that has ended is ended by a transaction",
    file: lanes,
    from: "if (!batch.operations.some(isDoubtful)) return await journal.send(batch);",
    to: "return await journal.send(batch);",
  },
  {
    name: "what calls were told is in the books before the holds of others end",
    file: recover,
    from: "    while (await applyEnded(store, nodeId));\n",
    to: "",
  },
  {
    name: "no record of an epoch appears after its end",
    file: store,
    from: "const isCurrent = isEpoch(tables, record);",
    to: "const isCurrent = true;",
  },
  {
    name: "mark and books are one transaction",
    file: store,
    from: "  tables.journal.set(nodeId, records.slice(group.length));\n",
    to: "",
  },
];

for (const guard of guards) {
  test(
    `the search finds that it is missing: ${guard.name}`,
    async () => {
      expect(withoutGuard(guard)).toBeDefined();
      const { flaw } = await inMutant(guard, async (folder) => {
        // Safe cast: the copy has the same types as the module imported here.
        const mutant = (await import(join(folder, "search.ts"))) as {
          readonly search: typeof search;
        };
        return mutant.search(1, mutantStatesMax);
      });
      expect(flaw).not.toBeNull();
    },
    testMaxMs,
  );
}
