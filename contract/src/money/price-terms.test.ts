import { describe, expect, test } from "bun:test";
import {
  charge,
  type ChargedUsage,
  chargeSearches,
  highestPrice,
  noUsage,
  priceAt,
  type PriceList,
  priceList,
  unitPrice,
} from "./charge.ts";
import { defaultPriceList } from "./default-prices.ts";
import { parseOption, showOption } from "@tollgate/contract/options/options.ts";
import { minuteOf } from "./price-terms.ts";

/** 2 and 8 dollars per million tokens, cached input 0.2. */
const plain: PriceList = {
  ...defaultPriceList,
  GroupRatio: { default: "1", half: "0.5" },
  ModelRatio: { m: "1", free: "0" },
  CompletionRatio: { m: "4", free: "4" },
  CacheRatio: { m: "0.1" },
  ModelPrice: { fixed: "0.01" },
};

type Terms = Partial<
  Pick<PriceList, "SearchPrices" | "HourPrices" | "LongContextPrices" | "TokenKindPrices">
>;

function priceOf(terms: Terms, model = "m", group = "default") {
  const price = unitPrice({ ...plain, ...terms }, model, group);
  if (price === undefined) throw new Error("no price");
  return price;
}

const costOf = (terms: Terms, usage: Partial<ChargedUsage>, model = "m", group = "default") =>
  charge(priceOf(terms, model, group), { ...noUsage, ...usage });

describe("T33: long prompts have as many steps of prices as the provider has", () => {
  const LongContextPrices = {
    m: {
      above: 32_000,
      ratio: "2",
      completion: "3",
      further: [{ above: 128_000, ratio: "4", completion: "5", cache: "1" }],
    },
  };
  const terms = { LongContextPrices };

  test("the last step that the input is above has the price of all tokens", () => {
    const used = { output: 100 };
    expect(costOf(terms, { ...used, input: 32_000 })).toBe(32_000 + 400);
    expect(costOf(terms, { ...used, input: 32_001 })).toBe(64_002 + 1_200);
    expect(costOf(terms, { ...used, input: 128_000 })).toBe(256_000 + 1_200);
    expect(costOf(terms, { ...used, input: 128_001 })).toBe(512_004 + 2_000);
  });

  test("a step may leave the price of cached input alone", () => {
    expect(costOf(terms, { input: 1, cacheRead: 100_000 })).toBe(2 + 20_000);
    expect(costOf(terms, { input: 1, cacheRead: 200_000 })).toBe(4 + 20_000);
  });

  test("the most that a call can cost is that of the highest step within its reach", () => {
    const further = [{ above: 100, ratio: "0.5", completion: "9" }];
    const falling = priceOf({
      LongContextPrices: { m: { above: 10, ratio: "2", completion: "1", further } },
    });
    const usage = { ...noUsage, input: 10, output: 10 };
    expect(charge(highestPrice(falling, 10, "default"), usage)).toBe(10 + 40);
    expect(charge(highestPrice(falling, 100, "default"), usage)).toBe(20 + 40);
    expect(charge(highestPrice(falling, 101, "default"), usage)).toBe(20 + 360);
  });
});

describe("T33: hours of the day have prices of their own", () => {
  const night = { from: "16:30", until: "00:30", ratio: "0.5", cache: "1", completion: "0.25" };
  const terms = { HourPrices: { m: [night] } };
  const usage = { input: 1_000, cacheRead: 1_000, output: 1_000 };
  const [day, off] = [1_000 + 100 + 4_000, 500 + 100 + 1_000];
  const at = (time: string): number => minuteOf(Date.parse(`2026-11-29T${time}Z`));

  test.each([
    ["16:29:59.999", day],
    ["16:30:00", off],
    ["23:59:59", off],
    ["00:00:00", off],
    ["00:29:59.999", off],
    ["00:30:00", day],
    ["12:00:00", day],
  ])("at %s UTC, across midnight", (time, due) => {
    expect(costOf(terms, { ...usage, minute: at(time) })).toBe(due);
  });

  test("the first of several windows counts, and without a time none does", () => {
    const peak = { from: "01:00", until: "04:00", ratio: "2", cache: "2", completion: "2" };
    const HourPrices = { m: [peak, { ...peak, from: "03:00", until: "10:00", ratio: "3" }] };
    expect(costOf({ HourPrices }, { input: 10, minute: at("03:30:00") })).toBe(20);
    expect(costOf({ HourPrices }, { input: 10, minute: at("04:00:00") })).toBe(30);
    expect(costOf({ HourPrices }, { input: 10 })).toBe(10);
  });

  test("they multiply service tiers and long prompts, also in what is held", () => {
    const tier = { ratio: "3", cache: "3", completion: "3" };
    const long = { above: 10, ratio: "2", completion: "2" };
    const all = {
      ...terms,
      ServiceTierPrices: { m: { priority: tier } },
      LongContextPrices: { m: long },
    };
    const minute = at("20:00:00");
    expect(costOf(all, { input: 100, output: 100, tier: "priority", minute })).toBe(
      100 * 3 * 2 * 0.5 + 400 * 3 * 2 * 0.25,
    );
    const held = highestPrice(priceAt(priceOf(all), minute), 100, "priority");
    expect(charge(held, { ...noUsage, input: 100, output: 100 })).toBe(300 + 600);
  });
});

describe("T33: searches and calls have prices beside the tokens", () => {
  const terms = {
    SearchPrices: { m: { search: "10" }, free: { search: "10" }, fixed: { call: "1" } },
  };
  const cent = 5_000;

  test("each search of an answer has its price, and the group's ratio counts", () => {
    expect(costOf(terms, { input: 100, searches: 3 })).toBe(100 + 3 * cent);
    expect(costOf(terms, { input: 100, searches: 3 }, "m", "half")).toBe(50 + (3 * cent) / 2);
    expect(costOf(terms, { input: 100 })).toBe(100);
  });

  test("or a call that searched has one, however often it did, or every call has", () => {
    const SearchPrices = { m: { searchingCall: "35", call: "5" } };
    expect(costOf({ SearchPrices }, { input: 100 })).toBe(100 + 2_500);
    expect(costOf({ SearchPrices }, { input: 100, searches: 1 })).toBe(100 + 2_500 + 17_500);
    expect(costOf({ SearchPrices }, { input: 100, searches: 9 })).toBe(100 + 2_500 + 17_500);
  });

  test("a call without any tokens costs nothing, and a fixed price is all", () => {
    expect(costOf({ SearchPrices: { m: { call: "5" } } }, {})).toBe(0);
    expect(costOf(terms, { input: 1, searches: 3 }, "fixed")).toBe(5_000);
  });

  test("the searches of a free model are not free", () => {
    expect(costOf(terms, { input: 100 }, "free")).toBe(1);
    expect(costOf(terms, { input: 100, searches: 1 }, "free")).toBe(cent);
    expect(costOf({}, { input: 100, searches: 1 }, "free")).toBe(0);
  });

  test("fractions of a unit are rounded with the tokens, once", () => {
    const SearchPrices = { m: { search: "0.0009" } };
    const third = { ...plain, SearchPrices, ModelRatio: { m: "0.3" } };
    const price = unitPrice(third, "m", "default");
    if (price === undefined) throw new Error("no price");
    expect(charge(price, { ...noUsage, input: 1, searches: 1 })).toBe(1);
    expect(charge(price, { ...noUsage, input: 2, searches: 2 })).toBe(2);
    expect(chargeSearches(price, 2)).toBe(1);
    expect(chargeSearches(price, 3)).toBe(2);
    expect(chargeSearches(price, 0)).toBe(0);
  });
});

describe("T33: kinds of tokens have a price of their own", () => {
  test("one that no ratio of twelve places gives is exact", () => {
    // 0.3 and 2.5 dollars per million: the ratio of output to input is 8.333…
    const exact = {
      ...plain,
      ModelRatio: { m: "0.15" },
      TokenKindPrices: { m: { output: "1.25" } },
    };
    const price = unitPrice(exact, "m", "default");
    if (price === undefined) throw new Error("no price");
    expect(charge(price, { ...noUsage, output: 8_000_000_000_000 })).toBe(10_000_000_000_000);
    expect(charge(price, { ...noUsage, reasoning: 4 })).toBe(5);
    expect(charge(price, { ...noUsage, outputImage: 4 })).toBe(5);
  });

  test("reasoning differs from output", () => {
    const terms = { TokenKindPrices: { m: { reasoning: "7" } } };
    expect(costOf(terms, { output: 10, reasoning: 10 })).toBe(40 + 70);
    expect(costOf({}, { output: 10, reasoning: 10 })).toBe(80);
  });

  test("cached audio and images are a part of cached input", () => {
    const terms = { TokenKindPrices: { m: { cacheAudio: "5", cacheImage: "3" } } };
    const usage = { cacheRead: 100, cacheAudio: 30, cacheImage: 20 };
    expect(costOf(terms, usage)).toBe(5 + 150 + 60);
    expect(costOf({}, usage)).toBe(10);
    // More than there is cannot be charged.
    expect(costOf(terms, { cacheRead: 10, cacheAudio: 30, cacheImage: 20 })).toBe(50);
  });

  test("long prompts, tiers and hours multiply them by the factor of their side", () => {
    const terms = {
      TokenKindPrices: {
        m: { reasoning: "7", cacheAudio: "5", inputAudio: "11", outputAudio: "13" },
      },
      LongContextPrices: { m: { above: 1, ratio: "2", cache: "3", completion: "0.5" } },
    };
    const used = { reasoning: 2, inputAudio: 10, outputAudio: 2, cacheRead: 10, cacheAudio: 10 };
    expect(costOf(terms, used)).toBe(7 + 220 + 13 + 150);
  });
});

test("a list of an earlier version, without such terms, charges as before", () => {
  const { HourPrices: _, SearchPrices: __, TokenKindPrices: ___, ...before } = plain;
  const price = unitPrice(priceList.parse(before), "m", "default");
  const usage = { ...noUsage, input: 10, cacheRead: 10, output: 10, searches: 3, minute: 5 };
  expect(price && charge(price, usage)).toBe(10 + 1 + 40);
});

describe("options of these terms", () => {
  const read = (name: "SearchPrices" | "HourPrices" | "TokenKindPrices", value: unknown) =>
    parseOption(name, JSON.stringify(value));

  test("take numbers and decimal text, and show what is charged", () => {
    const window = { from: "16:30", until: "00:30" };
    const hours = read("HourPrices", { m: [{ ...window, ratio: 0.5 }] });
    const value = { m: [{ ...window, ratio: "0.5", cache: "0.5", completion: "0.5" }] };
    expect(hours).toEqual({ ok: true, value });
    const shown = showOption("HourPrices", value);
    expect(parseOption("HourPrices", shown)).toEqual({ ok: true, value });
    expect(read("SearchPrices", { m: { search: 10, call: "0.50" } })).toEqual({
      ok: true,
      value: { m: { search: "10", call: "0.5" } },
    });
    expect(read("TokenKindPrices", { m: { reasoning: 1e-3 } })).toEqual({
      ok: true,
      value: { m: { reasoning: "0.001" } },
    });
  });

  const times = "from 和 until 必须是两个不同的 UTC 时间，例如 16:30";
  const searching = "只能设置 call、search、searchingCall，至少一项";
  test.each<["SearchPrices" | "HourPrices" | "TokenKindPrices", unknown, string]>([
    ["HourPrices", {}, "必须是 1 到 12 个时段的数组"],
    ["HourPrices", [], "必须是 1 到 12 个时段的数组"],
    ["HourPrices", [{ from: "16:30", until: "16:30" }], times],
    ["HourPrices", [{ from: "24:00", until: "16:30" }], times],
    ["HourPrices", [{ from: "1:00", until: "16:30" }], times],
    ["HourPrices", [{ from: 1, until: "16:30" }], times],
    ["HourPrices", [{ form: "" }], "时段只能设置 from、until、ratio、cache 和 completion"],
    [
      "HourPrices",
      [{ from: "01:00", until: "02:00", ratio: 0 }],
      "01:00-02:00 的 ratio 必须大于 0，不超过 1000，小数最多 12 位",
    ],
    ["SearchPrices", {}, searching],
    ["SearchPrices", 3, searching],
    ["SearchPrices", { searches: 1 }, searching],
    ["SearchPrices", { search: -1 }, "search：不能小于 0：-1"],
    ["SearchPrices", { search: null }, "search：不是数字："],
    ["TokenKindPrices", { reasoning: "x" }, "reasoning：不是数字：x"],
  ])("refuse %s %j, and say why", (name, value, message) => {
    expect(read(name, { m: value })).toEqual({ ok: false, message: `${name}：m：${message}` });
  });

  test("refuse a kind that has no price of its own", () => {
    expect(read("TokenKindPrices", { m: { input: 1 } })).toMatchObject({ ok: false });
    expect(read("TokenKindPrices", { m: {} })).toMatchObject({ ok: false });
  });
});
