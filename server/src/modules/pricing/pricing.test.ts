import { describe, expect, test } from "bun:test";
import { defaultPriceList } from "@tollgate/contract/money/default-prices.ts";
import { listPricing } from "@tollgate/contract/endpoints/prices.ts";
import { openTestDatabase, testDialects } from "#db/testing/database.ts";
import type { Caller } from "#http/handler.ts";
import { changePrices, findPrices, installPrices, parsePrices } from "./pricing.ts";
import { priceVersionHash } from "./pricing.ts";
import { pricingHandlers } from "./pricing.handlers.ts";

const user: Caller = {
  userId: 7,
  role: 1,
  username: "alice",
  clientIp: "203.0.113.9",
  sessionId: null,
  requestId: "r",
};
const visitor: Caller = { ...user, userId: 0, role: 0, username: "" };

describe("GET /api/pricing", () => {
  const models: Record<string, string[]> = {
    default: ["gpt-4o", "dall-e-3", "unpriced"],
    vip: ["gpt-4o", "o3"],
    staff: ["o3", "unpriced for staff"],
  };
  const [handler] = pricingHandlers({
    prices: () => ({
      ...defaultPriceList,
      GroupRatio: { default: "1", vip: "0.5", staff: "0.125" },
      LongContextPrices: { o3: { above: 200_000, ratio: "2", completion: "1.5" } },
      ServiceTierPrices: { o3: { flex: { ratio: "0.5", cache: "1", completion: "0.25" } } },
    }),
    usableGroups: () => ({ default: "默认分组" }),
    groupOf: (userId) => (userId === 7 ? "vip" : undefined),
    modelsOf: (group) => models[group] ?? [],
  });

  test("O-518 to O-526: lists models that have a price and can be called, with the caller's groups", async () => {
    const answer = await handler?.run({}, user);

    expect(answer).toMatchObject({
      extras: {
        group_ratio: { default: 1, vip: 0.5 },
        usable_group: { default: "默认分组", vip: "用户分组" },
        unpriced: [{ model_name: "unpriced", enable_groups: ["default"] }],
      },
    });
    expect(listPricing.output.parse(Object(answer).data)).toEqual([
      {
        model_name: "dall-e-3",
        quota_type: 1,
        model_ratio: 0,
        model_price: 0.04,
        owner_by: "",
        completion_ratio: 0,
        enable_groups: ["default"],
      },
      {
        model_name: "gpt-4o",
        quota_type: 0,
        model_ratio: 1.25,
        model_price: 0,
        owner_by: "",
        completion_ratio: 4,
        cache_ratio: 0.5,
        enable_groups: ["default", "vip"],
      },
      {
        model_name: "o3",
        quota_type: 0,
        model_ratio: 1,
        model_price: 0,
        owner_by: "",
        completion_ratio: 4,
        cache_ratio: 0.25,
        long_context: { above: 200_000, ratio: 2, completion_ratio: 1.5 },
        service_tiers: [{ tier: "flex", ratio: 0.5, cache_ratio: 1, completion_ratio: 0.25 }],
        enable_groups: ["vip"],
      },
    ]);
  });

  test("O-520: a visitor sees the default group and no other group's name", async () => {
    const answer = await handler?.run({}, visitor);

    expect(answer).toMatchObject({ extras: { group_ratio: { default: 1 } } });
    expect(JSON.stringify(Object(answer).data)).not.toMatch(/vip|staff/);
    expect(Object(answer).data).toMatchObject([{}, {}, { model_name: "o3", enable_groups: [] }]);
  });
});

for (const dialect of testDialects) {
  describe(`price versions on ${dialect}`, () => {
    test("a version never changes, and never starts before the previous one", async () => {
      const { db, close } = await openTestDatabase(dialect);
      const change = async (nowMs: number, price: string) =>
        await db.transaction().execute(async (tx) => {
          const parts = { ModelPrice: { m: price } };
          return await changePrices(tx, { parts, createdBy: 1, nowMs });
        });
      await installPrices(db, 5_000);
      const first = await findPrices(db);
      await change(9_000, "1");
      // The earlier time simulates a clock that was set back between the two changes.
      const { before, after } = await change(7_000, "2");

      expect([before.ModelPrice, after.ModelPrice]).toEqual([{ m: "1" }, { m: "2" }]);
      const rows = await db.selectFrom("price_versions").selectAll().orderBy("id").execute();
      expect(rows[0]).toEqual(first);
      expect(rows.map(({ starts_at }) => starts_at)).toEqual([5_000, 9_000, 9_000]);
      expect(rows.map((row) => parsePrices(row)?.list.ModelPrice["m"])).toEqual([
        undefined,
        "1",
        "2",
      ]);
      await close();
    });

    test("P-O6: an invalid version in the table leaves the last valid one in force", async () => {
      const { db, close } = await openTestDatabase(dialect);
      await installPrices(db, 5_000);
      const good = await findPrices(db);
      const bad = { starts_at: 6_000, content: "{", created_by: 1, created_at: 6_000, hash: "x" };
      await db.insertInto("price_versions").values(bad).execute();

      expect(await findPrices(db)).toEqual(good);
      const change = { parts: { ModelPrice: { m: "1" } }, createdBy: 1, nowMs: 7_000 };
      await db.transaction().execute(async (tx) => await changePrices(tx, change));
      const row = await findPrices(db);
      expect(row).toMatchObject({ id: 3 });
      expect(row?.hash).toBe(row === undefined ? "" : priceVersionHash("x", row));
      await close();
    });

    test("P-M12: a changed column of any version breaks the hash chain", async () => {
      const { db, close } = await openTestDatabase(dialect);
      await installPrices(db, 5_000);
      const row = await findPrices(db);
      if (row === undefined) throw new Error("no version");

      expect(priceVersionHash("", row)).toBe(row.hash);
      for (const [name, value] of Object.entries(row)) {
        if (name === "hash") continue;
        const altered = { ...row, [name]: typeof value === "number" ? value + 1 : `${value} ` };
        expect([name, priceVersionHash("", altered) === row.hash]).toEqual([name, false]);
      }
      expect(priceVersionHash(row.hash, row)).not.toBe(row.hash);
      await close();
    });
  });
}

test("P-O6: a row without a valid price list is ignored, so that the last valid one stays", () => {
  for (const content of ["", "{}", "[]", '{"ModelRatio":{"m":-1}}']) {
    expect(parsePrices({ id: 1, content })).toBeUndefined();
  }
});
