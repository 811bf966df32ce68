import { afterAll, describe, expect, test } from "bun:test";
import { charge, noUsage } from "@tollgate/contract/money/charge.ts";
import * as contract from "@tollgate/contract/endpoints/costs.ts";
import type { BookPrices } from "@tollgate/contract/money/price-book.ts";
import { defaultPriceList } from "@tollgate/contract/money/default-prices.ts";
import { bindStore } from "#db/store.ts";
import { openTestDatabase, testDialects } from "#db/testing/database.ts";
import { type Caller, isReplyValue } from "#http/handler.ts";
import { addChannelRow } from "./testing/channel-row.ts";
import { costHandlers } from "./costs.handlers.ts";
import { costStore } from "./costs.store.ts";
import { costVersionHash, findCosts, openCosts } from "./costs.ts";
import { refreshCosts } from "./refresh-job.ts";

const root: Caller = {
  userId: 1,
  role: 100,
  username: "root",
  clientIp: "203.0.113.9",
  sessionId: null,
  requestId: "r",
};

const closings: (() => Promise<void>)[] = [];
afterAll(async () => {
  for (const close of closings) await close();
});

for (const dialect of testDialects) {
  const { db, close } = await openTestDatabase(dialect);
  closings.push(close);
  describe(`cost lists on ${dialect}`, () => {
    let nowMs = 1_800_000_000_000;
    const asked = new Map<string, BookPrices>([
      ["n", { tokens: { input: "2.5", output: "10" } }],
      ["other's", { tokens: { input: "1" } }],
    ]);
    const deps: Parameters<typeof costHandlers>[0] = {
      store: bindStore(costStore, db),
      catalogue: async () => ({
        facts: { date: "2026-11-20" },
        match: ({ type }, model) => {
          const found = type === 1 ? asked.get(model) : undefined;
          return found === undefined ? undefined : { exact: model !== "other's", prices: found };
        },
      }),
      prices: () => defaultPriceList,
      applyChanges: async () => {},
      now: () => (nowMs += 1_000),
    };
    const handlers = costHandlers(deps);
    const call = async (endpoint: { readonly path: string }, input: object): Promise<unknown> => {
      const handler = handlers.find((one) => one.endpoint === endpoint);
      const answer = await handler?.run(input, root);
      return isReplyValue(answer) ? answer.data : answer;
    };
    const save = async (id: number, models: object, factor = "") =>
      contract.saveChannelCosts.output.parse(
        await call(contract.saveChannelCosts, { id, models, factor }),
      );

    /** Returns why a save is refused; empty: it is not. */
    const refusalOf = async (...args: Parameters<typeof save>): Promise<string> => {
      try {
        await save(...args);
        return "";
      } catch (error) {
        return error instanceof Error ? error.message : "";
      }
    };

    test("a save is a new version with who and when, and changes none before it", async () => {
      const id = await addChannelRow(db, "m,n");
      await save(id, { m: { tokens: { input: "2.5", output: "10" } } });
      const [first] = [...(await findCosts(db, [id])).values()];
      const second = await save(id, { m: { tokens: { input: "3" } }, n: { perCall: "0.04" } });

      const rows = await db.selectFrom("cost_versions").selectAll().orderBy("id").execute();
      const own = rows.filter(({ channel_id }) => channel_id === id);
      expect(own).toHaveLength(2);
      expect(own[0]).toEqual(first);
      expect(second).toMatchObject({ version: own[1]?.id, created_by: 1 });
      expect(second.effective).toMatchObject([
        { model: "m", prices: { tokens: { input: "3" } } },
        { model: "n", prices: { perCall: "0.04" } },
      ]);
      // The same once more says nothing new.
      await save(id, { m: { tokens: { input: "3" } }, n: { perCall: "0.04" } });
      const listed = contract.listCostVersions.output.parse(
        await call(contract.listCostVersions, { id }),
      );
      expect(listed.total).toBe(2);
      expect(listed.items.map(({ version }) => version)).toEqual(
        own.map(({ id: of }) => of).toReversed(),
      );
      let previous = "";
      for (const row of rows) {
        expect(row.hash).toBe(costVersionHash(previous, row));
        previous = row.hash;
      }
    });

    test("a cost is computed by the formula of charges, in the same buckets", async () => {
      const id = await addChannelRow(db, "m,task");
      const tokens = { input: "2", output: "8", cacheRead: "0.2", cacheWrite5m: "2.5" };
      await save(id, {
        m: { tokens },
        task: { perCall: "0.1", task: { per: "second", sizes: { "4k": "2" }, modes: {} } },
      });
      const row = (await findCosts(db, [id])).get(id);
      if (row === undefined) throw new Error("nothing was saved");
      const costs = openCosts(row);
      const m = costs.priceOf("m");
      const task = costs.priceOf("task");
      if (m === undefined || task === undefined) throw new Error("a cost is missing");
      const usage = { ...noUsage, input: 100, output: 10, cacheRead: 1_000, cacheWrite5m: 40 };
      // Dollars per million tokens are half a quota unit per token, with 500,000 to a dollar.
      expect(charge(m, usage)).toBe(100 + 40 + 100 + 50);
      const use = { seconds: 8, count: 1, mode: "", size: "4k" };
      expect(charge(task, { ...noUsage, task: use })).toBe(0.1 * 500_000 * 8 * 2);
      expect(costs.priceOf("other")).toBeUndefined();
    });

    test("models that are not typed cost the catalogue's price of their provider × the factor", async () => {
      const id = await addChannelRow(db, "m,n,mine,other's,unknown", '{"mine":"n"}');
      const models = { m: { tokens: { input: "7" } } };
      const saved = await save(id, models, "0.85");
      expect(saved).toMatchObject({ factor: "0.85", catalogue: "2026-11-20", models });
      const n = { tokens: { input: "2.125", output: "8.5" } };
      expect(saved.effective).toEqual([
        { model: "m", from: "typed", prices: models.m },
        { model: "n", from: "catalogue", prices: n },
        { model: "mine", from: "catalogue", prices: n },
        { model: "other's", from: null, prices: null },
        { model: "unknown", from: null, prices: null },
      ]);
      // Nothing has changed, and then a model is added, and a price changes.
      await refreshCosts(deps);
      expect((await save(id, models, "0.85")).version).toBe(saved.version);
      await db.updateTable("channels").set({ models: "m,n,late" }).where("id", "=", id).execute();
      asked.set("late", { perCall: "0.2" });
      await refreshCosts(deps);
      const later = (await findCosts(db, [id])).get(id);
      expect(later?.id).toBeGreaterThan(saved.version);
      expect(later?.created_by).toBe(0);
      const late = later === undefined ? undefined : openCosts(later).priceOf("late");
      expect(late).toMatchObject({ kind: "call", rounded: 0.2 * 0.85 * 500_000 });
      for (const [factor, words] of [
        ["-1", "系数：不能小于 0：-1"],
        ["0.12345", "系数超出范围"],
        ["1e9", "系数超出范围"],
        ["x", "系数：不是数字：x"],
      ] as const) {
        expect(await refusalOf(id, {}, factor)).toContain(words);
      }
    });

    test("bad costs are refused with the model and the reason", async () => {
      const id = await addChannelRow(db, "m");
      for (const [models, words] of [
        [{ m: { tokens: { input: "-1" } } }, "m input：不能小于 0：-1"],
        [{ m: { tokens: { input: "x" } } }, "m input：不是数字：x"],
        [{ m: { perCall: "1e20" } }, "m perCall：超出范围"],
        [{ m: { tokens: { output: "1" } } }, "m：缺少输入价格"],
        [{ m: { perCall: "1", tokens: { input: "1" } } }, "m：按次"],
        [{ m: { tokens: { input: "1" }, task: {} } }, "m：任务需要按次价格"],
        [{ constructor: { perCall: "1" } }, "不能用作名称：constructor"],
      ] as const) {
        expect(await refusalOf(id, models)).toContain(words);
      }
      expect(await refusalOf(999_999, {})).toContain("渠道未找到");
      expect((await findCosts(db, [id])).size).toBe(0);
    });
  });
}
