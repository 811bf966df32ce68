import { describe, expect, test } from "bun:test";
import {
  charge,
  type ChargedUsage,
  highestPrice,
  noUsage,
  type PriceList,
  unitPrice,
} from "./charge.ts";
import { defaultPriceList } from "./default-prices.ts";
import { parseOption, showOption } from "@tollgate/contract/options/options.ts";

/** 3 and 15 dollars per million tokens; above 200,000 input tokens 6 and 22.5. */
const sonnet: PriceList = {
  ...defaultPriceList,
  GroupRatio: { default: "1", third: "0.333333333333" },
  ModelRatio: { m: "1.5", free: "0" },
  CompletionRatio: { m: "5", free: "5" },
  CacheRatio: { m: "0.1" },
  ModelPrice: { fixed: "0.01" },
  LongContextPrices: Object.fromEntries(
    ["m", "free", "fixed"].map((model) => [
      model,
      { above: 200_000, ratio: "2", completion: "1.5" },
    ]),
  ),
};

function costOf(usage: Partial<ChargedUsage>, model = "m", group = "default", list = sonnet) {
  const price = unitPrice(list, model, group);
  if (price === undefined) throw new Error("no price");
  return charge(price, { ...noUsage, ...usage });
}

describe("T25: calls above a number of input tokens have prices of their own", () => {
  test("all tokens of such a call, from the first token above on", () => {
    expect(costOf({ input: 200_000, output: 1_000 })).toBe(200_000 * 1.5 + 1_000 * 7.5);
    expect(costOf({ input: 200_001, output: 1_000 })).toBe(200_001 * 3 + 1_000 * 11.25);
  });

  test("what a cache gives and takes, sound and pictures count as input; output does not", () => {
    expect(costOf({ input: 1, cacheRead: 200_000 })).toBe(3 + 60_000);
    expect(costOf({ input: 1, cacheWrite5m: 200_000 })).toBe(3 + 200_000 * 3 * 1.25);
    expect(costOf({ input: 1, cacheWrite1h: 200_000 })).toBe(3 + 200_000 * 3 * 2);
    expect(costOf({ input: 1, inputAudio: 200_000 })).toBe(3 + 200_000 * 3 * 20);
    expect(costOf({ input: 1, inputImage: 200_000 })).toBe(3 + 200_000 * 3);
    expect(costOf({ input: 1, output: 200_000 })).toBe(Math.round(1.5 + 200_000 * 7.5));
  });

  test("every kind of output has the factor of output", () => {
    const long = { input: 200_001 };
    const input = 200_001 * 3;
    expect(costOf({ ...long, reasoning: 100 })).toBe(input + 100 * 11.25);
    expect(costOf({ ...long, outputImage: 100 })).toBe(input + 100 * 11.25);
    // Sound costs 20 times as much as text when it is heard, and twice that when it is said.
    expect(costOf({ ...long, outputAudio: 100 })).toBe(input + 100 * 1.5 * 1.5 * 20 * 2);
  });

  test("twelve decimal places in every factor are charged exactly, and rounded once", () => {
    const list: PriceList = {
      ...sonnet,
      ModelRatio: { m: "0.333333333333" },
      CompletionRatio: { m: "1.000000000001" },
      LongContextPrices: { m: { above: 1, ratio: "1.999999999999", completion: "1.5" } },
    };
    const scale = 10n ** 12n;
    const [third, input, output] = [333_333_333_333n, 1_999_999_999_999n, 1_500_000_000_000n];
    const exact =
      7_654_321n * third * third * input * scale +
      1_234_567n * third * third * output * 1_000_000_000_001n;
    const due = Number((exact + scale ** 4n / 2n) / scale ** 4n);
    expect(costOf({ input: 7_654_321, output: 1_234_567 }, "m", "third", list)).toBe(due);
  });

  test("a free model stays free, and a price per call is one", () => {
    expect(costOf({ input: 300_000, output: 1 }, "free")).toBe(0);
    expect(costOf({ input: 300_000, output: 1 }, "fixed")).toBe(5_000);
  });

  test("the most that a call can cost has the higher of both prices, kind by kind", () => {
    const LongContextPrices = { m: { above: 10, ratio: "2", completion: "0.5" } };
    const price = unitPrice({ ...sonnet, LongContextPrices }, "m", "default");
    if (price === undefined) throw new Error("no price");
    const usage = { ...noUsage, input: 10, output: 10 };
    expect(charge(highestPrice(price, 10, "default"), usage)).toBe(10 * 1.5 + 10 * 7.5);
    expect(charge(highestPrice(price, 11, "default"), usage)).toBe(10 * 3 + 10 * 7.5);
  });

  test("a list of an earlier version, without such prices, charges as before", () => {
    const { LongContextPrices: _, ...before } = sonnet;
    expect(costOf({ input: 300_000 }, "m", "default", before)).toBe(450_000);
    expect(costOf({ input: 300_000 }, "m", "default", { ...sonnet, LongContextPrices: {} })).toBe(
      450_000,
    );
  });
});

describe("option LongContextPrices", () => {
  const read = (value: unknown) => parseOption("LongContextPrices", JSON.stringify(value));

  test("takes numbers and decimal text, and shows what is charged", () => {
    const parsed = read({ m: { above: 200_000, ratio: 2, completion: "1.50" } });
    const value = { m: { above: 200_000, ratio: "2", completion: "1.5" } };
    expect(parsed).toEqual({ ok: true, value });
    const shown = showOption("LongContextPrices", value);
    expect(parseOption("LongContextPrices", shown)).toEqual({ ok: true, value });
    expect(read({ m: { above: 1, ratio: 1e-12 } })).toEqual({
      ok: true,
      value: { m: { above: 1, ratio: "0.000000000001", completion: "1" } },
    });
  });

  test("takes further steps, and shows them", () => {
    const further = [{ above: 9, ratio: "3", completion: "2", cache: "1" }];
    const value = { m: { above: 1, ratio: "2", completion: "1.5", cache: "0.5", further } };
    expect(read(value)).toEqual({ ok: true, value });
    expect(parseOption("LongContextPrices", showOption("LongContextPrices", value))).toEqual({
      ok: true,
      value,
    });
  });

  const above = "LongContextPrices：m 的 above 必须是 1 到 10000000 之间的整数";
  const known = "LongContextPrices：m 只能设置 above、ratio、completion、cache 和 further";
  const factor = (name: string) =>
    `LongContextPrices：m 的 ${name} 必须大于 0，不超过 1000，小数最多 12 位`;
  const rising = "LongContextPrices：m 的每个档位的 above 必须大于前一个档位";
  const notJson = "LongContextPrices：不是合法的 JSON 字符串";
  test.each<[unknown, string]>([
    [[], notJson],
    [null, notJson],
    [3, notJson],
    [{ m: 2 }, known],
    [{ m: null }, known],
    [{ m: { above: 1, ratios: 2 } }, known],
    [{ m: { ratio: 2 } }, above],
    [{ m: { above: 0, ratio: 2 } }, above],
    [{ m: { above: "200000", ratio: 2 } }, above],
    [{ m: { above: 1.5, ratio: 2 } }, above],
    [{ m: { above: 10_000_001, ratio: 2 } }, above],
    [{ m: { above: 9, further: [{ above: 9 }] } }, rising],
    [{ m: { above: 1, further: [{ above: 3 }, { above: 2 }] } }, rising],
    [
      { m: { above: 1, further: {} } },
      "LongContextPrices：m 的 further 必须是最多 12 个档位的数组",
    ],
    [
      { m: { above: 1, further: [{ above: 2, further: [] }] } },
      "LongContextPrices：m 只能设置 above、ratio、completion 和 cache",
    ],
    [{ m: { above: 1, cache: 0 } }, factor("cache")],
    [{ m: { above: 1, ratio: 0 } }, factor("ratio")],
    [{ m: { above: 1, ratio: -2 } }, factor("ratio")],
    [{ m: { above: 1, ratio: null } }, factor("ratio")],
    [{ m: { above: 1, ratio: "Infinity" } }, factor("ratio")],
    [{ m: { above: 1, completion: 1_000.5 } }, factor("completion")],
    [{ m: { above: 1, completion: "0.0000000000001" } }, factor("completion")],
    [{ " m": { above: 1 } }, "LongContextPrices：名称长度必须在 1-255 之间，且首尾无空格： m"],
    [
      Object.fromEntries(Array.from({ length: 1_001 }, (_, at) => [`m${at}`, { above: 1 }])),
      "LongContextPrices：最多 1000 个模型",
    ],
  ])("refuses %j, and says why", (value, message) => {
    expect(read(value)).toEqual({ ok: false, message });
  });

  test("a number too large for JavaScript is no factor", () => {
    const text = '{"m": {"above": 1, "ratio": 1e999}}';
    expect(parseOption("LongContextPrices", text)).toEqual({
      ok: false,
      message: factor("ratio"),
    });
  });
});
