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
import { type AskedTier, chargedTier, type ServedTier } from "./service-tiers.ts";

const priority = { ratio: "2", cache: "1.5", completion: "3" };
const flex = { ratio: "0.5", cache: "1", completion: "0.5" };
const fast = { ratio: "6", cache: "6", completion: "6" };

const tiered: PriceList = {
  ...defaultPriceList,
  GroupRatio: { default: "1", third: "0.333333333333" },
  ModelRatio: { m: "2", free: "0" },
  CompletionRatio: { m: "4" },
  CacheRatio: { m: "0.1" },
  ModelPrice: { fixed: "0.01" },
  LongContextPrices: {},
  ServiceTierPrices: {
    m: { priority, flex, fast },
    free: { priority },
    fixed: { priority },
  },
};

function costOf(usage: Partial<ChargedUsage>, model = "m", group = "default", list = tiered) {
  const price = unitPrice(list, model, group);
  if (price === undefined) throw new Error("no price");
  return charge(price, { ...noUsage, ...usage });
}

describe("T25: a service tier has a price of its own", () => {
  test("input, input from a cache, and output each have their factor", () => {
    expect(costOf({ input: 1_000 })).toBe(2_000);
    expect(costOf({ input: 1_000, tier: "priority" })).toBe(4_000);
    expect(costOf({ cacheRead: 1_000, tier: "priority" })).toBe(300);
    expect(costOf({ cacheRead: 1_000, tier: "flex" })).toBe(200);
    expect(costOf({ cacheWrite5m: 1_000, tier: "priority" })).toBe(5_000);
    expect(costOf({ cacheWrite1h: 1_000, tier: "priority" })).toBe(8_000);
    expect(costOf({ inputAudio: 1_000, tier: "priority" })).toBe(80_000);
    expect(costOf({ inputImage: 1_000, tier: "priority" })).toBe(4_000);
    expect(costOf({ input: 1, output: 1_000, tier: "flex" })).toBe(4_001);
    expect(costOf({ input: 1, reasoning: 1_000, tier: "priority" })).toBe(24_004);
    expect(costOf({ input: 1, outputImage: 1_000, tier: "priority" })).toBe(24_004);
    expect(costOf({ input: 1, outputAudio: 1_000, tier: "priority" })).toBe(4 + 1_000 * 240);
  });

  test("a tier without a price costs what the default one costs", () => {
    expect(costOf({ input: 1_000, tier: "scale" })).toBe(2_000);
    const { ServiceTierPrices: _, ...before } = tiered;
    expect(costOf({ input: 1_000, tier: "priority" }, "m", "default", before)).toBe(2_000);
  });

  test("the factors of a long prompt multiply those of the tier", () => {
    const LongContextPrices = { m: { above: 200, ratio: "2", completion: "1.5" } };
    const list = { ...tiered, LongContextPrices };
    const long = { input: 1_000, output: 100 } as const;
    expect(costOf({ ...long, tier: "fast" }, "m", "default", list)).toBe(
      1_000 * 2 * 2 * 6 + 100 * 8 * 1.5 * 6,
    );
    expect(costOf({ input: 200, tier: "fast" }, "m", "default", list)).toBe(200 * 2 * 6);
  });

  test("a free model stays free, and a price per call is one", () => {
    expect(costOf({ input: 1_000, tier: "priority" }, "free")).toBe(0);
    expect(costOf({ input: 1_000, tier: "priority" }, "fixed")).toBe(5_000);
  });

  test("twelve decimal places in every factor are charged exactly, and rounded once", () => {
    const list: PriceList = {
      ...tiered,
      ModelRatio: { m: "0.333333333333" },
      CompletionRatio: { m: "1.000000000001" },
      LongContextPrices: { m: { above: 1, ratio: "1.999999999999", completion: "1.5" } },
      ServiceTierPrices: {
        m: { priority: { ratio: "1.750000000001", cache: "1", completion: "1.333333333333" } },
      },
    };
    const scale = 10n ** 12n;
    const [third, input, output] = [333_333_333_333n, 1_999_999_999_999n, 1_500_000_000_000n];
    const [ratio, completion] = [1_750_000_000_001n, 1_333_333_333_333n];
    const exact =
      7_654_321n * third * third * input * ratio * scale +
      1_234_567n * third * third * output * completion * 1_000_000_000_001n;
    const due = Number((exact + scale ** 5n / 2n) / scale ** 5n);
    const usage = { input: 7_654_321, output: 1_234_567, tier: "priority" } as const;
    expect(costOf(usage, "m", "third", list)).toBe(due);
  });

  test("what a call may cost is the highest price that may come true, kind by kind", () => {
    const LongContextPrices = { m: { above: 100, ratio: "2", completion: "0.5" } };
    const price = unitPrice({ ...tiered, LongContextPrices }, "m", "default");
    if (price === undefined) throw new Error("no price");
    const usage = { ...noUsage, input: 10, output: 10 };
    const most = (tier: AskedTier, inputMax: number): number =>
      charge(highestPrice(price, inputMax, tier), usage);
    expect(most("default", 100)).toBe(20 + 80);
    expect(most("priority", 100)).toBe(40 + 240);
    expect(most("auto", 100)).toBe(40 + 240);
    expect(most("fast", 100)).toBe(120 + 480);
    // Asked for flex, a call may be served in the default tier.
    expect(most("flex", 100)).toBe(20 + 80);
    expect(most("scale", 100)).toBe(20 + 80);
    expect(most("priority", 101)).toBe(80 + 240);
    expect(most("priority", Infinity)).toBe(80 + 240);
  });
});

describe("T25: which tier is charged", () => {
  test.each<[AskedTier, ServedTier, ReturnType<typeof chargedTier>]>([
    ["priority", "priority", "priority"],
    ["priority", "", "priority"],
    ["priority", "default", undefined],
    // No document says that a call for one tier may get such another.
    ["priority", "flex", "priority"],
    ["flex", "default", undefined],
    ["flex", "priority", "flex"],
    ["fast", "default", undefined],
    ["default", "flex", undefined],
    ["default", "priority", undefined],
    ["auto", "priority", "priority"],
    ["auto", "flex", "flex"],
    ["auto", "scale", "scale"],
    ["auto", "default", undefined],
    ["auto", "", undefined],
    ["auto", "fast", undefined],
    ["auto", "batch", undefined],
  ])("asked for %s, served by %j: charged %j", (asked, served, charged) => {
    expect(chargedTier(asked, served)).toBe(charged);
  });
});

describe("option ServiceTierPrices", () => {
  const read = (value: unknown) => parseOption("ServiceTierPrices", JSON.stringify(value));

  test("takes numbers and decimal text; cached input costs as other input unless set", () => {
    const sent = { m: { priority: { ratio: 2, completion: "1.50" }, flex: { cache: 0.5 } } };
    const value = {
      m: {
        priority: { ratio: "2", cache: "2", completion: "1.5" },
        flex: { ratio: "1", cache: "0.5", completion: "1" },
      },
    };
    expect(read(sent)).toEqual({ ok: true, value });
    const shown = showOption("ServiceTierPrices", value);
    expect(parseOption("ServiceTierPrices", shown)).toEqual({ ok: true, value });
  });

  const tiers = "batch、fast、flex、priority、scale、ultrafast";
  const unknown = (name: string) => `m：服务等级 ${name} 无效，只能是 ${tiers}`;
  const known = "m：flex 只能设置 ratio、cache 和 completion";
  const factor = (name: string) => `m：flex 的 ${name} 必须大于 0，不超过 1000，小数最多 12 位`;
  const none = `m：至少要设置一个服务等级：${tiers}`;
  test.each<[unknown, string]>([
    [[], "不是合法的 JSON 字符串"],
    [{ m: 2 }, none],
    [{ m: {} }, none],
    [{ m: { turbo: { ratio: 2 } } }, unknown("turbo")],
    [{ m: { default: { ratio: 2 } } }, unknown("default")],
    [{ m: { auto: { ratio: 2 } } }, unknown("auto")],
    [{ m: { Priority: { ratio: 2 } } }, unknown("Priority")],
    [{ m: { flex: 2 } }, known],
    [{ m: { flex: { ratios: 2 } } }, known],
    [{ m: { flex: { ratio: 0 } } }, factor("ratio")],
    [{ m: { flex: { ratio: -1 } } }, factor("ratio")],
    [{ m: { flex: { ratio: 1, cache: "Infinity" } } }, factor("cache")],
    [{ m: { flex: { completion: 1_000.5 } } }, factor("completion")],
    [{ m: { flex: { completion: "0.0000000000001" } } }, factor("completion")],
    [{ " m": { flex: {} } }, "名称长度必须在 1-255 之间，且首尾无空格： m"],
  ])("refuses %j, and says why", (value, message) => {
    expect(read(value)).toEqual({ ok: false, message: `ServiceTierPrices：${message}` });
  });
});
