/** Orders and calls of before come as history, which nothing counts and which goes with an undo. */

import { expect, test } from "bun:test";
import type { Db } from "#db/database.ts";
import { testDialects } from "#db/testing/database.ts";
import { makePostgresSource, type Source } from "./testing/sources.ts";
import { fill, newest, openTarget } from "./testing/target.ts";

const nowSeconds = Math.floor(Date.now() / 1_000);
const dayAgo = (days: number): number => nowSeconds - days * 86_400;

function addLog(source: Source, id: number, daysAgo: number, more: object = {}): void {
  source.insert("logs", {
    id,
    user_id: 2,
    created_at: dayAgo(daysAgo),
    type: 2,
    content: "模型倍率 1.25",
    username: "user2",
    token_name: "their key",
    model_name: "gpt-4o",
    quota: 40 + id,
    prompt_tokens: 100,
    completion_tokens: 20,
    use_time: 3,
    is_stream: 1,
    channel_id: 1,
    token_id: 4,
    group: "default",
    ...more,
  });
}

const readHistory = async (db: Db) =>
  await db
    .selectFrom("logs")
    .select(["request_id", "username", "token_name", "model_name", "quota", "prompt_tokens"])
    .select(["use_time", "is_stream", "channel", "token_id", "content", "created_at"])
    .where("type", "=", 9)
    .orderBy("request_id")
    .execute();

for (const dialect of testDialects) {
  test(`orders, and the newest calls of the log if they are wanted, are history here once: ${dialect}`, async () => {
    const source = await makePostgresSource(newest);
    const target = await openTarget(dialect);
    const { db } = target;
    try {
      fill(source, newest, 9);
      source.insert("top_ups", {
        id: 2,
        user_id: 3,
        amount: 20,
        money: 146,
        trade_no: "T17",
        payment_method: "wxpay",
        complete_time: dayAgo(40),
        status: "success",
      });
      for (const [id, days] of [
        [1, 90],
        [2, 20],
        [3, 3],
      ] as const) {
        addLog(source, id, days);
      }
      addLog(source, 4, 2, { user_id: 77 });
      addLog(source, 5, 1, { type: 5, quota: 999, model_name: "gone", token_id: 0, channel_id: 0 });
      await source.settle();
      expect(await target.run(source.address, "--json")).toBe(0);
      expect(target.report().unplaced).toContainEqual(
        expect.objectContaining({ table: "logs", column: "", rows: 5 }),
      );
      const balances = await db.selectFrom("balances").selectAll().orderBy("user_id").execute();

      expect(await target.run(source.address, "--json", "--logs", "30", "--dry-run")).toBe(0);
      const planned = target.report();
      expect(planned.rows["log"]).toMatchObject({ read: 4, created: 3, left: 1 });
      expect(planned.sums["logs"]).toBe(42 + 43);
      expect(await target.run(source.address, "--json", "--logs", "30")).toBe(0);
      expect(target.report().rows).toEqual(planned.rows);
      const rows = await readHistory(db);
      expect(rows.map(({ request_id, quota }) => [request_id, quota])).toEqual([
        ["import:1:log:2", 42],
        ["import:1:log:3", 43],
        ["import:1:log:5", 0],
        ["import:1:order:1", 0],
        ["import:1:order:2", 0],
      ]);
      expect(rows[0]).toMatchObject({
        username: "user2",
        token_name: "their key",
        model_name: "gpt-4o",
        prompt_tokens: 100,
        use_time: 3,
        is_stream: 1,
        content: "模型倍率 1.25",
        created_at: dayAgo(20),
      });
      expect(rows[0]?.channel).toBeGreaterThan(0);
      expect(rows[0]?.token_id).toBeGreaterThan(0);
      expect(rows[4]).toMatchObject({
        username: "user3",
        content: "充值订单：T17，20，￥146，wxpay，success",
      });
      const counted = await db.selectFrom("usage_hours").selectAll().execute();
      expect(counted).toEqual([]);
      expect(await db.selectFrom("balances").selectAll().orderBy("user_id").execute()).toEqual(
        balances,
      );
      expect(await target.audit()).toStartWith("audit: ok");

      addLog(source, 6, 0);
      await source.settle();
      expect(await target.run(source.address, "--json", "--logs", "30")).toBe(0);
      expect(target.report().rows["log"]).toMatchObject({ read: 1, created: 1 });
      expect(target.report().rows["order"]).toMatchObject({ created: 0 });
      expect(await readHistory(db)).toHaveLength(6);

      expect(await target.run(source.address, "--undo")).toBe(0);
      expect(await readHistory(db)).toEqual([]);
      expect(await target.audit()).toStartWith("audit: ok");
    } finally {
      await source.remove();
      await target.close();
    }
  });
}
