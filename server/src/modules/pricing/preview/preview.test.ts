import { describe, expect, test } from "bun:test";
import { charge, noUsage, unitPrice } from "@tollgate/contract/money/charge.ts";
import { defaultPriceList } from "@tollgate/contract/money/default-prices.ts";
import type { Endpoint } from "@tollgate/contract/endpoints/endpoint.ts";
import * as contract from "@tollgate/contract/endpoints/price-previews.ts";
import { openLogger } from "#base/logger.ts";
import { systemRandom } from "#base/random.ts";
import type { Dialect } from "#db/dialect.ts";
import { bindStore } from "#db/store.ts";
import { openTestDatabase, testDialects } from "#db/testing/database.ts";
import type { Caller } from "#http/handler.ts";
import { blankRow, type CallLogRow, insertCallLogs } from "#modules/logs/logs.ts";
import { addUsers } from "#modules/logs/testing/logs.ts";
import { changePrices, installPrices } from "#modules/pricing/pricing.ts";
import { pricingStore } from "#modules/pricing/pricing.store.ts";
import { previewHandlers } from "#modules/pricing/price-previews.handlers.ts";
import { openPreviews } from "./previews.ts";

const root: Caller = {
  userId: 1,
  role: 100,
  username: "root",
  clientIp: "203.0.113.9",
  sessionId: null,
  requestId: "r",
};
const now = 1_800_001_200;
const day = 86_400;

let calls = 0;

/** A call of `gpt-4o` that was charged by the first version of the prices. */
function call(given: Partial<CallLogRow> & { readonly counts?: object } = {}): CallLogRow {
  const { counts = { input: 1_000, output: 200 }, ...rest } = given;
  const usage = { ...noUsage, ...counts };
  const row = { ...blankRow, model_name: "gpt-4o", group: "default", user_id: 1, ...rest };
  const price = unitPrice(defaultPriceList, row.model_name, row.group);
  const due = price === undefined ? 0 : charge(price, usage);
  return {
    ...row,
    request_id: `call-${(calls += 1)}`,
    created_at: rest.created_at ?? now - 600,
    type: 2,
    quota: rest.quota ?? due,
    usage: rest.usage ?? JSON.stringify(usage),
    price_version: rest.price_version ?? 1,
  };
}

async function open(dialect: Dialect) {
  const { db, close } = await openTestDatabase(dialect);
  await installPrices(db, 5_000);
  await addUsers(db, ["root", "alice", "bob"]);
  const previews = openPreviews({
    store: bindStore(pricingStore, db),
    random: systemRandom,
    now: () => now * 1_000,
    elapsed: () => performance.now(),
    log: openLogger("silent"),
  });
  const handlers = previewHandlers(previews);
  const ask = async (endpoint: Endpoint, input: object): Promise<unknown> =>
    await handlers.find((handler) => handler.endpoint === endpoint)?.run(input, root);
  const read = async (name: string) =>
    contract.readPricePreview.output.parse(await ask(contract.readPricePreview, { name }));
  const ended = async (begun: unknown) => {
    let preview = contract.beginPricePreview.output.parse(begun);
    while (preview.state === "running") {
      await Bun.sleep(2);
      preview = await read(preview.id);
    }
    return preview;
  };
  const preview = async (input: object) =>
    await ended(await ask(contract.beginPricePreview, input));
  const resultOf = async (input: object) => {
    const { result } = await preview(input);
    if (result === null) throw new Error("the preview has no result");
    return result;
  };
  return { db, close, ask, ended, preview, resultOf, read };
}

for (const dialect of testDialects) {
  describe(`a preview of prices on ${dialect}`, () => {
    test("prices that stay charge every call as it was charged, also what was written off", async () => {
      const { db, close, resultOf } = await open(dialect);
      await insertCallLogs(db, [
        call(),
        call({ quota: 1_000, write_off: 1_250 }),
        call({ model_name: "o1", counts: { input: 10, reasoning: 900, cacheRead: 77 } }),
        call({ model_name: "dall-e-3", counts: { output: 1, callThousandths: 2_500 } }),
      ]);
      const { totals, kept, most } = await resultOf({});
      expect(totals.calls).toBe(4);
      expect(totals.after).toBe(totals.before);
      expect(totals.before).toBeGreaterThan(0);
      expect(kept).toEqual([]);
      expect(most).toEqual([]);
      await close();
    });

    test("calls are charged by the tried prices to the unit, by model, user and group", async () => {
      const { db, close, resultOf } = await open(dialect);
      await insertCallLogs(db, [
        call({ user_id: 2, cost: 100 }),
        call({ user_id: 3, counts: { input: 7, output: 3 } }),
        call({ user_id: 3, group: "vip", model_name: "o1", cost: 900 }),
      ]);
      const changes = { ModelRatio: { "gpt-4o": "2.5" } };
      const { totals, models, users, groups, most } = await resultOf({ changes });

      // (1000 + 200 × 4) × 1.25 = 2250, and (7 + 3 × 4) × 1.25 = 23.75 → 24; now twice as much.
      const o1 = unitPrice(defaultPriceList, "o1", "vip");
      const same = o1 === undefined ? 0 : charge(o1, { ...noUsage, input: 1_000, output: 200 });
      expect(totals).toMatchObject({
        calls: 3,
        before: 2_250 + 24 + same,
        after: 4_500 + 48 + same,
        kept: 0,
        cost: 1_000,
        costed_calls: 2,
        costed_before: 2_250 + same,
        costed_after: 4_500 + same,
      });
      expect(models.items.map(({ name, before, after }) => [name, before, after])).toEqual([
        ["gpt-4o", 2_274, 4_548],
        ["o1", same, same],
      ]);
      expect(groups.items.map(({ name, calls: count }) => [name, count])).toEqual([
        ["default", 2],
        ["vip", 1],
      ]);
      expect(users.total).toBe(2);
      expect(most.map(({ id, name, before, after }) => [id, name, after - before])).toEqual([
        [2, "alice", 2_250],
        [3, "bob", 24],
      ]);
      await close();
    });

    test("what was written off stays written off, and a lower price lowers that part first", async () => {
      const { db, close, resultOf } = await open(dialect);
      // Cost 2250, of which the user had 1000.
      await insertCallLogs(db, [call({ quota: 1_000, write_off: 1_250 })]);
      const afterOf = async (ratio: string) =>
        (await resultOf({ changes: { ModelRatio: { "gpt-4o": ratio } } })).totals.after;
      expect(await afterOf("2.5")).toBe(4_500 - 1_250);
      expect(await afterOf("0.8")).toBe(1_000);
      expect(await afterOf("0.5")).toBe(900);
      await close();
    });

    test("calls that cannot be charged again keep their charge and say why", async () => {
      const { db, close, resultOf } = await open(dialect);
      await insertCallLogs(db, [
        call({ quota: 11, usage: "" }),
        call({ quota: 13, price_version: 99 }),
        call({ quota: 17, model_name: "dall-e-3", counts: { output: 1 } }),
        call({ quota: 19, model_name: "gone", usage: JSON.stringify(noUsage) }),
        call({ quota: 2_250 }),
      ]);
      await db.updateTable("logs").set({ refunded: 250 }).where("quota", "=", 2_250).execute();
      const { totals, kept } = await resultOf({
        changes: { ModelPrice: { "dall-e-3": null }, ModelRatio: { "dall-e-3": "1" } },
      });
      expect(totals.after).toBe(totals.before);
      expect(totals).toMatchObject({ calls: 5, kept: 5, before: 11 + 13 + 17 + 19 + 2_000 });
      expect(kept.toSorted((a, b) => a.quota - b.quota)).toEqual([
        { reason: "kind", calls: 1, quota: 17 },
        { reason: "price", calls: 1, quota: 19 },
        { reason: "counts", calls: 2, quota: 24 },
        { reason: "refunded", calls: 1, quota: 2_000 },
      ]);
      await close();
    });

    test("calls that were given back and calls of earlier days are not counted", async () => {
      const { db, close, resultOf } = await open(dialect);
      await insertCallLogs(db, [
        call(),
        call({ created_at: now - 3 * day }),
        call({ created_at: now - 40 * day }),
        call({ user_id: 3 }),
      ]);
      await db.updateTable("logs").set({ reversed: 1 }).where("user_id", "=", 3).execute();
      const countOf = async (days: number) => (await resultOf({ days })).totals.calls;
      expect(await countOf(1)).toBe(1);
      expect(await countOf(7)).toBe(2);
      expect(await countOf(90)).toBe(3);
      await close();
    });

    test("an hour's price counts for calls that were reserved in that hour", async () => {
      const { db, close, resultOf } = await open(dialect);
      // `now` is 08:20 UTC.
      await insertCallLogs(db, [
        call({ created_at: now }),
        call({ created_at: now - 3_600, use_time: 5 }),
      ]);
      const window = { from: "08:00", until: "09:00", ratio: "2", cache: "2", completion: "2" };
      const changes = { HourPrices: { "gpt-4o": JSON.stringify([window]) } };
      expect((await resultOf({ changes })).totals.after).toBe(4_500 + 2_250);
      await close();
    });

    test("an option and an earlier version are tried, and nothing is saved", async () => {
      const { db, close, ask, ended, resultOf } = await open(dialect);
      await insertCallLogs(db, [call()]);
      const parts = { ModelRatio: { ...defaultPriceList.ModelRatio, "gpt-4o": "5" } };
      await changePrices(db, { parts, createdBy: 1, nowMs: now * 1_000 });
      const versions = async () => await db.selectFrom("price_versions").select("id").execute();
      const before = await versions();
      const value = JSON.stringify({ ...defaultPriceList.GroupRatio, default: 0.5 });
      const option = await ended(await ask(contract.tryOption, { key: "GroupRatio", value }));
      // At the ratio of the version in force, which is four times the one of the call.
      expect(option.result?.totals).toMatchObject({ before: 2_250, after: 4_500 });
      expect((await resultOf({ version: 1 })).totals.after).toBe(2_250);
      expect(await versions()).toEqual(before);
      await close();
    });

    test("prices that a save would refuse are refused", async () => {
      const { close, ask } = await open(dialect);
      const refused = async (endpoint: Endpoint, input: object) => {
        const failure = await ask(endpoint, input).catch((error: unknown) => error);
        return failure instanceof Error ? failure.message : failure;
      };
      const { beginPricePreview: begin, tryOption } = contract;
      expect(await refused(begin, { changes: { ModelRatio: { m: "-1" } } })).toContain(
        "ModelRatio",
      );
      expect(await refused(begin, { version: 77 })).toBe("价格版本不存在或无法读取");
      expect(await refused(begin, { days: 2 })).toBe("天数只能是 1、7、30 或 90");
      expect(await refused(tryOption, { key: "Notice", value: "x" })).toContain("Notice");
      expect(await refused(tryOption, { key: "ModelPrice", value: "{" })).toContain("ModelPrice");
      await close();
    });

    test("many calls take many steps, a preview that was ended is gone, and two run at most", async () => {
      const { db, close, ask, ended, read } = await open(dialect);
      const rows = Array.from({ length: 2_345 }, (_, at) => call({ created_at: now - (at % 7) }));
      await insertCallLogs(db, rows);
      const begin = async () =>
        contract.beginPricePreview.output.parse(await ask(contract.beginPricePreview, {}));
      const [one, two] = [await begin(), await begin()];
      expect(await begin().catch((error: unknown) => String(error))).toContain("试算过多");
      await ask(contract.cancelPricePreview, { name: one.id });
      expect(await read(one.id).catch((error: unknown) => String(error))).toContain("试算不存在");
      const { done, result } = await ended(two);
      expect(done).toBe(2_345);
      expect(result?.totals).toMatchObject({ calls: 2_345, before: 2_345 * 2_250 });
      await close();
    });
  });
}
