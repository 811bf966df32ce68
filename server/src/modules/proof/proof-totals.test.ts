/** The audit's rule T12: it names each total that differs from the hourly roll-up, and no other. */

import { describe, expect, test } from "bun:test";
import { sql } from "kysely";
import { seededRandom } from "#base/testing/random.ts";
import type { Db } from "#db/database.ts";
import { testDialects } from "#db/testing/database.ts";
import { addCalls } from "#modules/ledger/testing/sums.ts";
import type { CallLogRow } from "#modules/logs/logs.ts";
import { call, hour, now, openLogs } from "#modules/logs/testing/logs.ts";
import { makeTotals } from "#modules/logs/testing/totals.ts";
import type { Flaw } from "./flaw.ts";
import { findTotalsFlaw } from "./proof-totals.ts";

const day = 24 * hour;

class Undone extends Error {}

/** Calls of some users over thirty days, in about half of the hours. */
function scatter(count: number): CallLogRow[] {
  const random = seededRandom(17);
  return Array.from({ length: count }, (_, at) => ({
    ...call,
    request_id: `r${at}`,
    created_at: now - random.below(30 * 24) * hour,
    user_id: random.between(1, 5),
    token_id: random.below(3),
    channel: random.between(1, 3),
    model_name: random.pick(["gpt-4o", "claude-3"]),
    quota: random.below(1_000),
  }));
}

/** Makes a change, checks the totals, and rolls the change back. */
async function checkWith(db: Db, change: (tx: Db) => Promise<unknown>): Promise<Flaw | null> {
  let flaw: Flaw | null = null;
  const changed = db.transaction().execute(async (tx) => {
    await change(tx);
    flaw = await findTotalsFlaw(tx);
    throw new Undone();
  });
  await expect(changed).rejects.toBeInstanceOf(Undone);
  return flaw;
}

/** Every kind of totals, and the time from which one of its rows is taken. */
const kinds = [
  { table: "usage_totals", time: "start", span: hour },
  { table: "usage_totals", time: "start", span: day },
  { table: "model_totals", time: "hour", span: null },
  { table: "caller_totals", time: "start", span: day },
  { table: "caller_totals", time: "start", span: 8 * day },
] as const;

for (const dialect of testDialects) {
  describe(`totals of the roll-up on ${dialect}`, () => {
    test("T12: no totals, half of them, all, and hours that changed since are no flaw", async () => {
      const { db, close } = await openLogs(dialect);
      const calls = scatter(600);
      await addCalls(db, calls, calls.slice(0, 50), now * 1_000);
      expect(await findTotalsFlaw(db)).toBeNull();
      await makeTotals(db, now - 12 * day - 5 * hour);
      expect(await findTotalsFlaw(db)).toBeNull();
      await makeTotals(db, now);
      expect(await findTotalsFlaw(db)).toBeNull();
      const late = calls.slice(0, 9).map((row) => ({ ...row, created_at: row.created_at - 90 }));
      await addCalls(db, late, [], now * 1_000);
      const stale = await db.selectFrom("stale_hours").select("hour").execute();
      expect(stale).not.toBeEmpty();
      expect(await findTotalsFlaw(db)).toBeNull();
      const unmarked = await checkWith(
        db,
        async (tx) => await tx.deleteFrom("stale_hours").execute(),
      );
      expect(unmarked).toMatchObject({ check: "T12", table: "usage_totals" });
      await makeTotals(db, now);
      expect(await findTotalsFlaw(db)).toBeNull();
      await close();
    });

    test("T12: a changed, a removed and an added row of each kind of totals is named", async () => {
      const { db, close } = await openLogs(dialect);
      await addCalls(db, scatter(600), [], now * 1_000);
      await makeTotals(db, now);
      for (const { table, time, span } of kinds) {
        const ofSpan = span === null ? sql`1 = 1` : sql`span = ${sql.lit(span)}`;
        const { rows } = await sql<{ at: number }>`
          select ${sql.ref(time)} as at from ${sql.table(table)} where ${ofSpan}
          order by ${sql.ref(time)} desc limit 1`.execute(db);
        const at = rows[0]?.at ?? 0;
        const isRow = sql`${ofSpan} and ${sql.ref(time)} = ${sql.lit(at)}`;
        for (const change of [
          sql`update ${sql.table(table)} set quota = quota + 1 where ${isRow}`,
          sql`update ${sql.table(table)} set request_count = request_count + 1 where ${isRow}`,
          sql`update ${sql.table(table)} set prompt_tokens = prompt_tokens + 1 where ${isRow}`,
          sql`update ${sql.table(table)} set completion_tokens = 0 where ${isRow}`,
          sql`delete from ${sql.table(table)} where ${isRow}`,
          sql`update ${sql.table(table)} set ${sql.ref(time)} = ${sql.lit(at + 1)} where ${isRow}`,
        ]) {
          const flaw = await checkWith(db, async (tx) => await change.execute(tx));
          const spanned = span === null ? "" : `span=${span} `;
          expect(flaw).toMatchObject({ check: "T12", table });
          expect(flaw?.row).toStartWith(`${spanned}${time}=${at}`);
        }
      }
      await close();
    });

    test("T12: sums of a length that nothing reads, and of hours that are not over, are named", async () => {
      const { db, close } = await openLogs(dialect);
      await addCalls(db, scatter(600), [], now * 1_000);
      await makeTotals(db, now - 12 * day);
      const length = sql`update usage_totals set span = 7 where span = ${sql.lit(day)}`;
      const unread = await checkWith(db, async (tx) => await length.execute(tx));
      expect(unread?.row).toStartWith("span=7 start=");
      const until = sql`update meta set value = ${String(now)} where key = 'usage_totals_until'`;
      const lacking = await checkWith(db, async (tx) => await until.execute(tx));
      expect(lacking).toMatchObject({ check: "T12", table: "usage_totals" });
      const gone = sql`delete from meta where key = 'usage_totals_until'`;
      const surplus = await checkWith(db, async (tx) => await gone.execute(tx));
      expect(surplus).toMatchObject({ check: "T12", table: "usage_totals" });
      await close();
    });
  });
}
