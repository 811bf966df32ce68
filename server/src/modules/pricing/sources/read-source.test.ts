/** The lists in `testing/lists/` are written by hand in the forms that their publishers use. */

import { describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { SourceKind } from "@tollgate/contract/endpoints/price-sources.ts";
import { listBytesMax, readList } from "./read-source.ts";

const day = "2026-11-30";
const files: Readonly<Record<SourceKind, string>> = {
  catalogue: "catalogue.json",
  csv: "prices.csv",
  "gateway-pricing": "gateway-pricing.json",
  "gateway-ratios": "gateway-ratios.json",
  litellm: "litellm.json",
  "models-dev": "models-dev.json",
  openrouter: "openrouter.json",
};
// Safe cast: the keys are those of the record.
const kinds = Object.keys(files) as SourceKind[];

function textOf(kind: SourceKind): string {
  return readFileSync(join(import.meta.dir, "testing/lists", files[kind]), "utf8");
}

async function read(kind: SourceKind, list: Uint8Array | string) {
  return await readList({ kind, list, catalogueFile: "", day });
}

async function readWell(kind: SourceKind, list: string) {
  const found = await read(kind, list);
  if (!found.ok) throw new Error(found.message);
  return found;
}

/** A list of so many models, in the form of its kind. */
function manyOf(kind: SourceKind, count: number): string {
  const names = Array.from({ length: count }, (_, at) => `m${at}`);
  const all = <Value>(value: Value): Readonly<Record<string, Value>> =>
    Object.fromEntries(names.map((name) => [name, value]));
  switch (kind) {
    case "catalogue":
      return JSON.stringify({
        date: day,
        source: "s",
        providers: [{ id: "p", name: "P", source: "https://p.example" }],
        entries: names.map((name) => {
          return {
            provider: "p",
            entry: name,
            names: [name],
            prices: [{ tokens: { input: "1" } }],
          };
        }),
      });
    case "csv":
      return `model,input\n${names.map((name) => `${name},1`).join("\n")}`;
    case "gateway-pricing":
      return JSON.stringify({
        data: names.map((name) => ({ model_name: name, quota_type: 0, model_ratio: 1 })),
      });
    case "gateway-ratios":
      return JSON.stringify({ data: { model_ratio: all(1) } });
    case "litellm":
      return JSON.stringify(all({ input_cost_per_token: 1e-6 }));
    case "models-dev":
      return JSON.stringify({ p: { models: all({ cost: { input: 1 } }) } });
    case "openrouter":
      return JSON.stringify({ data: names.map((id) => ({ id, pricing: { prompt: "0.000001" } })) });
  }
}

describe("published lists of prices", () => {
  test.each(kinds)("%s: the recorded answer gives the prices to the digit", async (kind) => {
    const { entries } = await readWell(kind, textOf(kind));
    const named = entries.filter(({ entry }) => /(^|\/)gpt-4o$/.test(entry));
    const found = named.find(({ vendor }) => vendor === "openai" || vendor === "");

    expect(found?.prices.tokens).toMatchObject({ input: "2.75", output: "11", cacheRead: "1.375" });
  });

  test.each(kinds)("%s: each hostile line is refused by itself", async (kind) => {
    const { entries, faults, faultCount } = await readWell(kind, textOf(kind));
    const names = entries.map(({ entry }) => entry.replace(/^.*\//, ""));

    expect(
      names.filter((name) => /^gpt-(negative|absurd|list|words|kind|number)$/.test(name)),
    ).toEqual([]);
    expect(faultCount).toBeGreaterThan(0);
    expect(faults).toHaveLength(faultCount);
    expect(faults.every(({ place, message }) => place !== "" && message !== "")).toBe(true);
  });

  test("a refused amount is shown as it stands in the list", async () => {
    const models = { m: { id: "m", cost: { input: -1 } } };
    const { faults } = await readWell("models-dev", JSON.stringify({ openai: { models } }));

    expect(faults[0]?.message).toEndWith("不能小于 0：-1");
  });

  test("a price of answers alone is no price", async () => {
    const models = { m: { id: "m", cost: { output: 1 } } };
    const found = await readWell("models-dev", JSON.stringify({ openai: { models } }));

    expect(found.entries).toEqual([]);
    expect(found.faults.map(({ message }) => message)).toEqual(["没有价格"]);
  });

  test("long prompts, tiers and searches come with the price", async () => {
    const google = (await readWell("models-dev", textOf("models-dev"))).entries;
    const litellm = (await readWell("litellm", textOf("litellm"))).entries;
    const router = (await readWell("openrouter", textOf("openrouter"))).entries;

    expect(google.find(({ entry }) => entry === "gemini-2.5-pro")?.prices.steps).toEqual([
      { above: 200_000, tokens: { input: "2.5", output: "15", cacheRead: "0.625" } },
    ]);
    expect(litellm.find(({ entry }) => entry === "gpt-4o")?.prices.tiers).toEqual({
      batch: { input: "1.375", output: "5.5" },
    });
    expect(router[0]?.prices.searches).toEqual({ search: "10" });
  });

  test("ratios that are rounded quotients give the price that they were made of", async () => {
    const list = { data: { model_ratio: { m: 0.15 }, completion_ratio: { m: 8.333333333333 } } };
    const { entries } = await readWell("gateway-ratios", JSON.stringify(list));

    expect(entries[0]?.prices.tokens).toEqual({ input: "0.3", output: "2.5" });
  });

  test("noise of binary numbers is no digit of a price", async () => {
    const list = { m: { input_cost_per_token: 3 * 1.1e-6, litellm_provider: "x" } };
    const { entries } = await readWell("litellm", JSON.stringify(list));

    expect(entries[0]?.prices.tokens).toEqual({ input: "3.3" });
  });

  test.each(kinds)("%s: what is no such list is a sentence", async (kind) => {
    for (const text of [
      "",
      "   ",
      "{",
      "<html>Not found</html>",
      "[]",
      "7",
      '{"data":7}',
      "null",
    ]) {
      const found = await read(kind, text);
      // An empty list of rows has nothing wrong in it.
      if (found.ok) expect(found.entries).toEqual([]);
      else expect(found.message).not.toBe("");
    }
    expect((await read(kind, "<html>Not found</html>")).ok).toBe(false);
  });

  test.each(kinds)("%s: a list of too many lines is refused as a whole", async (kind) => {
    const found = await read(kind, manyOf(kind, 60_000));

    expect(found).toEqual({ ok: false, message: expect.stringMatching(/^最多 \d+ 行$/) });
  });

  test("a list of too many bytes, or that is no text, is refused as a whole", async () => {
    const large = await read("csv", new Uint8Array(listBytesMax + 1));
    const binary = await read("csv", new Uint8Array([0xff, 0xfe, 0x00]));

    for (const found of [large, binary]) expect(found.ok).toBe(false);
  });

  test("names that every object has are no models", async () => {
    const { entries } = await readWell(
      "gateway-ratios",
      '{"data":{"model_ratio":{"__proto__":1,"toString":1}}}',
    );

    expect(entries.every(({ prices }) => prices.tokens?.output === undefined)).toBe(true);
  });
});
