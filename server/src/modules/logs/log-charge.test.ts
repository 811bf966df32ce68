import { describe, expect, test } from "bun:test";
import { charge, noUsage, unitPrice } from "@tollgate/contract/money/charge.ts";
import { defaultPriceList } from "@tollgate/contract/money/default-prices.ts";
import type { Endpoint } from "@tollgate/contract/endpoints/endpoint.ts";
import { type LogCharge, readLogCharge } from "@tollgate/contract/endpoints/log-charges.ts";
import * as contract from "@tollgate/contract/endpoints/logs.ts";
import type { Dialect } from "#db/dialect.ts";
import { testDialects } from "#db/testing/database.ts";
import type { Caller } from "#http/handler.ts";
import { changePrices, installPrices } from "#modules/pricing/pricing.ts";
import { type CallLogRow, insertCallLogs } from "./logs.ts";
import { admin, alice, call as anyCall, now, openLogs, person, root } from "./testing/logs.ts";

const bob: Caller = { ...person, userId: 8, role: 1, username: "bob" };

const usage = { ...noUsage, input: 60, cacheRead: 40, output: 30 };
const call: CallLogRow = {
  ...anyCall,
  quota: 246,
  other: "",
  usage: JSON.stringify(usage),
  losses: "",
};

for (const dialect of testDialects) {
  describe(`log rows on ${dialect}`, () => {
    // O-435: the console explains a charge with the prices that were in force at the call, not with
    // today's prices.
    test("O-435: a row's charge can be computed from its stored usage and prices", async () => {
      const { db, readCharge, close } = await openCharges(dialect);
      await installPrices(db, now * 1_000);
      const parts = { ModelRatio: { ...defaultPriceList.ModelRatio, "gpt-4o": "99" } };
      await changePrices(db, { parts, createdBy: 1, nowMs: now * 1_000 + 1 });
      await insertCallLogs(db, [call]);

      const found = await readCharge(1, alice);

      expect(found).toMatchObject({ usage, write_off: 4 });
      const { prices } = found;
      expect(prices?.ModelRatio).toEqual({ "gpt-4o": "1.25" });
      expect(prices?.GroupRatio).toEqual({ default: "1" });
      if (prices === null) throw new Error("no prices");
      const whole = unitPrice(defaultPriceList, "gpt-4o", "default");
      expect(unitPrice(prices, "gpt-4o", "default")).toEqual(whole);
      expect(whole && charge(whole, usage)).toBe(call.quota + call.write_off);
      await close();
    });

    test("T25: the price of long prompts is among a row's prices, that of other models is not", async () => {
      const { db, readCharge, close } = await openCharges(dialect);
      await installPrices(db, now * 1_000);
      const long = { above: 50, ratio: "2", completion: "1.5" };
      const parts = { LongContextPrices: { "gpt-4o": long, other: long } };
      await changePrices(db, { parts, createdBy: 1, nowMs: now * 1_000 + 1 });
      await insertCallLogs(db, [{ ...call, price_version: 2 }]);

      const { prices } = await readCharge(1, alice);
      expect(prices?.LongContextPrices).toEqual({ "gpt-4o": long });
      if (prices === null) throw new Error("no prices");
      const price = unitPrice(prices, "gpt-4o", "default");
      // (60 + 40 × 0.5) × 1.25 × 2 + 30 × 5 × 1.5
      expect(price && charge(price, usage)).toBe(425);
      await close();
    });

    test("T25: the prices of service tiers are among a row's prices, those of other models are not", async () => {
      const { db, readCharge, close } = await openCharges(dialect);
      await installPrices(db, now * 1_000);
      const tiers = { priority: { ratio: "2", cache: "4", completion: "1.5" } };
      const parts = { ServiceTierPrices: { "gpt-4o": tiers, other: tiers } };
      await changePrices(db, { parts, createdBy: 1, nowMs: now * 1_000 + 1 });
      const tiered = { ...usage, tier: "priority" } as const;
      await insertCallLogs(db, [{ ...call, price_version: 2, usage: JSON.stringify(tiered) }]);

      const kept = await readCharge(1, alice);
      expect(kept.usage).toEqual(tiered);
      expect(kept.prices?.ServiceTierPrices).toEqual({ "gpt-4o": tiers });
      if (kept.prices === null) throw new Error("no prices");
      const price = unitPrice(kept.prices, "gpt-4o", "default");
      // (60 × 2 + 40 × 0.5 × 4) × 1.25 + 30 × 5 × 1.5
      expect(price && charge(price, tiered)).toBe(475);
      await close();
    });

    test("O-435: the factors of a task's price are among its row's prices, those of other models are not", async () => {
      const { db, readCharge, close } = await openCharges(dialect);
      await installPrices(db, now * 1_000);
      const factors = { per: "second" as const, sizes: { "1080p": "2" }, modes: {} };
      const parts = {
        ModelPrice: { "gpt-4o": "0.1" },
        TaskPriceFactors: { "gpt-4o": factors, other: factors },
      };
      await changePrices(db, { parts, createdBy: 1, nowMs: now * 1_000 + 1 });
      const task = { seconds: 5, count: 1, mode: "", size: "1080p" };
      const made = JSON.stringify({ ...noUsage, task });
      await insertCallLogs(db, [{ ...call, usage: made, price_version: 2 }]);

      const found = await readCharge(1, alice);
      expect(found.prices?.TaskPriceFactors).toEqual({ "gpt-4o": factors });
      if (found.prices === null || found.usage === null) throw new Error("no prices");
      const price = unitPrice(found.prices, "gpt-4o", "default");
      // $0.1 × 500,000 × 5 s × 2
      expect(price && charge(price, found.usage)).toBe(500_000);
      await close();
    });

    test("a row without usage or price version returns null for them", async () => {
      const { db, readCharge, close } = await openCharges(dialect);
      await insertCallLogs(db, [{ ...call, usage: "", price_version: 0 }]);

      expect(await readCharge(1, admin)).toEqual({
        usage: null,
        prices: null,
        write_off: 4,
        rerates: [],
      });
      await close();
    });

    test("O-413: a user cannot tell another user's row from a missing one", async () => {
      const { db, readCharge, close } = await openCharges(dialect);
      await insertCallLogs(db, [call]);

      await expect(readCharge(1, bob)).rejects.toThrow("日志不存在");
      await expect(readCharge(2, alice)).rejects.toThrow("日志不存在");
      expect(await readCharge(1, admin)).toMatchObject({ usage });
      expect(await readCharge(1, root)).toMatchObject({ usage });
      await close();
    });

    // The clocks of nodes differ, so a row that is inserted later may have an earlier time.
    test("`after_id` returns and counts the later rows, whatever their times", async () => {
      const { db, ask, close } = await openCharges(dialect);
      const times = [now, now + 2, now - 50, now + 1];
      await insertCallLogs(
        db,
        times.map((created_at, index) => ({
          ...call,
          channel: 0,
          created_at,
          request_id: `${index + 1}`,
        })),
      );
      const after = async (input: object, caller: Caller, endpoint: Endpoint) => {
        const { items, total } = contract.listOwnLogs.output.parse(
          await ask(endpoint, input, caller),
        );
        return [items.map(({ id }) => id), total];
      };

      expect(await after({ after_id: "2" }, alice, contract.listOwnLogs)).toEqual([[4, 3], 2]);
      expect(await after({ after_id: "2" }, bob, contract.listOwnLogs)).toEqual([[], 0]);
      expect(await after({ after_id: "4" }, root, contract.listLogsByKey)).toEqual([[], 0]);
      const narrow = { after_id: "1", page_size: "1", end_timestamp: String(now + 1) };
      expect(await after(narrow, admin, contract.listLogs)).toEqual([[4], 2]);
      expect(await after({ after_id: "NaN" }, alice, contract.listOwnLogs)).toEqual([
        [2, 4, 1, 3],
        4,
      ]);
      await close();
    });
  });
}

async function openCharges(dialect: Dialect) {
  const { db, ask, close } = await openLogs(dialect);
  const readCharge = async (id: number, caller: Caller): Promise<LogCharge> =>
    readLogCharge.output.parse(await ask(readLogCharge, { id: String(id) }, caller));
  return { db, ask, readCharge, close };
}
