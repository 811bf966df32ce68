import { describe, expect, test } from "bun:test";
import {
  changesOf,
  dollarsPerMillion,
  type ModelPrices,
  pricesOf,
  priceRows,
  putPrices,
  readPriceMaps,
  unpricedModels,
} from "./price-table.ts";
import type { PriceOptionName } from "#widgets/money/price-maps.ts";

const texts: Partial<Record<PriceOptionName, string>> = {
  ModelPrice: '{"draw": 0.04}',
  ModelRatio: '{"b": 1.25, "a": 0.1}',
  CompletionRatio: '{"b": 4}',
};

function read() {
  const maps = readPriceMaps((name) => texts[name] ?? "{}");
  if (!maps.ok) throw new Error(maps.message);
  return maps.value;
}

const put = (model: string, prices: ModelPrices) => putPrices(read(), [{ model, prices }]);

describe("the table of models", () => {
  test("A-214: each model with any price is one row; upper and lower case differ", () => {
    expect(priceRows(read())).toEqual([
      { model: "a", prices: { ModelRatio: "0.1" } },
      { model: "b", prices: { ModelRatio: "1.25", CompletionRatio: "4" } },
      { model: "draw", prices: { ModelPrice: "0.04" } },
    ]);
    const maps = { ...read(), ModelRatio: { GPT: "1", gpt: "2" } };
    expect(priceRows(maps).map(({ model }) => model)).toEqual(["GPT", "b", "draw", "gpt"]);
  });

  test("A-216: a change rewrites the JSON of only those maps that differ", () => {
    expect(put("c", { ModelRatio: "0.123456789012" })).toEqual([
      { name: "ModelRatio", text: '{\n  "b": 1.25,\n  "a": 0.1,\n  "c": 0.123456789012\n}' },
    ]);
    expect(put("b", { ModelRatio: "2", CompletionRatio: "4" })).toEqual([
      { name: "ModelRatio", text: '{\n  "b": 2,\n  "a": 0.1\n}' },
    ]);
    expect(put("a", { ModelRatio: "0.1" })).toEqual([]);
  });

  test("T25: prices of service tiers are a field of their model, and one option", () => {
    const ServiceTierPrices = '{"b": {"flex": {"ratio": 0.5, "completion": 0.25}}}';
    const read = readPriceMaps((name) => ({ ...texts, ServiceTierPrices })[name] ?? "{}");
    if (!read.ok) throw new Error(read.message);
    const Tiers = '{"flex":{"ratio":"0.5","cache":"0.5","completion":"0.25"}}';
    const prices = { ModelRatio: "1.25", CompletionRatio: "4" };
    expect(pricesOf(read.value, "b")).toEqual({ ...prices, Tiers });

    expect(putPrices(read.value, [{ model: "b", prices: { ...prices, Tiers } }])).toEqual([]);
    const changed = { ...prices, Tiers: Tiers.replace("0.25", "0.75") };
    const [put, ...others] = putPrices(read.value, [{ model: "b", prices: changed }]);
    expect([put?.name, others]).toEqual(["ServiceTierPrices", []]);
    expect(JSON.parse(put?.text ?? "")).toEqual({
      b: { flex: { ratio: "0.5", cache: "0.5", completion: "0.75" } },
    });
    expect(putPrices(read.value, [{ model: "b", prices }])).toEqual([
      { name: "ServiceTierPrices", text: "{}" },
    ]);
    expect(readPriceMaps((name) => (name === "ServiceTierPrices" ? '{"b": 2}' : "{}"))).toEqual({
      ok: false,
      message:
        "ServiceTierPrices：b：至少要设置一个服务等级：batch、fast、flex、priority、scale、ultrafast",
    });
  });

  test("T25: prices of long prompts are fields of their model, and one option", () => {
    const LongContextPrices = '{"b": {"above": 200000, "ratio": 2, "completion": 1.5}}';
    const read = readPriceMaps((name) => ({ ...texts, LongContextPrices })[name] ?? "{}");
    if (!read.ok) throw new Error(read.message);
    const long = { LongAbove: "200000", LongRatio: "2", LongCompletion: "1.5" };
    const prices = { ModelRatio: "1.25", CompletionRatio: "4" };
    expect(pricesOf(read.value, "b")).toEqual({ ...prices, ...long });

    expect(putPrices(read.value, [{ model: "b", prices: { ...prices, ...long } }])).toEqual([]);
    const changed = { ...prices, ...long, LongRatio: "3" };
    const [put, ...others] = putPrices(read.value, [{ model: "b", prices: changed }]);
    expect([put?.name, others]).toEqual(["LongContextPrices", []]);
    expect(JSON.parse(put?.text ?? "")).toEqual({
      b: { above: 200_000, ratio: "3", completion: "1.5" },
    });
    expect(putPrices(read.value, [{ model: "b", prices }])).toEqual([
      { name: "LongContextPrices", text: "{}" },
    ]);
    expect(readPriceMaps((name) => (name === "LongContextPrices" ? '{"b": 2}' : "{}"))).toEqual({
      ok: false,
      message: "LongContextPrices：b 只能设置 above、ratio、completion、cache 和 further",
    });
  });

  test("T33: further steps, hours, searches and kinds stay as they are when another price changes", () => {
    const further = [{ above: 9, ratio: "4", completion: "2" }];
    const long = { above: 5, ratio: "2", completion: "1.5", cache: "3", further };
    const window = { from: "16:30", until: "00:30", ratio: "0.5", cache: "1", completion: "2" };
    const options = {
      ...texts,
      LongContextPrices: JSON.stringify({ b: long }),
      HourPrices: JSON.stringify({ b: [window] }),
      SearchPrices: '{"b": {"search": 10}}',
      TokenKindPrices: '{"b": {"reasoning": 0.10}}',
    };
    const read = readPriceMaps((name) => ({ ...options })[name] ?? "{}");
    if (!read.ok) throw new Error(read.message);
    const prices = pricesOf(read.value, "b");
    expect(prices).toMatchObject({
      LongCache: "3",
      LongFurther: JSON.stringify(further),
      Hours: JSON.stringify([window]),
      Searches: '{"search":"10"}',
      Kinds: '{"reasoning":"0.1"}',
    });
    expect(putPrices(read.value, [{ model: "b", prices }])).toEqual([]);
    const [put, ...others] = putPrices(read.value, [
      { model: "b", prices: { ...prices, LongRatio: "7" } },
    ]);
    expect([put?.name, others]).toEqual(["LongContextPrices", []]);
    expect(JSON.parse(put?.text ?? "")).toEqual({ b: { ...long, ratio: "7" } });
    const searching = { ...prices, Searches: '{"call":"5"}' };
    expect(putPrices(read.value, [{ model: "b", prices: searching }])).toEqual([
      { name: "SearchPrices", text: '{\n  "b": {\n    "call": "5"\n  }\n}' },
    ]);
  });

  test("A-218: a fixed price removes the ratios", () => {
    expect(put("b", { ModelPrice: "1" })).toEqual([
      { name: "ModelPrice", text: '{\n  "draw": 0.04,\n  "b": 1\n}' },
      { name: "ModelRatio", text: '{\n  "a": 0.1\n}' },
      { name: "CompletionRatio", text: "{}" },
    ]);
  });

  test("models without a price are listed in the spelling by which they are called", () => {
    expect(unpricedModels(["a", "A", "draw", "toString"], read())).toEqual(["A", "toString"]);
  });

  test("names that every JavaScript object has are models like any other, or none", () => {
    expect(pricesOf(read(), "toString")).toEqual({});
    expect(readPriceMaps(() => '{"__proto__": 1}')).toMatchObject({ ok: false });
    expect(readPriceMaps(() => "{")).toEqual({
      ok: false,
      message: "ModelPrice：不是合法的 JSON 字符串",
    });
  });
});

test("what a form sends for a model keeps its further steps, hours, searches and kinds of tokens", () => {
  const further = JSON.stringify([{ above: 500_000, ratio: "4", completion: "2" }]);
  const prices: ModelPrices = {
    ModelRatio: "1",
    LongAbove: "200000",
    LongRatio: "2",
    LongCompletion: "1.5",
    LongCache: "3",
    LongFurther: further,
    Hours: '[{"from":"16:30"}]',
    Searches: '{"search":"10"}',
    Kinds: '{"reasoning":"2.5"}',
  };
  const long = { above: 200_000, ratio: "2", completion: "1.5", cache: "3" };
  expect(changesOf(read(), [{ model: "new", prices }])).toEqual({
    ModelRatio: { new: "1" },
    LongContextPrices: { new: JSON.stringify({ ...long, further: JSON.parse(further) }) },
    HourPrices: { new: '[{"from":"16:30"}]' },
    SearchPrices: { new: '{"search":"10"}' },
    TokenKindPrices: { new: '{"reasoning":"2.5"}' },
  });
});

describe("a price in dollars", () => {
  test.each([
    [["1"], "500000", "$2.00"],
    [["1.25"], "500000", "$2.50"],
    [["1.25", "4"], "500000", "$10.00"],
    [["0.1", "0.1"], "500000", "$0.02"],
    [["0"], "500000", "$0.00"],
    [["1"], "300000", "≈ $3.333333"],
    [["0.000000000001"], "500000", "≈ $0.00"],
    [["123456789.5"], "1000000", "$123456789.50"],
  ])("%p at %s units a dollar is %s", (ratios, quotaPerUnit, shown) => {
    expect(dollarsPerMillion(ratios, quotaPerUnit)).toBe(shown);
  });

  test("without quota units there is no price", () => {
    expect(dollarsPerMillion(["1"], "0")).toBeUndefined();
  });
});
