import { describe, expect, test } from "bun:test";
import { defaultPriceList } from "@tollgate/contract/money/default-prices.ts";
import { listModelFacts } from "@tollgate/contract/endpoints/model-facts.ts";
import { bindStore } from "#db/store.ts";
import { openTestDatabase, testDialects } from "#db/testing/database.ts";
import type { Caller } from "#http/handler.ts";
import { catalogueReader } from "./catalogue/open-catalogue.ts";
import { modelFactHandlers } from "./model-facts.handlers.ts";
import { pricingStore } from "./pricing.store.ts";

const visitor: Caller = {
  userId: 0,
  role: 0,
  username: "",
  clientIp: "203.0.113.9",
  sessionId: null,
  requestId: "r",
};
const hour = 1_800_000_000 - (1_800_000_000 % 86_400);
const none = {
  retries: 0,
  failed_key: 0,
  failed_limit: 0,
  failed_server: 0,
  failed_network: 0,
  failed_answer: 0,
  broken: 0,
  rejected: 0,
  cancelled: 0,
};
const noTimes = Object.fromEntries(
  Array.from({ length: 24 }, (_, bucket) => [`first_byte_${bucket}`, 0]),
);

for (const dialect of testDialects) {
  describe(`what is known of models on ${dialect}`, () => {
    test("a model with fewer than 100 calls of the last seven days has no statistics; others have those of all channels", async () => {
      const { db, close } = await openTestDatabase(dialect);
      const add = async (channel_id: number, model_name: string, day: number, counts: object) => {
        const row = { channel_id, model_name, ...none, ...noTimes, ...counts };
        // Safe casts: the rows have every column.
        await db
          .insertInto("channel_days")
          .values({ ...row, day } as never)
          .execute();
        await db
          .insertInto("channel_hours")
          .values({ ...row, hour: day } as never)
          .execute();
      };
      // 60 calls at one channel, and 40 at another, of which ten were retried and answered there.
      await add(1, "gpt-4o", hour, { attempts: 60, answered: 50, first_byte_9: 50 });
      await add(2, "gpt-4o", hour, { attempts: 50, answered: 50, retries: 10, first_byte_9: 50 });
      await add(1, "rare", hour, { attempts: 99, answered: 99, first_byte_3: 99 });
      await add(1, "old", hour - 8 * 86_400, { attempts: 500, answered: 500 });
      // What upstreams refuse as wrong says nothing about the model.
      await add(1, "wrong", hour, { attempts: 120, answered: 20, rejected: 100 });
      await add(1, "breaks", hour, { attempts: 200, answered: 200, broken: 50 });
      let reads = 0;
      const store = bindStore(pricingStore, db);
      const [handler] = modelFactHandlers({
        catalogue: catalogueReader("", { warn: () => undefined } as never),
        prices: () => ({ ...defaultPriceList, GroupRatio: { default: "1" } }),
        modelsOf: () => ["gpt-4o", "rare", "old", "wrong", "breaks", "unknown"],
        store: {
          readModelStatistics: async (time) => {
            reads += 1;
            return await store.readModelStatistics(time);
          },
        },
        now: () => (hour + 10_000) * 1_000,
      });

      const rows = listModelFacts.output.parse(await handler?.run({}, visitor));
      expect(rows.map(({ model_name, statistics }) => [model_name, statistics?.answered])).toEqual([
        ["breaks", 0.75],
        ["gpt-4o", 1],
      ]);
      const known = rows.find(({ model_name }) => model_name === "gpt-4o");
      expect(known?.statistics?.first_byte_ms).toBeGreaterThan(300);
      expect(known?.statistics?.first_byte_ms).toBeLessThan(1_000);
      expect(known?.facts).toMatchObject({ context: 128_000 });
      await handler?.run({}, visitor);
      expect(reads).toBe(1);
      await close();
    });
  });
}
