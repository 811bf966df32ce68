import { describe, expect, test } from "bun:test";
import type { PriceList } from "@tollgate/contract/money/charge.ts";
import { defaultPriceList } from "@tollgate/contract/money/default-prices.ts";
import { readBook } from "@tollgate/contract/money/price-book.ts";
import type { Endpoint } from "@tollgate/contract/endpoints/endpoint.ts";
import * as contract from "@tollgate/contract/endpoints/price-versions.ts";
import { bindStore } from "#db/store.ts";
import type { Dialect } from "#db/dialect.ts";
import { openTestDatabase, testDialects } from "#db/testing/database.ts";
import type { Caller } from "#http/handler.ts";
import { priceVersionHandlers } from "./price-versions.handlers.ts";
import { pricingStore } from "./pricing.store.ts";
import { findPrices, installPrices, parsePrices, priceVersionHash, savePrices } from "./pricing.ts";

const root: Caller = {
  userId: 1,
  role: 100,
  username: "root",
  clientIp: "203.0.113.9",
  sessionId: null,
  requestId: "r",
};

const channelTexts = { name: "", base_url: "", other: "", model_mapping: "", test_model: "" };
const channelJson = { status_code_mapping: "", param_override: "", setting: "", other_info: "" };
const channelNumbers = {
  type: 1,
  priority: 0,
  weight: 0,
  auto_ban: 1,
  created_time: 0,
  test_time: 0,
};
const channel = {
  ...channelTexts,
  ...channelJson,
  ...channelNumbers,
  response_time: 0,
  balance: 0,
  balance_updated_time: 0,
  openai_organization: "",
  status: 1,
  models: "m",
};

async function open(dialect: Dialect) {
  const { db, close } = await openTestDatabase(dialect);
  const clock = { ms: 5_000 };
  let inForceNow = { id: 0, list: defaultPriceList };
  const handlers = priceVersionHandlers({
    store: bindStore(pricingStore, db),
    prices: () => inForceNow,
    applyChanges: async () => {
      const row = await findPrices(db);
      inForceNow = (row === undefined ? undefined : parsePrices(row)) ?? inForceNow;
    },
    now: () => (clock.ms += 1_000),
  });
  await installPrices(db, 5_000);
  const call = async (endpoint: Endpoint, input: object): Promise<unknown> =>
    await handlers
      .find((handler) => handler.endpoint === endpoint)
      ?.run(endpoint.input.parse(input), root);
  const save = async (changes: contract.PriceChanges, reason = "") =>
    await call(contract.savePriceChanges, { changes, reason });
  /** Saves whole parts of the list, as options do. */
  const savePart = async (parts: Partial<PriceList>) =>
    await db
      .transaction()
      .execute(
        async (tx) => await savePrices(tx, { parts, actor: root, nowMs: (clock.ms += 1_000) }),
      );
  const list = async (input: object = {}) =>
    contract.listPriceVersions.output.parse(await call(contract.listPriceVersions, input));
  const diff = async (input: object) =>
    contract.diffPriceVersions.output.parse(await call(contract.diffPriceVersions, input));
  const inForce = async () => {
    const row = await findPrices(db);
    return row === undefined ? undefined : parsePrices(row)?.list;
  };
  return { db, close, call, save, savePart, list, diff, inForce };
}

for (const dialect of testDialects) {
  describe(`versions of prices on ${dialect}`, () => {
    test("changes of several models are one version, which says who made it and why", async () => {
      const { save, list, inForce, db, close } = await open(dialect);
      const tiers = '{"flex":{"ratio":0.5,"cache":1,"completion":"0.5"}}';
      await save(
        {
          ModelRatio: { "gpt-4o": "2e0", m: "0.10", o3: null },
          CompletionRatio: { m: "4" },
          ServiceTierPrices: { m: tiers },
        },
        " half price in May ",
      );

      const { o3: _, ...others } = defaultPriceList.ModelRatio;
      const form = { from: "form", date: "1970-01-01", by: 1 } as const;
      const { o3: _source, ...sources } = defaultPriceList.Sources ?? {};
      expect(await inForce()).toEqual({
        ...defaultPriceList,
        Sources: { ...sources, "gpt-4o": form, m: form },
        ModelRatio: { ...others, "gpt-4o": "2", m: "0.1" },
        CompletionRatio: { ...defaultPriceList.CompletionRatio, m: "4" },
        ServiceTierPrices: {
          ...defaultPriceList.ServiceTierPrices,
          m: { flex: { ratio: "0.5", cache: "1", completion: "0.5" } },
        },
      });
      const { items, total } = await list();
      expect(total).toBe(2);
      expect(items).toMatchObject([
        { id: 2, created_by: 1, reason: "half price in May", in_force: true, readable: true },
        { id: 1, created_by: 0, created_by_name: "", reason: "", in_force: false },
      ]);
      expect(items[0]).toMatchObject({ changed_models: 3, changed_groups: 0 });
      const audit = await db.selectFrom("audit_log").select(["action", "target"]).execute();
      expect(audit).toEqual([
        { action: "price.update", target: "option:ModelRatio,CompletionRatio,ServiceTierPrices" },
      ]);
      await close();
    });

    test("a change that is refused leaves all others unsaved, too", async () => {
      const { save, list, close } = await open(dialect);
      for (const bad of [
        { CompletionRatio: { m: "-1" } },
        { CompletionRatio: { m: "" } },
        { CompletionRatio: { m: "0.1234567890123" } },
        { CacheRatio: { constructor: "1" } },
        { ServiceTierPrices: { m: "{" } },
        { LongContextPrices: { m: '{"above":0,"ratio":2}' } },
      ]) {
        await expect(save({ ModelRatio: { m: "2" }, ...bad })).rejects.toThrow();
      }
      expect((await list()).total).toBe(1);
      await close();
    });

    test("changes of two administrators at the same time lose nothing of each other", async () => {
      const { save, inForce, close } = await open(dialect);
      await Promise.all([
        save({ ModelRatio: { a: "1" }, CompletionRatio: { a: "2" } }),
        save({ ModelRatio: { b: "3", "gpt-4o": null } }),
      ]);
      const list = await inForce();
      expect(list?.ModelRatio).toMatchObject({ a: "1", b: "3", o3: "1" });
      expect(list?.ModelRatio["gpt-4o"]).toBeUndefined();
      expect(list?.CompletionRatio["a"]).toBe("2");
      await close();
    });

    test("every part that says what a model costs can be changed for one model, and is kept whole", async () => {
      const { save, inForce, close } = await open(dialect);
      const long = { above: 200_000, ratio: "2", completion: "1.5", cache: "3" };
      const further = [{ above: 500_000, ratio: "4", completion: "2" }];
      const hours = [
        { from: "16:30", until: "00:30", ratio: "0.5", cache: "0.5", completion: "1" },
      ];
      await save({
        ModelRatio: { a: "1" },
        LongContextPrices: { a: JSON.stringify({ ...long, further }) },
        HourPrices: { a: JSON.stringify(hours) },
        SearchPrices: { a: JSON.stringify({ search: "10" }) },
        TokenKindPrices: { a: JSON.stringify({ reasoning: "2.5" }) },
      });
      const list = await inForce();
      expect(list?.LongContextPrices?.["a"]).toEqual({ ...long, further });
      expect(list?.HourPrices?.["a"]).toEqual(hours);
      expect(list?.SearchPrices?.["a"]).toEqual({ search: "10" });
      expect(list?.TokenKindPrices?.["a"]).toEqual({ reasoning: "2.5" });
      await close();
    });

    test("prices in dollars are saved exactly, or none of them is, and say where they come from", async () => {
      const { call, inForce, list, close } = await open(dialect);
      const exact = { tokens: { input: "0.3", output: "2.5", cacheRead: "0.03" } };
      const books = [
        { model: "exact", prices: exact },
        { model: "gpt-4o", prices: null },
      ];
      for (const bad of [
        { model: "free output only", prices: { tokens: { output: "1" } } },
        { model: "both", prices: { perCall: "1", tokens: { input: "1" } } },
        { model: "__proto__", prices: { perCall: "1" } },
        { model: "too fine", prices: { tokens: { input: "0.000000000001" } } },
      ]) {
        await expect(call(contract.savePriceChanges, { books: [...books, bad] })).rejects.toThrow();
      }
      expect((await list()).total).toBe(1);

      const tried = { books, from: "file", changes: { CacheRatio: { o3: "0.5" } } };
      await call(contract.savePriceChanges, tried);
      const saved = await inForce();
      if (saved === undefined) throw new Error("no list");
      expect(readBook(saved, "exact")).toEqual(exact);
      expect(saved.ModelRatio["gpt-4o"]).toBeUndefined();
      expect(saved.CacheRatio["o3"]).toBe("0.5");
      expect(saved.Sources?.["exact"]).toEqual({ from: "file", date: "1970-01-01", by: 1 });
      expect(saved.Sources?.["gpt-4o"]).toBeUndefined();
      const read = contract.readPrices.output.parse(await call(contract.readPrices, {}));
      expect(read).toEqual({ version: 2, list: saved });
      await close();
    });

    test("two versions are compared by model, in either order, and with the one in force", async () => {
      const { savePart, diff, close } = await open(dialect);
      await savePart({ ModelRatio: { a: "1", b: "2", c: "3" } });
      await savePart({
        ModelRatio: { c: "3", b: "5", d: "4" },
        GroupRatio: { default: "1", vip: "0.5" },
        QuotaPerUnit: "1000",
      });

      const forward = await diff({ from: 2, to: 3 });
      expect(forward.models).toMatchObject([
        { model: "a", before: { ModelRatio: "1" } },
        { model: "b", before: { ModelRatio: "2" }, after: { ModelRatio: "5" } },
        { model: "d", before: null, after: { ModelRatio: "4" } },
      ]);
      expect(forward.total).toBe(3);
      expect(forward.models[0]?.after?.["ModelRatio"]).toBeUndefined();
      expect(forward.groups).toContainEqual({ group: "vip", before: "1", after: "0.5" });
      expect(forward.quota_per_unit).toEqual({ before: "500000", after: "1000" });
      const back = await diff({ from: 3, to: 2 });
      expect(
        back.models.map(({ model, before, after }) => ({ model, before: after, after: before })),
      ).toEqual(forward.models);
      expect(await diff({ from: 2 })).toEqual(forward);
      await expect(diff({ from: 2, to: 99 })).rejects.toThrow("价格版本不存在");
      await close();
    });

    test("going back makes a new version of the same content; the chain of hashes stays whole", async () => {
      const { save, savePart, call, diff, list, inForce, db, close } = await open(dialect);
      await save({ LongContextPrices: { o3: '{"above":9,"ratio":2}' } });
      await savePart({ ModelPrice: { m: "2" }, Sources: {} });
      await call(contract.rollBackPrices, { id: 1, reason: "the mistake is taken back" });

      expect(await inForce()).toEqual(defaultPriceList);
      expect(await diff({ from: 1, to: 4 })).toMatchObject({ models: [], total: 0, groups: [] });
      const { items } = await list();
      expect(items[0]).toMatchObject({
        id: 4,
        reason: "the mistake is taken back",
        in_force: true,
      });
      let previous = "";
      for (const row of await db.selectFrom("price_versions").selectAll().orderBy("id").execute()) {
        expect(row.hash).toBe(priceVersionHash(previous, row));
        previous = row.hash;
      }
      await expect(call(contract.rollBackPrices, { id: 99 })).rejects.toThrow("价格版本不存在");
      const audit = await db.selectFrom("audit_log").select("target").orderBy("id").execute();
      expect(audit.at(-1)?.target).toBe("price-version:1");
      await close();
    });

    test("going back is refused where a group in use would have no ratio", async () => {
      const { savePart, call, list, db, close } = await open(dialect);
      await savePart({ GroupRatio: { default: "1", late: "2" } });
      await db
        .insertInto("channels")
        .values({ ...channel, group: "default,late" })
        .execute();

      await expect(call(contract.rollBackPrices, { id: 1 })).rejects.toThrow("late");
      expect((await list()).total).toBe(2);
      await close();
    });

    test("pages of versions follow one another without a gap, each compared with the one before", async () => {
      const { save, list, close } = await open(dialect);
      for (let turn = 0; turn < 25; turn += 1) await save({ ModelPrice: { m: String(turn) } });

      const pages = [await list({ page_size: "20" }), await list({ p: "2", page_size: "20" })];
      expect(pages.map(({ items }) => items.length)).toEqual([20, 6]);
      const items = pages.flatMap((page) => page.items);
      expect(items.map(({ id }) => id)).toEqual(Array.from({ length: 26 }, (_, at) => 26 - at));
      expect(items.map((item) => item.changed_models)).toEqual([...Array(25).fill(1), 0]);
      await close();
    });

    test("a version that cannot be read is listed, and is neither compared nor gone back to", async () => {
      const { call, diff, list, db, close } = await open(dialect);
      const bad = { starts_at: 6_000, content: "{", created_by: 1, created_at: 6_000, hash: "x" };
      await db.insertInto("price_versions").values(bad).execute();

      expect((await list()).items).toMatchObject([
        { id: 2, readable: false, in_force: false },
        { id: 1, readable: true, in_force: true },
      ]);
      await expect(diff({ from: 1, to: 2 })).rejects.toThrow("价格版本不存在");
      await expect(call(contract.rollBackPrices, { id: 2 })).rejects.toThrow("价格版本不存在");
      await close();
    });
  });
}
