import { describe, expect, test } from "bun:test";
import { noUsage } from "@tollgate/contract/money/charge.ts";
import type { Db } from "#db/database.ts";
import { testDialects } from "#db/testing/database.ts";
import { call, now, openLogs } from "#modules/logs/testing/logs.ts";
import { addToPromptCaches } from "./prompt-cache-sums.ts";

const row = (cacheRead: number, moved_quota: number, given: object = {}) => ({
  ...call,
  created_at: now,
  usage: JSON.stringify({ ...noUsage, input: 10, cacheRead }),
  moved_quota,
  ...given,
});

async function sumsIn(db: Db) {
  return await db
    .selectFrom("prompt_cache_hours")
    .select(["model_name", "cached_tokens", "moved_quota"])
    .orderBy("model_name")
    .execute();
}

for (const dialect of testDialects) {
  describe(`sums of caches on ${dialect}`, () => {
    test("what caches had and moves cost is summed by hour, and a reversed call is taken out again", async () => {
      const { db, close } = await openLogs(dialect);
      const add = async (rows: (typeof call)[], reversed: (typeof call)[]) =>
        await db.transaction().execute(async (tx) => await addToPromptCaches(tx, rows, reversed));
      await add([row(100, 5), row(20, 0), row(7, 1, { model_name: "z" }), row(0, 0)], []);
      await add([row(3, 2), { ...row(0, 0), model_name: "none" }], []);
      const sums = { model_name: call.model_name, cached_tokens: 123, moved_quota: 7 };
      const ofZ = { model_name: "z", cached_tokens: 7, moved_quota: 1 };
      expect(await sumsIn(db)).toEqual([sums, ofZ]);

      await add([], [row(100, 5)]);
      expect(await sumsIn(db)).toEqual([{ ...sums, cached_tokens: 23, moved_quota: 2 }, ofZ]);
      // A call of before these sums were kept is reversed: nothing falls below 0.
      await add([], [row(1_000, 50, { model_name: "z" }), row(9, 9, { model_name: "old" })]);
      expect((await sumsIn(db))[1]).toEqual({ ...ofZ, cached_tokens: 0, moved_quota: 0 });
      await close();
    });
  });
}
