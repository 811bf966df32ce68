/**
 * Tests that rows of earlier versions get their ending beside calls, in pieces and once each, whatever
 * else happens to them meanwhile: the sums are those of the rows, to the unit.
 */

import { type Kysely, sql } from "kysely";
import { describe, expect, test } from "bun:test";
import { openDatabase } from "#db/connection.ts";
import type { Db } from "#db/database.ts";
import { migrations } from "#db/migrations/index.ts";
import { createTestDatabase, testDialects } from "#db/testing/database.ts";
import { insertCallLogs, markReversed } from "#modules/logs/logs.ts";
import { logStore } from "#modules/logs/logs.store.ts";
import { call } from "#modules/logs/testing/logs.ts";
import { findEarlierEndings, noteEarlierEndings } from "./earlier-endings.repo.ts";
import { endingOf } from "./ending.ts";

const migration = "20261202-0913-endings";
const oldNode = "old-node";
const hour = 3_600;

type Earlier = { readonly type: number; readonly content: string; readonly other: string };

const refused = JSON.stringify({ status_code: 429, error_code: "rate_limit_exceeded" });
const whole: Earlier = { type: 2, content: "模型倍率 1", other: "" };
const kinds: readonly Earlier[] = [
  whole,
  { type: 2, content: "模型倍率 1，客户端断开", other: "" },
  { type: 5, content: "failed", other: refused },
  { type: 2, content: "模型倍率 1，上游中断", other: "" },
  { type: 5, content: "failed", other: "" },
  { type: 2, content: "模型倍率 1，已由 boss 停止：too dear", other: "" },
  { type: 4, content: "，客户端断开", other: "" },
  { type: 2, content: "模型倍率 1，额度不足，输出中止", other: "" },
];

/** Inserts rows as versions did that knew no endings. */
async function addEarlier(db: Db, count: number): Promise<void> {
  for (let at = 0; at < count; at += 1) {
    const { type, content, other } = kinds[at % kinds.length] ?? whole;
    await sql`
      insert into logs (
        request_id, created_at, type, user_id, username, token_id, token_name, channel, model_name,
        "group", quota, write_off, prompt_tokens, completion_tokens, use_time, is_stream, content,
        other, client_ip, usage, usage_source, price_version, losses
      ) values (
        ${`r-${count}-${at}`}, ${hour * 500 + at * 97}, ${type}, ${at % 3}, '', 1, '', ${at % 2},
        'm', '', 0, 0, 0, 0, 0, 0, ${content}, ${other}, '', '', '', 0, ''
      )`.execute(db);
  }
}

/** Makes a database of an earlier version with rows, while one of its nodes runs, and updates it. */
async function openUpdated(dialect: (typeof testDialects)[number], rows: number) {
  const { address, remove } = await createTestDatabase(dialect);
  const { db, close } = openDatabase(address, "writer", 60_000);
  for (const [name, up] of Object.entries(migrations)) {
    if (name === migration) {
      await addEarlier(db, rows);
      await sql`insert into nodes (id, started_at, heartbeat_at) values (${oldNode}, 1, 1)`.execute(
        db,
      );
    }
    // Cast to a database without table types, because these describe the newest schema only.
    await up(db as unknown as Kysely<unknown>, dialect);
  }
  return {
    db,
    address,
    async close() {
      await close();
      await remove();
    },
  };
}

/** Does the next piece; false: nothing is left. */
async function step(db: Db): Promise<boolean> {
  const found = await findEarlierEndings(db, { ids: 20, rows: 6 });
  if (found === null || found === "later") return false;
  await db.transaction().execute(async (tx) => await noteEarlierEndings(tx, found));
  return true;
}

const endNode = async (db: Db): Promise<unknown> =>
  await db.deleteFrom("nodes").where("id", "=", oldNode).execute();

async function countEnded(db: Db): Promise<number> {
  const rows = await db.selectFrom("logs").select("id").where("ending", "<>", "").execute();
  return rows.length;
}

/** Every row has its own ending, and the sums are those of the rows whose charge was kept. */
async function expectExact(db: Db): Promise<void> {
  const rows = await db.selectFrom("logs").selectAll().orderBy("id").execute();
  expect(rows.map(({ ending }) => ending)).toEqual(rows.map(endingOf));
  const sums: Record<string, number[]> = {};
  for (const row of rows) {
    if (row.ending === "" || row.reversed === 1) continue;
    const start = row.created_at - (row.created_at % hour);
    const key = [start, row.user_id, row.channel, row.ending].join(" ");
    const [calls = 0, first = Infinity, last = 0] = sums[key] ?? [];
    const at = row.created_at;
    sums[key] = [calls + 1, Math.min(first, at), Math.max(last, at), row.id];
  }
  const stored = await db.selectFrom("ending_hours").selectAll().execute();
  const told = stored.map((row): [string, number[]] => {
    const key = [row.hour, row.user_id, row.channel_id, row.ending].join(" ");
    return [key, [row.calls, row.first_at, row.last_at, row.last_id]];
  });
  expect(Object.fromEntries(told)).toEqual(sums);
}

for (const dialect of testDialects) {
  describe(`endings of earlier rows: ${dialect}`, () => {
    test("an update leaves them to pieces, which go on where the last one ended", async () => {
      const { db, close } = await openUpdated(dialect, 80);
      expect(await countEnded(db)).toBe(0);
      await endNode(db);
      const counts = [];
      while (await step(db)) counts.push(await countEnded(db));
      expect(counts.length).toBeGreaterThan(8);
      expect(counts).toEqual(counts.toSorted((a, b) => a - b));
      expect(counts.at(-1)).toBe(60);
      await expectExact(db);
      expect(
        await db.selectFrom("meta").select("key").where("key", "like", "ending%").execute(),
      ).toEqual([]);
      await close();
    });

    test("a piece that two nodes have found is noted once", async () => {
      const { db, close } = await openUpdated(dialect, 40);
      await endNode(db);
      const found = await findEarlierEndings(db, { ids: 20, rows: 6 });
      if (found === null || found === "later") throw new Error("there is no piece");
      for (let times = 0; times < 2; times += 1) {
        await db.transaction().execute(async (tx) => await noteEarlierEndings(tx, found));
      }
      while (await step(db)) continue;
      await expectExact(db);
      await close();
    });

    test("they wait for the last node of the earlier version, which writes rows without endings", async () => {
      const { db, close } = await openUpdated(dialect, 16);
      expect(await step(db)).toBe(false);
      await insertCallLogs(db, [{ ...call, request_id: "new", type: 5, other: refused }]);
      await addEarlier(db, 24);
      expect(await step(db)).toBe(false);
      await endNode(db);
      while (await step(db)) continue;
      await expectExact(db);
      await close();
    });

    test("charges that are given back and rows that are removed meanwhile are in no sum twice", async () => {
      const { db, close } = await openUpdated(dialect, 80);
      await endNode(db);
      await step(db);
      // Rows 2 and 78 broke off: one has its ending, the other not yet.
      for (const id of [2, 74]) {
        await db.transaction().execute(async (tx) => await markReversed(tx, [id]));
      }
      while (await step(db)) continue;
      await expectExact(db);
      await close();
    });

    // SQLite has one writer, so there the second transaction begins when the first has ended.
    if (dialect === "postgres") {
      test("a charge that is given back at the same moment is in no sum", async () => {
        const { address, db, close } = await openUpdated(dialect, 16);
        await endNode(db);
        const other = openDatabase(address, "writer", 60_000);
        const piece = await findEarlierEndings(db, { ids: 20, rows: 20 });
        if (piece === null || piece === "later") throw new Error("there is no piece");
        const [noted, ended] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
        const noting = db.transaction().execute(async (tx) => {
          await noteEarlierEndings(tx, piece);
          noted.resolve();
          await ended.promise;
        });
        await noted.promise;
        const giving = other.db.transaction().execute(async (tx) => await markReversed(tx, [2]));
        // Time in which it reads the row, which still has no ending for it, and then waits.
        await Bun.sleep(300);
        ended.resolve();
        await Promise.all([noting, giving]);
        await expectExact(db);
        await other.close();
        await close();
      });
    }

    test("rows that are removed before their turn are in the sums all the same", async () => {
      const [cleaned, whole] = [await openUpdated(dialect, 80), await openUpdated(dialect, 80)];
      for (const { db } of [cleaned, whole]) await endNode(db);
      const clean = logStore.writes.cleanLogs;
      await cleaned.db.transaction().execute(async (tx) => await clean(tx, hour * 500 + 97 * 40));
      const sums = [];
      for (const { db, close } of [cleaned, whole]) {
        while (await step(db)) continue;
        sums.push(
          await db
            .selectFrom("ending_hours")
            .selectAll()
            .orderBy(sql`hour, user_id, channel_id, ending`)
            .execute(),
        );
        await close();
      }
      expect(sums[0]).toEqual(sums[1]);
    });

    test("a new installation has nothing to do", async () => {
      const { address, remove } = await createTestDatabase(dialect);
      const { db, close } = openDatabase(address, "writer", 60_000);
      for (const up of Object.values(migrations)) {
        // Cast to a database without table types, because these describe the newest schema only.
        await up(db as unknown as Kysely<unknown>, dialect);
      }
      await insertCallLogs(db, [{ ...call, type: 5 }]);
      expect(await step(db)).toBe(false);
      expect(
        await db.selectFrom("meta").select("key").where("key", "like", "ending%").execute(),
      ).toEqual([]);
      await close();
      await remove();
    });
  });
}
