/** Compares charges computed in numbers with the formula in BigInts, over random prices and usages. */

import { expect, test } from "bun:test";
import {
  type Bucket,
  charge,
  type ChargedUsage,
  chargeText,
  noUsage,
  type PriceList,
  priceOfUsage,
  type UnitPrice,
  unitPrice,
} from "./charge.ts";
import {
  type LongContext,
  pricedKind,
  type ServiceTierFactors,
  type TierFactors,
} from "./price-terms.ts";
import { type AskedTier, type ServiceTier, serviceTier } from "./service-tiers.ts";
import type { HourlyPrice, TokenPrices } from "./token-price.ts";

/** Returns numbers in the range [0, 1), the same ones in each run. */
function openRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

const random = openRandom(20_261_123);
const below = (max: number): number => Math.floor(random() * max);

/** Returns a whole number up to 2^53 − 1; each length in bits is as likely as any other. */
const anyCount = (): number => Math.floor(2 ** (random() * 53)) - 1;

/** Ratios as operators write them, and any that the price list allows. */
function anyRatio(): string {
  const kind = below(10);
  if (kind === 0) return "0";
  if (kind < 3) return String(1 + below(40));
  if (kind < 8) return `${below(30)}.${String(below(1_000)).padStart(3, "0")}`;
  const places = 1 + below(12);
  return `${below(10 ** below(16))}.${String(below(10 ** places)).padStart(places, "0")}`;
}

function anyPrice(): UnitPrice {
  const anyFactor = (): string => anyRatio().replace(/^[0.]+$/, "1");
  const sometimes = (): Record<string, string> => (random() < 0.5 ? {} : { m: anyRatio() });
  const list: PriceList = {
    QuotaPerUnit: anyRatio(),
    GroupRatio: { g: random() < 0.5 ? "1" : anyRatio() },
    ModelRatio: { m: anyRatio() },
    CompletionRatio: sometimes(),
    ModelPrice: random() < 0.1 ? { m: anyRatio() } : {},
    CacheRatio: sometimes(),
    CreateCacheRatio: sometimes(),
    CreateCacheRatio1h: sometimes(),
    ImageRatio: sometimes(),
    AudioRatio: sometimes(),
    AudioCompletionRatio: sometimes(),
    LongContextPrices: random() < 0.5 ? {} : { m: anyLong(anyFactor) },
    ServiceTierPrices: random() < 0.5 ? {} : { m: anyTiers(anyFactor) },
    ...(random() < 0.85 ? {} : anyTerms(anyFactor)),
  };
  const price = unitPrice(list, "m", "g");
  if (price === undefined) throw new Error("a price is missing");
  return price;
}

function anyLong(anyFactor: () => string): LongContext {
  const above = 1 + below(200_000);
  const first = { above, ratio: anyFactor(), completion: anyFactor() };
  if (random() < 0.5) return first;
  const cache = anyFactor();
  return { ...first, further: [{ ...first, above: above + 1 + below(200_000), cache }] };
}

function anyTerms(
  anyFactor: () => string,
): Pick<PriceList, "SearchPrices" | "HourPrices" | "TokenKindPrices"> {
  const window = { ratio: anyFactor(), cache: anyFactor(), completion: anyFactor() };
  const kinds = pricedKind.options.filter(() => random() < 0.3);
  return {
    HourPrices: random() < 0.7 ? {} : { m: [{ from: "16:30", until: "00:30", ...window }] },
    SearchPrices: { m: random() < 0.5 ? {} : { call: anyRatio(), search: anyRatio() } },
    TokenKindPrices: { m: Object.fromEntries(kinds.map((kind) => [kind, anyRatio()])) },
  };
}

/** Any factors of about half of the service tiers. */
function anyTiers(anyFactor: () => string): ServiceTierFactors {
  const tiers: { [Tier in ServiceTier]?: TierFactors } = {};
  for (const tier of serviceTier.options) {
    if (random() < 0.5) continue;
    tiers[tier] = { ratio: anyFactor(), cache: anyFactor(), completion: anyFactor() };
  }
  return tiers;
}

const buckets = Object.keys(noUsage) as readonly Bucket[];
const pick = (): Bucket => buckets[below(buckets.length)] ?? "input";

/** Ordinary counts in two buckets, counts of any size in three, or one whose charge is near 2^53. */
function anyUsage(listed: UnitPrice): ChargedUsage {
  const usage: ReturnType<typeof anyTier> & Record<Bucket, number> = {
    ...noUsage,
    ...anyTier(),
    ...anyOthers(),
  };
  const price = priceOfUsage(listed, usage);
  const kind = below(8);
  if (kind < 5) {
    usage[pick()] = below(200_000);
    usage[pick()] = below(20_000);
  } else if (kind < 7 || price.kind === "call" || price.whole === null) {
    for (let part = 0; part < 3; part += 1) usage[pick()] = anyCount();
  } else {
    const name = pick();
    const rate = Math.max(1, price.whole[name]);
    usage[name] = Math.max(0, Math.floor(2 ** 53 / rate) + below(7) - 3);
    usage[pick()] += below(3);
  }
  return usage;
}

/** Mostly the default tier, or any other one. */
function anyTier(): Pick<ChargedUsage, "tier"> {
  const tier = serviceTier.options[below(2 * serviceTier.options.length)];
  return tier === undefined ? {} : { tier };
}

function anyOthers(): Partial<ChargedUsage> {
  if (random() < 0.5) return {};
  return {
    minute: below(1_440),
    searches: below(20),
    cacheAudio: below(30_000),
    cacheImage: below(30_000),
  };
}

function inBigInts(price: UnitPrice): UnitPrice {
  if (price.kind === "call") return price;
  const { hours, ...usual } = price;
  const exact = tiersInBigInts(usual);
  if (hours === undefined) return exact;
  return { ...exact, hours: hours.map((at) => ({ ...at, price: tiersInBigInts(at.price) })) };
}

function tiersInBigInts(price: HourlyPrice): HourlyPrice {
  const { tiers } = price;
  if (tiers === undefined) return withoutNumbers(price);
  const charged: { [Tier in AskedTier]?: TokenPrices } = {};
  for (const tier of serviceTier.options) {
    const tiered = tiers.charged[tier];
    if (tiered !== undefined) charged[tier] = withoutNumbers(tiered);
  }
  return { ...withoutNumbers(price), tiers: { ...tiers, charged } };
}

function withoutNumbers(price: TokenPrices): TokenPrices {
  const { long } = price;
  const exact = { ...price, whole: null };
  return long === undefined
    ? exact
    : { ...exact, long: long.map((step) => ({ ...step, price: { ...step.price, whole: null } })) };
}

const prices = 2_500;
const usagesEach = 400;

test("a charge in numbers is the charge in BigInts, for a million usages", () => {
  const wrong: unknown[] = [];
  let inNumbers = 0;
  for (let at = 0; at < prices; at += 1) {
    const price = anyPrice();
    const exact = inBigInts(price);
    if (price.kind === "tokens" && price.whole !== null) inNumbers += 1;
    for (let call = 0; call < usagesEach; call += 1) {
      const usage = anyUsage(price);
      const found = charge(price, usage);
      if (found !== charge(exact, usage)) wrong.push({ price, usage, found });
    }
  }

  expect(wrong.slice(0, 3)).toEqual([]);
  expect(inNumbers).toBeGreaterThan(prices * 0.45);
}, 30_000);

test("so is the charge of input and output alone", () => {
  const wrong: unknown[] = [];
  for (let at = 0; at < prices; at += 1) {
    const price = anyPrice();
    const exact = inBigInts(price);
    for (let call = 0; call < 20; call += 1) {
      const { input, output, tier } = anyUsage(price);
      const usage = { ...noUsage, input, output, tier };
      const found = chargeText(priceOfUsage(price, usage), input, output);
      if (found !== chargeText(priceOfUsage(exact, usage), input, output)) {
        wrong.push({ price, input, output, found });
      }
    }
  }

  expect(wrong.slice(0, 3)).toEqual([]);
});

test("products of two counts and rates are exact up to 2^53 − 1 and at no sum above it", () => {
  const rate = (text: string): UnitPrice => {
    const list: PriceList = { ...free, ModelRatio: { m: text } };
    return unitPrice(list, "m", "g") ?? { kind: "call", perCall: 0n, rounded: 0 };
  };
  for (const ratio of ["1", "0.5", "1.5", "0.000000000001", "3.333333333333", "7", "0.145"]) {
    const price = rate(ratio);
    const one = price.kind === "tokens" ? (price.whole?.input ?? 0) : 0;
    const most = Math.floor(Number.MAX_SAFE_INTEGER / Math.max(1, one));
    for (let input = Math.max(0, most - 40); input < most + 40; input += 1) {
      for (const output of [0, 1, 2, most]) {
        const usage = { ...noUsage, input, output };
        expect(charge(price, usage)).toBe(charge(inBigInts(price), usage));
      }
    }
  }
});

const free: PriceList = {
  QuotaPerUnit: "500000",
  GroupRatio: { g: "1" },
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
