import {
  promptCacheDaysMax,
  promptCacheModelsMax,
} from "@tollgate/contract/endpoints/dashboard.ts";
import { describe, expect, test } from "bun:test";
import type { Db } from "#db/database.ts";
import { testDialects } from "#db/testing/database.ts";
import { addHours, call, openLogs } from "#modules/logs/testing/logs.ts";
import { readPromptCaches } from "./prompt-caches.repo.ts";

const day = 86_400;
/** Midnight in UTC; in Shanghai it is eight in the morning. */
const midnight = 1_799_971_200;
const everything = {
  userId: null,
  username: "",
  tokenId: 0,
  modelName: "",
  group: "",
  channel: 0,
};

/** Adds a call of a model with 100 tokens of input, of which some were in a cache. */
async function add(db: Db, at: number, model_name: string, cached_tokens: number, user_id = 7) {
  const hour = at - (at % 3_600);
  const place = { user_id, token_id: 11, channel_id: 3, model_name, group: "default" };
  await addHours(db, [{ ...call, created_at: at, model_name, user_id }]);
  await db
    .insertInto("prompt_cache_hours")
    .values({ ...place, hour, cached_tokens, moved_quota: 0 })
    .execute();
}

for (const dialect of testDialects) {
  describe(`caches by day on ${dialect}`, () => {
    test("what a model had of its input from caches is told for each day of the zone", async () => {
      const { db, close } = await openLogs(dialect);
      await add(db, midnight + 3_600, "a", 20);
      await add(db, midnight + 20 * 3_600, "a", 90);
      await add(db, midnight + day + 3_600, "a", 80);
      await add(db, midnight + day + 3_600, "b", 50, 8);
      const span = { start: midnight - 8 * 3_600, end: midnight + 2 * day };
      const read = async (given: object, zone: string) => {
        const filter = { ...everything, ...given };
        const { days } = await readPromptCaches(db, { filter, span, zone, wide: true });
        return days.map(({ models }) =>
          models.map(({ name, ...sums }) => [name, sums.cached_tokens, sums.prompt_tokens]),
        );
      };
      // 20 hours after midnight in UTC it is the next day in Shanghai.
      expect(await read({}, "Asia/Shanghai")).toEqual([
        [
          ["a", 20, 100],
          ["b", 0, 0],
        ],
        [
          ["a", 170, 200],
          ["b", 50, 100],
        ],
        [
          ["a", 0, 0],
          ["b", 0, 0],
        ],
      ]);
      expect(await read({ userId: 7 }, "UTC")).toEqual([
        [["a", 0, 0]],
        [["a", 110, 200]],
        [["a", 80, 100]],
      ]);
      await close();
    });

    test("so many models are told apart, and no span that is longer than the days allow", async () => {
      const { db, close } = await openLogs(dialect);
      for (let at = 0; at < promptCacheModelsMax + 2; at += 1) {
        await add(db, midnight, `m${at}`, 10 + at);
      }
      const asked = { filter: everything, zone: "UTC", wide: true };
      const of = async (days: number) => {
        const span = { start: midnight, end: midnight + days * day };
        return (await readPromptCaches(db, { ...asked, span })).days;
      };
      const [first] = await of(1);
      expect(first?.models.map(({ name }) => name)).toEqual(["m6", "m5", "m4", "m3", "m2"]);
      expect(await of(promptCacheDaysMax)).toHaveLength(promptCacheDaysMax);
      expect(await of(promptCacheDaysMax + 1)).toEqual([]);
      await close();
    });
  });
}
