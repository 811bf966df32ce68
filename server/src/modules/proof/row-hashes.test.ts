import { expect, test } from "bun:test";
import type { Kysely } from "kysely";
import { openDatabase } from "#db/connection.ts";
import { migrations } from "#db/migrations/index.ts";
import { createTestDatabase, testDialects } from "#db/testing/database.ts";
import { dividendHash } from "#modules/agents/agents.ts";
import { findAlteredRow } from "./proof-rows.ts";

const migration = "20261123-1745-row-hashes";

/** Rows as an earlier version left them; more codes than one page of the migration. */
const before: Readonly<Record<string, readonly object[]>> = {
  agents: [{ user_id: 3, state: "approved", rate_bp: -1, requested_at: 5, approved_at: 6 }],
  agent_invitees: [{ invitee_id: 4, spent_before: 7, counted: 8 }],
  dividends: [
    {
      day: 1,
      invitee_id: 4,
      agent_id: 3,
      spent: 90,
      paid: 80,
      base: 80,
      rate_bp: 1_000,
      dividend: 8,
      created_at: 9,
    },
  ],
  order_refunds: [
    {
      order_id: 1,
      kind: "refund",
      external_id: "",
      money: 730,
      quota: 5,
      state: "done",
      reason: 'a "reason"',
      answer: "{}",
      created_by: 1,
      created_at: 5,
      ended_at: 6,
    },
  ],
  redemptions: Array.from({ length: 501 }, (_, at) => ({
    user_id: 1,
    name: "一",
    lookup: `lookup-${at}`,
    sealed: "s",
    quota: at,
    status: 1,
    group: "",
    batch_id: "b",
    user_limit: 0,
    expired_time: 0,
    created_time: 5,
    redeemed_time: 0,
    used_user_id: 0,
    DeletedAt: at === 0 ? "2026-11-23T00:00:00Z" : null,
  })),
};

test.each(testDialects)("an update proves the rows that are there: %s", async (dialect) => {
  const { address, remove } = await createTestDatabase(dialect);
  const { db, close } = openDatabase(address, "writer", 60_000);
  try {
    // Cast to a database without table types, because these describe the newest schema only.
    const untyped = db as unknown as Kysely<Record<string, Record<string, unknown>>>;
    for (const name of Object.keys(migrations)) {
      if (name === migration) {
        for (const [table, rows] of Object.entries(before)) {
          await untyped
            .insertInto(table)
            .values([...rows] as never)
            .execute();
        }
      }
      await migrations[name]?.(untyped as never, dialect);
    }
    expect(await findAlteredRow(db)).toBeNull();
    const dividend = await db.selectFrom("dividends").selectAll().executeTakeFirstOrThrow();
    expect(dividend.hash).toBe(dividendHash(dividend));
    await db.updateTable("redemptions").set({ quota: 9_999 }).where("quota", "=", 500).execute();
    expect(await findAlteredRow(db)).toMatchObject({ check: "T10", table: "redemptions" });
  } finally {
    await close();
    await remove();
  }
});
