/** How the proof finds rows: a user may have millions of entries. */

import { expect, test } from "bun:test";
import { CompiledQuery, type KyselyPlugin } from "kysely";
import { openTestDatabase } from "#db/testing/database.ts";
import { installPrices } from "#modules/pricing/pricing.ts";
import { proveLedger } from "./proof.ts";

test("the proof finds the settlement of an entry by its cause, not among all entries of its user", async () => {
  const { db, close } = await openTestDatabase("sqlite");
  try {
    await installPrices(db, 1);
    const queries: CompiledQuery[] = [];
    const keeper: KyselyPlugin = {
      transformQuery({ node, queryId }) {
        queries.push(db.getExecutor().compileQuery(node, queryId));
        return node;
      },
      transformResult: async ({ result }) => result,
    };
    await proveLedger(db.withPlugin(keeper));
    const steps: string[] = [];
    for (const { sql, parameters } of queries) {
      const asked = CompiledQuery.raw(`explain query plan ${sql}`, [...parameters]);
      const { rows } = await db.executeQuery<{ detail: string }>(asked);
      steps.push(...rows.map(({ detail }) => detail));
    }
    const looked = steps.filter((step) => /^SEARCH (?:back|settled)\b/.test(step));
    expect(looked.length).toBeGreaterThan(5);
    expect(looked.filter((step) => !step.endsWith("(cause=?)"))).toEqual([]);
  } finally {
    await close();
  }
});
