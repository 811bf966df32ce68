/** Hours that change after they are over are noted, so that no totals stay without the change. */

import { describe, expect, test } from "bun:test";
import { sql } from "kysely";
import type { Db } from "#db/database.ts";
import { testDialects } from "#db/testing/database.ts";
import { call, hour, now, openLogs } from "#modules/logs/testing/logs.ts";
import { makeTotals } from "#modules/logs/testing/totals.ts";
import { findTotalsFlaw } from "#modules/proof/proof.ts";
import { addToSums } from "./sums.ts";
import { addCalls } from "./testing/sums.ts";

const present = now - (now % hour);

for (const dialect of testDialects) {
  describe(`sums of calls on ${dialect}`, () => {
    test("a node whose clock is behind notes the hours that another node may have totals of", async () => {
      const { db, close } = await openLogs(dialect);
      const made = { ...call, created_at: present - hour };
      await addCalls(db, [made], [], now * 1_000);
      // Another node's clock is 59 minutes ahead.
      await makeTotals(db, present + hour);
      await addCalls(db, [made], [], (present + 60) * 1_000);
      expect(await findTotalsFlaw(db)).toBeNull();
      await makeTotals(db, present + hour);
      expect(await findTotalsFlaw(db)).toBeNull();
      const totals = db.selectFrom("usage_totals").select("quota").where("span", "=", hour);
      expect(await totals.execute()).toEqual([{ quota: 2 * call.quota }]);
      await close();
    });
  });
}

describe("sums of calls on several nodes", () => {
  test("totals that are made while a call of their hour is settled contain it afterwards", async () => {
    const { db, close } = await openLogs("postgres");
    const old = { ...call, created_at: now - 50 * hour };
    await addCalls(db, [old], [], now * 1_000);
    await makeTotals(db, now);
    // The hour is noted already when the next transaction notes it.
    await addCalls(db, [old], [], now * 1_000);
    const settled = Promise.withResolvers<void>();
    await db.transaction().execute(async (tx) => {
      await addToSums(tx, [old], [], now * 1_000);
      makeTotals(db, now).then(settled.resolve, settled.reject);
      await waitsForLock(db, settled.promise);
    });
    await settled.promise;
    await makeTotals(db, now);
    expect(await findTotalsFlaw(db)).toBeNull();
    const totals = db.selectFrom("usage_totals").select("quota").where("span", "=", hour);
    expect(await totals.execute()).toEqual([{ quota: 3 * call.quota }]);
    await close();
  });
});

/** Waits until some connection waits for another's lock, or `done` has ended. */
async function waitsForLock(db: Db, done: Promise<void>): Promise<void> {
  let isDone = false;
  const end = (): void => void (isDone = true);
  done.then(end, end);
  for (;;) {
    const { rows } = await sql`
      select 1 from pg_stat_activity
      where datname = current_database() and wait_event_type = 'Lock'`.execute(db);
    if (isDone || rows.length > 0) return;
    await Bun.sleep(2);
  }
}
