import { expect, test } from "bun:test";
import { charge, noUsage, type PriceList, unitPrice } from "@tollgate/contract/money/charge.ts";
import type { LogCharge } from "@tollgate/contract/endpoints/log-charges.ts";
import { formulaText } from "#widgets/money/formula-text.ts";
import { formulaOf } from "./log-formula.ts";
import { type LogView, viewOf } from "./log-view.ts";

const prices: PriceList = {
  QuotaPerUnit: "500000",
  GroupRatio: { vip: "0.8" },
  ModelRatio: { "gpt-4o": "1.25" },
  CompletionRatio: { "gpt-4o": "4" },
  ModelPrice: {},
  CacheRatio: { "gpt-4o": "0.5" },
  CreateCacheRatio: {},
  CreateCacheRatio1h: {},
  ImageRatio: {},
  AudioRatio: { "gpt-4o": "16" },
  AudioCompletionRatio: {},
};

function rowOf(part: Partial<LogView> & { other?: string } = {}): LogView {
  return viewOf({
    id: 1,
    user_id: 7,
    username: "alice",
    created_at: 1_800_000_000,
    type: 2,
    content: "",
    token_id: 1,
    token_name: "laptop",
    model_name: "gpt-4o",
    quota: 0,
    prompt_tokens: 0,
    completion_tokens: 0,
    use_time: 1,
    is_stream: false,
    group: "vip",
    other: "",
    channel: 0,
    request_id: "req",
    usage_source: "upstream",
    seen_output: 0,
    conversation_id: 0,
    placement: "",
    moved_quota: 0,
    tool_names: [],
    tags: [],
    ending: "",
    price_version: 1,
    losses: [],
    reversed: false,
    refunded: 0,
    rerated: 0,
    ...part,
  });
}

function keptOf(part: Partial<LogCharge>): Omit<LogCharge, "rerates"> {
  return { usage: noUsage, prices, write_off: 0, ...part };
}

test("O-435: the formula shows the row's numbers, and its result is the charge", () => {
  const usage = { ...noUsage, input: 1_060, cacheRead: 40, output: 30 };
  const formula = formulaOf(rowOf({ quota: 1_200 }), keptOf({ usage }), 500_000);

  expect(formula).toMatchObject({ kind: "tokens", due: 1_200, charged: 1_200, isKept: true });
  expect(formula && formulaText(formula)).toBe("(1,060 + 40 × 0.5 + 30 × 4) × 1.25 × 0.8 = 1,200");
  expect(formula?.kind === "tokens" && formula.terms).toEqual([
    { bucket: "input", count: 1_060, isOwn: false, factor: "1", perMillion: "2", quota: "1060" },
    { bucket: "cacheRead", count: 40, isOwn: false, factor: "0.5", perMillion: "1", quota: "20" },
    { bucket: "output", count: 30, isOwn: false, factor: "4", perMillion: "8", quota: "120" },
  ]);
});

test("T33: the formula has searches, the hour, and prices of single kinds beside the model ratio", () => {
  const usage = {
    ...noUsage,
    input: 1_000,
    cacheRead: 40,
    cacheAudio: 10,
    output: 30,
    reasoning: 5,
    searches: 2,
    minute: 0,
  };
  const night = { from: "22:00", until: "06:00", ratio: "0.5", cache: "1", completion: "2" };
  const terms = {
    HourPrices: { "gpt-4o": [night] },
    SearchPrices: { "gpt-4o": { search: "10", searchingCall: "1" } },
    TokenKindPrices: { "gpt-4o": { reasoning: "7", cacheAudio: "3" } },
  };
  const kept = keptOf({ usage, prices: { ...prices, ...terms } });
  // ((1000 × 0.5 + 30 × 0.5 + 30 × 4 × 2) × 1.25 + 10 × 3 + 5 × 7 × 2 + 2 × 5000 + 500) × 0.8
  const formula = formulaOf(rowOf({ quota: 9_235 }), kept, 500_000);
  expect(formula).toMatchObject({ due: 9_235, exact: "9235", hours: night });
  expect(formula && formulaText(formula)).toBe(
    "((1,000 × 0.5 + 30 × 0.5 + 30 × 8) × 1.25 + 10 × 3 + 5 × 14 + 2 × 5,000 + 1 × 500) × 0.8 = 9,235",
  );
});

test("T33: the searches that another gateway has logged are in the formula", () => {
  const other = JSON.stringify({
    model_ratio: 1.25,
    group_ratio: 0.8,
    web_search: true,
    web_search_call_count: 2,
    web_search_price: 10,
  });
  const row = rowOf({ other, quota: 8_100, prompt_tokens: 100 });
  const formula = formulaOf(row, keptOf({ usage: null, prices: null }), 500_000);
  expect(formula?.kind === "tokens" && formula.extras).toEqual([
    { kind: "search", count: 2, dollars: "10", each: "5000" },
  ]);
});

test("T25: the formula of a long prompt has the factors by which it was charged", () => {
  const usage = { ...noUsage, input: 1_000, cacheRead: 40, output: 30 };
  const LongContextPrices = { "gpt-4o": { above: 1_000, ratio: "2", completion: "1.5" } };
  const kept = keptOf({ usage, prices: { ...prices, LongContextPrices } });
  const formula = formulaOf(rowOf({ quota: 2_220 }), kept, 500_000);

  expect(formula).toMatchObject({ due: 2_220, long: LongContextPrices["gpt-4o"] });
  expect(formula && formulaText(formula)).toBe("(1,000 × 2 + 40 + 30 × 6) × 1.25 × 0.8 = 2,220");
  const short = keptOf({ ...kept, usage: { ...usage, input: 960 } });
  expect(formulaOf(rowOf(), short, 500_000)).toMatchObject({ due: 1_100, long: undefined });
});

test("T25: a row without stored prices has those of long prompts in itself", () => {
  const other = JSON.stringify({
    model_ratio: 1.25,
    completion_ratio: 4,
    group_ratio: 0.8,
    cache_ratio: 0.5,
    cache_tokens: 40,
    long_context: { above: 1_000, ratio: 2, completion_ratio: 1.5 },
  });
  const row = rowOf({ quota: 2_220, prompt_tokens: 1_040, completion_tokens: 30, other });
  expect(formulaOf(row, keptOf({ usage: null, prices: null }), 500_000)).toMatchObject({
    due: 2_220,
    isKept: false,
  });
});

test("T25: the formula of a service tier has the factors by which it was charged", () => {
  const usage = { ...noUsage, input: 1_000, cacheRead: 40, output: 30, tier: "priority" } as const;
  const priority = { ratio: "2", cache: "3", completion: "1.5" };
  const ServiceTierPrices = { "gpt-4o": { priority } };
  const kept = keptOf({ usage, prices: { ...prices, ServiceTierPrices } });
  const formula = formulaOf(rowOf({ quota: 2_240 }), kept, 500_000);

  expect(formula).toMatchObject({ due: 2_240, long: undefined });
  expect(formula).toMatchObject({ tier: { name: "priority", ...priority } });
  expect(formula && formulaText(formula)).toBe(
    "(1,000 × 2 + 40 × 1.5 + 30 × 6) × 1.25 × 0.8 = 2,240",
  );
  const plain = keptOf({ ...kept, usage: { ...usage, tier: undefined } });
  expect(formulaOf(rowOf(), plain, 500_000)).toMatchObject({ due: 1_140, tier: undefined });
  const unpriced = keptOf({ ...kept, usage: { ...usage, tier: "scale" } });
  expect(formulaOf(rowOf(), unpriced, 500_000)).toMatchObject({ due: 1_140, tier: undefined });
});

test("T25: a row without stored prices has those of its service tier in itself", () => {
  const other = JSON.stringify({
    model_ratio: 1.25,
    completion_ratio: 4,
    group_ratio: 0.8,
    cache_ratio: 0.5,
    cache_tokens: 40,
    service_tier: { tier: "priority", ratio: 2, cache_ratio: 3, completion_ratio: 1.5 },
  });
  const row = rowOf({ quota: 2_240, prompt_tokens: 1_040, completion_tokens: 30, other });
  expect(formulaOf(row, keptOf({ usage: null, prices: null }), 500_000)).toMatchObject({
    due: 2_240,
    tier: { name: "priority" },
    isKept: false,
  });
});

// Operators rely on this screen to explain charges, so it must agree with billing for any numbers.
test("O-435: for any counts and ratios, terms add up and the result is what billing charges", () => {
  let seed = 12_345;
  const random = (max: number): number => {
    seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648;
    return seed % max;
  };
  const decimal = (): string => `${random(40)}.${String(random(1_000_000)).padStart(6, "0")}`;
  for (let round = 0; round < 300; round += 1) {
    const counts = Object.fromEntries(
      Object.keys(noUsage).map((bucket) => [bucket, random(3) === 0 ? random(2_000_000) : 0]),
    ) as Record<keyof typeof noUsage, number>; // safe cast: the keys are those of `noUsage`
    const tiered = random(2) === 0 ? counts : { ...counts, tier: "priority" as const };
    const rare = { searches: random(9), minute: random(1_440), cacheAudio: random(99) };
    const usage = random(2) === 0 ? tiered : { ...tiered, ...rare };
    const factors = { ratio: decimal(), cache: decimal(), completion: decimal() };
    const window = { from: "22:00", until: "06:00", ...factors };
    const list: PriceList = {
      ...prices,
      GroupRatio: { vip: decimal() },
      ModelRatio: { "gpt-4o": random(9) === 0 ? "0" : decimal() },
      CacheRatio: random(2) === 0 ? {} : { "gpt-4o": decimal() },
      AudioCompletionRatio: random(2) === 0 ? {} : { "gpt-4o": decimal() },
      ModelPrice: random(5) === 0 ? { "gpt-4o": decimal() } : {},
      LongContextPrices:
        random(2) === 0
          ? {}
          : { "gpt-4o": { above: 1 + random(2_000_000), ratio: decimal(), completion: decimal() } },
      ServiceTierPrices:
        random(3) === 0
          ? {}
          : {
              "gpt-4o": { priority: { ratio: decimal(), cache: decimal(), completion: decimal() } },
            },
      HourPrices: random(3) === 0 ? { "gpt-4o": [window] } : {},
      SearchPrices: random(3) === 0 ? { "gpt-4o": { call: decimal(), search: decimal() } } : {},
      TokenKindPrices: random(3) === 0 ? { "gpt-4o": { output: decimal() } } : {},
    };
    const price = unitPrice(list, "gpt-4o", "vip");
    const due = price === undefined ? -1 : charge(price, usage);
    const formula = formulaOf(rowOf({ quota: due }), keptOf({ usage, prices: list }), 1);

    expect(formula?.due).toBe(due);
    if (formula?.kind !== "tokens") continue;
    const places = (text: string): bigint => {
      const [whole = "", part = ""] = text.split(".");
      return BigInt(whole + part.padEnd(84, "0"));
    };
    const group = places(formula.groupRatio);
    const one = 10n ** 84n;
    const beside = formula.extras.reduce(
      (total, { count, each }) => total + BigInt(count) * places(each) * one * group,
      0n,
    );
    const sum = formula.terms.reduce((total, { quota }) => total + places(quota), 0n);
    const product = formula.terms.reduce((total, { count, factor, isOwn }) => {
      const by = isOwn ? one : places(formula.modelRatio);
      return total + BigInt(count) * places(factor) * by * group;
    }, beside);
    expect(sum * one * one + beside).toBe(places(formula.exact) * one * one);
    expect(product).toBe(places(formula.exact) * one * one);
  }
});

test("a charge below one unit is charged as one, and the formula shows both", () => {
  const formula = formulaOf(
    rowOf({ quota: 1 }),
    keptOf({
      usage: { ...noUsage, input: 1 },
      prices: { ...prices, ModelRatio: { "gpt-4o": "0.075" } },
    }),
    500_000,
  );
  expect(formula && formulaText(formula)).toBe("1 × 0.075 × 0.8 = 0.06 ≈ 1");
});

test("a price a call is multiplied with the units of a dollar and the group's ratio", () => {
  const formula = formulaOf(
    rowOf({ quota: 16_000 }),
    keptOf({
      usage: { ...noUsage, input: 9 },
      prices: { ...prices, ModelPrice: { "gpt-4o": "0.04" } },
    }),
    1,
  );
  expect(formula).toMatchObject({ kind: "call", due: 16_000 });
  expect(formula && formulaText(formula)).toBe("$0.04 × 500,000 × 0.8 = 16,000");
});

test("several or large pictures multiply the price a call", () => {
  const formula = formulaOf(
    rowOf({ quota: 24_000 }),
    keptOf({
      usage: { ...noUsage, input: 9, callThousandths: 1_500 },
      prices: { ...prices, ModelPrice: { "gpt-4o": "0.04" } },
    }),
    1,
  );
  expect(formula).toMatchObject({ kind: "call", due: 24_000 });
  expect(formula && formulaText(formula)).toBe("$0.04 × 500,000 × 1.5 × 0.8 = 24,000");
});

test("O-435: the formula of a task has its seconds, results, mode and size, and gives what was charged", () => {
  const factors = { per: "second" as const, modes: { pro: "1.5" }, sizes: { "1080p": "2" } };
  const task = { seconds: 5, count: 2, mode: "pro", size: "1080p" };
  const kept = keptOf({
    usage: { ...noUsage, task },
    prices: {
      ...prices,
      ModelPrice: { "gpt-4o": "0.04" },
      TaskPriceFactors: { "gpt-4o": factors },
    },
  });
  const formula = formulaOf(rowOf({ quota: 480_000 }), kept, 1);
  expect(formula).toMatchObject({ kind: "call", due: 480_000, exact: "480000" });
  expect(formula && formulaText(formula)).toBe("$0.04 × 500,000 × 5 × 2 × 1.5 × 2 × 0.8 = 480,000");
  const plain = { ...prices, ModelPrice: { "gpt-4o": "0.04" } };
  const once = keptOf({ usage: { ...noUsage, task: { ...task, count: 1 } }, prices: plain });
  const drawn = formulaOf(rowOf({ quota: 16_000 }), once, 1);
  expect(drawn && formulaText(drawn)).toBe("$0.04 × 500,000 × 0.8 = 16,000");
});

test("audio is weighed by both of its ratios, also when the list has no value for one", () => {
  const usage = { ...noUsage, inputAudio: 10, outputAudio: 10 };
  const formula = formulaOf(rowOf({ quota: 480 }), keptOf({ usage }), 500_000);
  expect(formula && formulaText(formula)).toBe("(10 × 16 + 10 × 32) × 1.25 × 0.8 = 480");
});

test("if the formula does not give the charge, the screen says so", () => {
  const usage = { ...noUsage, input: 100 };
  const formula = formulaOf(rowOf({ quota: 90 }), keptOf({ usage }), 500_000);
  expect(formula).toMatchObject({ due: 100, charged: 90, writeOff: 0 });
});

test("a row of another gateway is computed from the ratios in the row, and says so", () => {
  const other = JSON.stringify({
    model_ratio: 1.25,
    group_ratio: 0.8,
    completion_ratio: 4,
    model_price: -1,
    cache_tokens: 40,
    cache_ratio: 0.5,
  });
  const row = rowOf({ other, quota: 200, prompt_tokens: 100, completion_tokens: 30 });
  const nothing = { usage: null, prices: null, write_off: 0 };

  expect(formulaOf(row, nothing, 500_000)).toMatchObject({ due: 200, isKept: false });
  const claude = rowOf({
    other: other.replace("{", '{"claude":true,'),
    prompt_tokens: 60,
    completion_tokens: 30,
  });
  expect(formulaOf(claude, nothing, 500_000)).toMatchObject({ due: 200 });
  expect(formulaOf(rowOf({ other: "{}" }), nothing, 500_000)).toBeNull();
  expect(formulaOf(rowOf({ other: '{"model_ratio":-1}' }), nothing, 500_000)).toBeNull();
  expect(formulaOf(rowOf({ other: "[" }), nothing, 500_000)).toBeNull();
});

test("a row without stored prices has those of a cache that stays for an hour in itself", () => {
  const other = JSON.stringify({
    model_ratio: 1.25,
    group_ratio: 0.8,
    completion_ratio: 4,
    model_price: -1,
    cache_creation_tokens: 300,
    cache_creation_ratio: 1.5,
    cache_creation_tokens_5m: 200,
    cache_creation_ratio_5m: 1.25,
    cache_creation_tokens_1h: 100,
    cache_creation_ratio_1h: 2,
  });
  const row = rowOf({ other, quota: 490, prompt_tokens: 300, completion_tokens: 10 });
  const nothing = { usage: null, prices: null, write_off: 0 };
  expect(formulaOf(row, nothing, 500_000)).toMatchObject({ due: 490, isKept: false });
});

test("a row without tokens has no charge, and its formula can still be read", () => {
  const formula = formulaOf(rowOf(), keptOf({}), 500_000);
  expect(formula && formulaText(formula)).toBe("0 × 1.25 × 0.8 = 0");
});
