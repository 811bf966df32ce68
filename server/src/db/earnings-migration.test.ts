import { expect, test } from "bun:test";
import type { Kysely } from "kysely";
import type { Db } from "./database.ts";
import { openDatabase } from "./connection.ts";
import { migrations } from "./migrations/index.ts";
import { createTestDatabase, testDialects } from "./testing/database.ts";

const migration = "20261123-1425-agents";

test.each(testDialects)(
  "an update keeps what inviters earned and moved, as entries that sum to it: %s",
  async (dialect) => {
    const { address, remove } = await createTestDatabase(dialect);
    const { db, close } = openDatabase(address, "writer", 60_000);
    try {
      // Cast to a database without table types, because these describe the newest schema only.
      const untyped = db as unknown as Kysely<Record<string, Record<string, unknown>>>;
      for (const name of Object.keys(migrations)) {
        if (name === migration) {
          await untyped
            .insertInto("affiliates")
            .values([
              { user_id: 3, aff_count: 2, aff_quota: 70, aff_history_quota: 700 },
              { user_id: 4, aff_count: 1, aff_quota: 0, aff_history_quota: 0 },
              { user_id: 5, aff_count: 1, aff_quota: 9, aff_history_quota: 9 },
            ])
            .execute();
        }
        await migrations[name]?.(untyped as never, dialect);
      }
      expect(await figuresOf(db)).toEqual([
        { user_id: 3, aff_count: 2, balance: 70, earned: 700, entry_count: 2 },
        { user_id: 4, aff_count: 1, balance: null, earned: null, entry_count: null },
        { user_id: 5, aff_count: 1, balance: 9, earned: 9, entry_count: 1 },
      ]);
      const entries = await db
        .selectFrom("earning_entries")
        .select(["user_id", "kind", "amount", "balance_after"])
        .orderBy("user_id")
        .orderBy("seq")
        .execute();
      expect(entries).toEqual([
        { user_id: 3, kind: "invite", amount: 700, balance_after: 700 },
        { user_id: 3, kind: "transfer", amount: -630, balance_after: 70 },
        { user_id: 5, kind: "invite", amount: 9, balance_after: 9 },
      ]);
    } finally {
      await close();
      await remove();
    }
  },
);

async function figuresOf(db: Db) {
  return await db
    .selectFrom("affiliates")
    .leftJoin("earnings", "earnings.user_id", "affiliates.user_id")
    .select(["affiliates.user_id", "aff_count", "balance", "earned", "entry_count"])
    .orderBy("affiliates.user_id")
    .execute();
}
