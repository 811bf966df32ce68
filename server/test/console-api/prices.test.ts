import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type * as contract from "@tollgate/contract/endpoints/price-catalogue.ts";
import { z } from "zod";
import { testDialects } from "#db/testing/database.ts";
import { type OneApiConsole, openOneApiConsole, type Page } from "./one-api-console.ts";
import { recordedChannels } from "./recorded-models.ts";

type Proposals = z.infer<typeof contract.proposePrices.output>;
type Book = z.infer<typeof contract.readPriceBook.output>;
type Applied = z.infer<typeof contract.applyPrices.output>;

for (const dialect of testDialects) {
  describe(`prices from the catalogue on ${dialect}`, () => {
    let opened: OneApiConsole;
    let root: Page;
    beforeAll(async () => {
      opened = await openOneApiConsole(dialect);
      root = opened.root;
    });
    afterAll(async () => await opened.close());

    const propose = async (channel_type: number, models: readonly string[], base_url = "") =>
      await root.data<Proposals>("POST", "/api/prices/proposals", {
        channel_type,
        base_url,
        models,
      });
    const apply = async (entries: readonly object[]) =>
      await root.data<Applied>("POST", "/api/prices/apply", { entries });
    const book = async () => {
      const rows = await root.data<Book>("GET", "/api/prices/book");
      return new Map(rows.map((row) => [row.model, row]));
    };
    const ratios = async (name: string) => {
      const listed = await root.data<{ key: string; value: string }[]>("GET", "/api/option/");
      const option = listed.find(({ key }) => key === name);
      return z.record(z.string(), z.unknown()).parse(JSON.parse(option?.value ?? ""));
    };
    const save = async (key: string, value: object) =>
      await root.put("/api/option/", { key, value: JSON.stringify(value) });

    test("a model of today is priced in one press, and the family's options say the same", async () => {
      const [proposal] = await propose(14, ["claude-opus-5-5"]);
      expect(proposal).toMatchObject({
        model: "claude-opus-5-5",
        priced: false,
        nearest: null,
        free_allowed: false,
        match: { provider: "anthropic", entry: "claude-opus-5-5", exact: true, date: "2026-09-23" },
      });

      const applied = await apply([
        { model: "claude-opus-5-5", provider: "anthropic", entry: "claude-opus-5-5" },
      ]);

      expect(applied).toMatchObject({ applied: ["claude-opus-5-5"], unpriced: [] });
      expect((await book()).get("claude-opus-5-5")).toMatchObject({
        prices: {
          tokens: { input: "4", cacheRead: "0.2", output: "20" },
          searches: { search: "10" },
        },
        source: { from: "catalogue", date: "2026-09-23", provider: "anthropic" },
      });
      expect((await ratios("ModelRatio"))["claude-opus-5-5"]).toBe(2);
      expect((await ratios("CompletionRatio"))["claude-opus-5-5"]).toBe(5);
      expect((await ratios("CacheRatio"))["claude-opus-5-5"]).toBe(0.05);
      expect((await propose(14, ["claude-opus-5-5"]))[0]?.priced).toBe(true);
    });

    test("what cannot be priced is said, and the others are priced in the same version", async () => {
      const before = (await apply([{ model: "first", free: true }])).version;
      const applied = await apply([
        { model: "free of charge", free: true },
        { model: "typed", prices: { tokens: { input: "0.3", output: "2.5" } } },
        { model: "unknown", provider: "openai", entry: "gpt-99" },
        { model: "too fine", prices: { tokens: { input: "0.000000000001" } } },
        { model: "no input", prices: { tokens: { output: "1" } } },
      ]);

      expect(applied.applied).toEqual(["free of charge", "typed"]);
      expect(applied.unpriced).toEqual([
        { model: "unknown", reason: "价格目录中没有该条目" },
        { model: "too fine", reason: "input 的价格无法精确表示" },
        { model: "no input", reason: "缺少输入价格" },
      ]);
      expect(applied.version).toBe(before + 1);
      const now = await book();
      // 2.5 dollars are 8.333… × 0.3 dollars: the price is kept beside its rounded ratio.
      expect(now.get("typed")).toMatchObject({
        prices: { tokens: { input: "0.3", output: "2.5" } },
        source: { from: "form", by: root.userId },
      });
      expect(now.get("free of charge")?.prices).toEqual({ tokens: { input: "0" } });
      expect(now.has("too fine")).toBe(false);
      expect((await ratios("CompletionRatio"))["typed"]).toBe(8.333333333333);
      expect((await ratios("TokenKindPrices"))["typed"]).toEqual({ output: "1.25" });
    });

    test("a ratio that the family's console saves counts, and a model that it removes has no price", async () => {
      await apply([{ model: "m", prices: { tokens: { input: "0.3", output: "2.5" } } }]);
      await save("CompletionRatio", { ...(await ratios("CompletionRatio")), m: 4 });
      expect((await book()).get("m")).toMatchObject({
        prices: { tokens: { input: "0.3", output: "1.2" } },
        source: { from: "option", by: root.userId },
      });

      const { m: _, ...others } = await ratios("ModelRatio");
      await save("ModelRatio", others);
      expect((await book()).has("m")).toBe(false);
      expect((await ratios("TokenKindPrices"))["m"]).toBeUndefined();
    });

    test("a model that has another name at the upstream gets the price of that name", async () => {
      const [proposal] = await root.data<Proposals>("POST", "/api/prices/proposals", {
        channel_type: 1,
        models: ["house model"],
        model_mapping: { "house model": "gpt-6.2-sol" },
      });
      expect(proposal).toMatchObject({
        model: "house model",
        match: { entry: "gpt-6.2-sol", date: "2026-11-18", exact: true },
      });
    });

    test("models of a local server may be free, and get no price of elsewhere", async () => {
      for (const [type, address] of [
        [4, ""],
        [1007, "https://inference.example.com"],
        [1, "http://192.168.1.20:8000"],
      ] as const) {
        expect(await propose(type, ["gpt-4o"], address)).toMatchObject([
          { match: null, free_allowed: true },
        ]);
      }
      expect(await propose(1, ["gpt-4o"], "https://reseller.example")).toMatchObject([
        { match: { provider: "openai", exact: false }, free_allowed: false },
      ]);
    });

    test("prices of the default list say so, with their day", async () => {
      expect((await book()).get("gpt-4o")?.source).toEqual({ from: "default", date: "2026-02-28" });
    });

    test("the catalogue says its day, and is searched by name", async () => {
      const facts = await root.data<z.infer<typeof contract.readCatalogue.output>>(
        "GET",
        "/api/prices/catalogue?keyword=opus-5-5&provider=aws",
      );
      expect(facts).toMatchObject({ date: "2026-09-23" });
      expect(facts.source).toContain("genai-prices 0.1.8");
      expect(facts.found.map(({ entry }) => entry)).toEqual([
        "global.anthropic.claude-opus-5-5",
        "regional.anthropic.claude-opus-5-5",
      ]);
    });

    // Three presses a channel: look, take all that match exactly, take what its vendor asks.
    test("every recorded model that the catalogue has is priced in three presses", async () => {
      const unpriced: string[] = [];
      let count = 0;
      for (const { type, baseUrl, models, without } of recordedChannels) {
        count += models.length + without.length;
        const proposals = await propose(type, [...models, ...without], baseUrl);
        const taken = (isExact: boolean): object[] =>
          proposals.flatMap(({ model, match }) =>
            match?.exact === isExact
              ? [{ model, provider: match.provider, entry: match.entry }]
              : [],
          );
        for (const entries of [taken(true), taken(false)]) {
          if (entries.length > 0) expect((await apply(entries)).unpriced).toEqual([]);
        }
        const left = proposals.filter(({ match }) => match === null);
        expect(left.map(({ model }) => model)).toEqual([...without]);
        unpriced.push(...left.map(({ nearest }) => nearest ?? ""));
        const now = await book();
        expect([type, models.filter((model) => !now.has(model))]).toEqual([type, []]);
      }
      expect(count).toBe(147);
      // Nearly each of the others has a similar name to look at.
      expect(unpriced.filter((nearest) => nearest === "").length).toBeLessThan(3);
    });
  });
}
