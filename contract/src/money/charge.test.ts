import { describe, expect, test } from "bun:test";
import {
  charge,
  type ChargedUsage,
  chargedUsage,
  noUsage,
  type PriceList,
  priceList,
  unitPrice,
} from "./charge.ts";
import { decimalText, scaled } from "./decimals.ts";
import { defaultPriceList } from "./default-prices.ts";

type Maps = Partial<PriceList>;
type Counts = Partial<ChargedUsage>;
type Row = readonly [what: string, list: Maps, usage: Counts, quota: number];

/** A price list that knows only the model `m` and the group `default`. */
const plain: PriceList = {
  QuotaPerUnit: "500000",
  GroupRatio: { default: "1" },
  ModelRatio: {},
  CompletionRatio: {},
  ModelPrice: {},
  CacheRatio: {},
  CreateCacheRatio: {},
  CreateCacheRatio1h: {},
  ImageRatio: {},
  AudioRatio: {},
  AudioCompletionRatio: {},
};

/**
 * Returns the cost of a call in quota units. Undefined: there is no price, so the gateway would
 * refuse the call.
 */
function costOf(list: Maps, usage: Counts, model = "m", group = "default"): number | undefined {
  const price = unitPrice({ ...plain, ...list }, model, group);
  return price === undefined ? undefined : charge(price, { ...noUsage, ...usage });
}

const ratio = (text: string): Maps => ({ ModelRatio: { m: text } });
const fixed = (text: string): Maps => ({ ModelPrice: { m: text } });
const group = (text: string): Maps => ({ GroupRatio: { default: text } });

const gpt4o: Maps = {
  ...ratio("1.25"),
  CompletionRatio: { m: "4" },
  CacheRatio: { m: "0.5" },
};
const gpt4oAudio: Maps = { ...gpt4o, AudioRatio: { m: "16" }, AudioCompletionRatio: { m: "2" } };
const claude: Maps = {
  ...ratio("1.5"),
  CompletionRatio: { m: "5" },
  CacheRatio: { m: "0.1" },
  CreateCacheRatio: { m: "1.25" },
};

const formulas: readonly Row[] = [
  ["(100 + 30×4) × 1.25", gpt4o, { input: 100, output: 30 }, 275],
  ["thinking is output", gpt4o, { input: 100, output: 10, reasoning: 20 }, 275],
  ["(60 + 40×0.5 + 30×4) × 1.25", gpt4o, { input: 60, cacheRead: 40, output: 30 }, 250],
  [
    "(10 + 1000×0.1 + 200×1.25 + 50×5) × 1.5",
    claude,
    { input: 10, cacheRead: 1_000, cacheWrite5m: 200, output: 50 },
    915,
  ],
  [
    "writing to a cache: 100×1.25 + 100×2",
    ratio("1"),
    { cacheWrite5m: 100, cacheWrite1h: 100 },
    325,
  ],
  [
    "for an hour at a ratio of its own: 100 × 2.5 × 1.5",
    { ...claude, CreateCacheRatio1h: { m: "2.5" } },
    { cacheWrite1h: 100 },
    375,
  ],
  [
    "(10 + 5×4 + 100×16 + 20×16×2) × 1.25 = 2837.5",
    gpt4oAudio,
    { input: 10, output: 5, inputAudio: 100, outputAudio: 20 },
    2_838,
  ],
  ["audio without a ratio: 3×20 + 2×20×2", ratio("1"), { inputAudio: 3, outputAudio: 2 }, 140],
  [
    "images: 10×2.5 read, 4×3 made",
    { ...ratio("1"), CompletionRatio: { m: "3" }, ImageRatio: { m: "2.5" } },
    { inputImage: 10, outputImage: 4 },
    37,
  ],
  ["embeddings: 1000 × 0.05", ratio("0.05"), { input: 1_000 }, 50],
  [
    "other ratios absent are 1",
    ratio("1"),
    { input: 7, cacheRead: 7, inputImage: 7, output: 7 },
    28,
  ],
  ["0.04 × 500000, whatever was used", fixed("0.04"), { input: 1, output: 1_000_000 }, 20_000],
  ["a fixed price before ratios", { ...gpt4o, ...fixed("0.00001") }, { input: 1_000_000 }, 5],
  ["0.04 × 1000000", { ...fixed("0.04"), QuotaPerUnit: "1000000" }, { input: 1 }, 40_000],
  ["ratios without QuotaPerUnit", { ...gpt4o, QuotaPerUnit: "1" }, { input: 100, output: 30 }, 275],
  ["275 × 0.8", { ...gpt4o, ...group("0.8") }, { input: 100, output: 30 }, 220],
  ["20000 × 0.333", { ...fixed("0.04"), ...group("0.333") }, { input: 1 }, 6_660],
];

const tiny = "0.000000000001";

const rounding: readonly Row[] = [
  ["0.5 is 1", ratio("0.5"), { input: 1 }, 1],
  ["1.5 is 2", ratio("0.5"), { input: 3 }, 2],
  ["2.5 is 3, not the even 2", ratio("0.5"), { input: 5 }, 3],
  ["2.499999999999 is 2", ratio("2.499999999999"), { input: 1 }, 2],
  ["0.4 + 0.4 + 0.4 is 1, not 0", ratio("0.4"), { input: 1, output: 1, cacheRead: 1 }, 1],
  ["0.6 + 0.6 is 1, not 2", ratio("0.6"), { input: 1, reasoning: 1 }, 1],
  [
    "twelve places twice: 3×10^9 × 10^−24 × 5×10^14 = 1.5 is 2",
    { ...ratio(tiny), CompletionRatio: { m: tiny }, ...group("500000000000000") },
    { output: 3_000_000_000 },
    2,
  ],
  [
    "and 10^−12 of that below is 1",
    { ...ratio(tiny), CompletionRatio: { m: tiny }, ...group("499999999999999.5") },
    { output: 3_000_000_000 },
    1,
  ],
  [
    "twelve places in each audio ratio: 2.5×10^7 × 10^11 × 10^−7 × 10^−6 is 250000",
    {
      ...ratio("100000000000"),
      AudioRatio: { m: "0.0000001" },
      AudioCompletionRatio: { m: "0.000001" },
    },
    { outputAudio: 25_000_000 },
    250_000,
  ],
];

const least: readonly Row[] = [
  ["10^−6 of a unit costs 1", ratio("0.000001"), { input: 1 }, 1],
  ["also at a fixed price", fixed(tiny), { input: 1 }, 1],
  ["also in a group near 0", { ...gpt4o, ...group(tiny) }, { output: 1 }, 1],
  [
    "also when ratios multiply to less than 10^−12",
    { ...ratio("1"), AudioRatio: { m: "0.000001" }, AudioCompletionRatio: { m: "0.0000001" } },
    { outputAudio: 1 },
    1,
  ],
  [
    "also when all that was used is free",
    { ...gpt4o, CacheRatio: { m: "0" } },
    { cacheRead: 9 },
    1,
  ],
  ["noUsage used costs noUsage", gpt4o, {}, 0],
  ["nor at a fixed price", fixed("0.04"), {}, 0],
  ["a ratio of 0 is free", { ...gpt4o, ...ratio("0") }, { input: 9, output: 9 }, 0],
  ["0.0 is 0", { ...gpt4o, ...ratio("0.0") }, { input: 9 }, 0],
  ["a fixed price of 0 is free", fixed("0"), { input: 9 }, 0],
  ["also where a ratio is set", { ...gpt4o, ...fixed("0") }, { input: 9 }, 0],
  ["a group at 0 is free", { ...gpt4o, ...group("0") }, { input: 9 }, 0],
  ["also at a fixed price", { ...fixed("0.04"), ...group("0.000") }, { input: 9 }, 0],
];

const most: readonly Row[] = [
  ["2^53 − 1 is exact", ratio("1"), { input: 9_007_199_254_740_991 }, 9_007_199_254_740_991],
  [
    "and so is the sum 2^53 − 1 of its parts",
    ratio("1"),
    { input: 9_007_199_254_740_990, output: 1 },
    9_007_199_254_740_991,
  ],
  ["0.5 more is held to it", ratio("1.5"), { input: 6_004_799_503_160_661 }, 9_007_199_254_740_991],
  [
    "and so is more than a float holds",
    ratio("999999999999999"),
    { input: 10_000_000 },
    2 ** 53 - 1,
  ],
  ["a fixed price too", fixed("999999999999999"), { input: 1 }, 2 ** 53 - 1],
];

for (const [title, rows] of Object.entries({ formulas, rounding, least, most })) {
  describe(`a charge is exact: ${title}`, () => {
    for (const [what, list, usage, quota] of rows) {
      test(what, () => expect(costOf(list, usage)).toBe(quota));
    }
  });
}

/**
 * Prices for which floats give a result that is off by one. The formula is model ratio × group
 * ratio × (input + output × completion ratio).
 */
const floatTraps: readonly (readonly [
  model: string,
  group: string,
  completion: string,
  input: number,
  output: number,
  quota: number,
])[] = [
  ["1.005", "1", "1", 100, 0, 101],
  ["0.145", "1", "1", 100, 0, 15],
  ["0.285", "1", "1", 100, 0, 29],
  ["4.35", "1", "4", 10, 100, 1_784],
  ["4.35", "0.7", "1", 0, 100, 305],
  ["1.25", "0.7", "4", 20, 30, 123],
  ["1.25", "0.7", "1.2", 0, 30, 32],
  ["1.15", "1", "8", 30, 100, 955],
  ["0.35", "1", "4", 30, 15, 32],
  ["1000000.499999999999", "1", "1", 1, 0, 1_000_000],
];

describe("where a float is off by one, the charge is not", () => {
  for (const [model, groupRatio, completion, input, output, quota] of floatTraps) {
    test(`${model} × ${groupRatio} × (${input} + ${output} × ${completion}) is ${quota}`, () => {
      const list = { ...ratio(model), ...group(groupRatio), CompletionRatio: { m: completion } };
      const float = (input + output * Number(completion)) * Number(model) * Number(groupRatio);

      expect(costOf(list, { input, output })).toBe(quota);
      expect(Math.abs(Math.round(float) - quota)).toBe(1);
    });
  }
});

describe("what has no price is refused, never guessed", () => {
  test("an unknown model and an unknown group have none", () => {
    expect(costOf(gpt4o, { input: 1 }, "n")).toBeUndefined();
    expect(costOf(gpt4o, { input: 1 }, "m", "vip")).toBeUndefined();
    expect(costOf({ ...gpt4o, ...fixed("1") }, { input: 1 }, "m", "vip")).toBeUndefined();
    expect(costOf({ CompletionRatio: { m: "4" } }, { output: 1 })).toBeUndefined();
  });

  // Looking up a price of such a name as a plain property would find what every JavaScript object
  // inherits, and charge by it.
  for (const name of ["__proto__", "constructor", "toString", "hasOwnProperty", "valueOf"]) {
    test(`nor has a model or group that nobody priced, called ${name}`, () => {
      expect(costOf(gpt4o, { input: 1 }, name)).toBeUndefined();
      expect(costOf(gpt4o, { input: 1 }, "m", name)).toBeUndefined();
    });

    test(`and a model called ${name} is charged by its own ratio and no inherited factor`, () => {
      const own = Object.fromEntries([[name, "3"]]);
      expect(costOf({ ModelRatio: own }, { input: 2, output: 5, outputAudio: 1 }, name)).toBe(141);
      expect(costOf({ ...gpt4o, GroupRatio: own }, { input: 100 }, "m", name)).toBe(375);
    });
  }
});

describe("prices are decimals as text", () => {
  test("every digit counts", () => {
    expect(scaled("0.000000000001")).toBe(1n);
    expect(scaled("999999999999999.999999999999")).toBe(999_999_999_999_999_999_999_999_999n);
    expect(scaled("1.5")).toBe(1_500_000_000_000n);
    expect(scaled("007")).toBe(7_000_000_000_000n);
  });

  for (const text of ["-1", "1e3", ".5", "5.", "", " 1", "1,5", "0x10", "NaN", "1".repeat(16)]) {
    test(`"${text}" is none`, () => expect(decimalText.safeParse(text).success).toBeFalse());
  }

  test("thirteen places are refused rather than cut", () => {
    expect(decimalText.safeParse("0.0000000000001").success).toBeFalse();
    expect(priceList.safeParse({ ...plain, ModelRatio: { m: 1.5 } }).success).toBeFalse();
  });

  test("counts that are negative, broken or missing are refused", () => {
    for (const output of [-1, 0.5, Number.NaN, Number.POSITIVE_INFINITY, 2 ** 53, "1", undefined]) {
      expect(chargedUsage.safeParse({ ...noUsage, output }).success).toBeFalse();
    }
  });
});

test("a call's price is multiplied in thousandths, and rounded once", () => {
  const list = { ...defaultPriceList, ModelPrice: { picture: "0.00001" } };
  const price = unitPrice(list, "picture", "default");
  if (price === undefined) throw new Error("no price");
  const cost = (callThousandths: number) =>
    charge(price, { ...noUsage, input: 1, callThousandths });

  // 5 units a call: 2.25 and 22.5 units are rounded half up, once.
  expect([cost(1_000), cost(450), cost(4_500), cost(1)]).toEqual([5, 2, 23, 1]);
});
