/**
 * The price of a token of each kind, as `charge.ts` needs it: the factors of the price list,
 * multiplied.
 */

import type { Bucket, LongContext, PriceList, ServiceTierFactors } from "./charge.ts";
import { decimalPlacesMax, scaled } from "./decimals.ts";
import { type AskedTier, autoTiers, serviceTier } from "./service-tiers.ts";
import { type WholeRates, wholeRates } from "./whole-rates.ts";

/**
 * The decimal places of a rate. The longest product has six decimals of 12 places each: model ×
 * group × long prompt × service tier × audio × audio completion.
 */
export const ratePlaces = 6 * decimalPlacesMax;

/** The factor by which a rate is larger than the price in quota units. */
export const rateScale = 10n ** BigInt(ratePlaces);

export const one = scaled("1");

type Rates = Readonly<Record<Bucket, bigint>>;

/** Quota units per token of each kind, as whole numbers × 10^`ratePlaces`. */
type TokenPrice = {
  readonly kind: "tokens";
  readonly rates: Rates;
  /** The same rates for charges that numbers compute exactly; null: only BigInts do. */
  readonly whole: WholeRates | null;
};

/** What the tokens of a call cost in one service tier. */
export type TokenPrices = TokenPrice & {
  /** Absent: a long prompt costs the same. */
  readonly long?: LongPrice;
};

type LongPrice = {
  /** The most input tokens of a call that is not long. */
  readonly above: number;
  readonly price: TokenPrice;
  /** The higher rate of both prices, kind by kind: what a call costs at most that may be long. */
  readonly highest: TokenPrice;
};

type TierPrices = {
  /** By the tier that a call is charged for; without an entry, the default tier's price. */
  readonly charged: Readonly<Partial<Record<AskedTier, TokenPrices>>>;
  /**
   * What a call costs at most, by the tier that it asks for: any tier may turn into the default
   * one, and `auto` into one of several. Without an entry, the default tier's price.
   */
  readonly held: Readonly<Partial<Record<AskedTier, TokenPrices>>>;
};

export type TieredPrice = TokenPrices & {
  /** Absent: all service tiers cost the same. */
  readonly tiers?: TierPrices;
};

/**
 * Makes the prices of a model in all service tiers.
 *
 * @param pair model × group.
 */
export function pricesOfTiers(list: PriceList, model: string, pair: bigint): TieredPrice {
  const price = tokenPrices(list, model, pair, { ratio: one, cache: one, completion: one });
  const tiers = tierPrices(list, model, pair, price);
  return tiers === undefined ? price : { ...price, tiers };
}

function tokenPrices(
  list: PriceList,
  model: string,
  pair: bigint,
  tier: { readonly ratio: bigint; readonly cache: bigint; readonly completion: bigint },
): TokenPrices {
  const price = tokenPrice(list, model, {
    input: pair * one * tier.ratio,
    cached: pair * one * tier.cache,
    output: pair * one * tier.completion,
  });
  const long = longContextOf(list, model);
  if (long === undefined) return price;
  const input = pair * scaled(long.ratio);
  const longPrice = tokenPrice(list, model, {
    input: input * tier.ratio,
    cached: input * tier.cache,
    output: pair * scaled(long.completion) * tier.completion,
  });
  return {
    ...price,
    long: { above: long.above, price: longPrice, highest: highestOf(price, longPrice) },
  };
}

function tierPrices(
  list: PriceList,
  model: string,
  pair: bigint,
  price: TokenPrices,
): TierPrices | undefined {
  const factors = serviceTiersOf(list, model);
  if (factors === undefined) return undefined;
  const charged: Partial<Record<AskedTier, TokenPrices>> = {};
  const held: Partial<Record<AskedTier, TokenPrices>> = {};
  let auto = price;
  for (const tier of serviceTier.options) {
    const given = factors[tier];
    if (given === undefined) continue;
    const { ratio, cache, completion } = given;
    const of = { ratio: scaled(ratio), cache: scaled(cache), completion: scaled(completion) };
    const tiered = tokenPrices(list, model, pair, of);
    charged[tier] = tiered;
    held[tier] = highestPrices(price, tiered);
    if (autoTiers.has(tier)) auto = highestPrices(auto, tiered);
  }
  return { charged, held: { ...held, auto } };
}

function highestPrices(a: TokenPrices, b: TokenPrices): TokenPrices {
  const highest = highestOf(a, b);
  if (a.long === undefined || b.long === undefined) return highest;
  const long = {
    above: a.long.above,
    price: highestOf(a.long.price, b.long.price),
    highest: highestOf(a.long.highest, b.long.highest),
  };
  return { ...highest, long };
}

/** Returns the factors of a model's service tiers; undefined: they cost the same. */
export function serviceTiersOf(
  { ServiceTierPrices: prices = {} }: Pick<PriceList, "ServiceTierPrices">,
  model: string,
): ServiceTierFactors | undefined {
  return Object.hasOwn(prices, model) ? prices[model] : undefined;
}

/** Returns what calls of a model with a long prompt cost; undefined: as much as others. */
export function longContextOf(
  { LongContextPrices: prices = {} }: Pick<PriceList, "LongContextPrices">,
  model: string,
): LongContext | undefined {
  return Object.hasOwn(prices, model) ? prices[model] : undefined;
}

/**
 * Makes the price of tokens of all kinds.
 *
 * @param base model × group × what a long prompt multiplies × what the service tier multiplies: for
 *   input, for input read from a cache, and for output.
 */
function tokenPrice(
  list: PriceList,
  model: string,
  base: { readonly input: bigint; readonly cached: bigint; readonly output: bigint },
): TokenPrice {
  const input = base.input * one;
  const output = base.output * one * factor(list.CompletionRatio, model, one);
  const audio = factor(list.AudioRatio, model, 20n * one);
  const audioCompletion = factor(list.AudioCompletionRatio, model, 2n * one);
  return priceOf({
    input: input * one,
    cacheRead: base.cached * one * factor(list.CacheRatio, model, one),
    cacheWrite5m: input * factor(list.CreateCacheRatio, model, (5n * one) / 4n),
    cacheWrite1h: input * factor(list.CreateCacheRatio1h, model, 2n * one),
    inputAudio: input * audio,
    inputImage: input * factor(list.ImageRatio, model, one),
    output,
    reasoning: output,
    outputAudio: base.output * audio * audioCompletion,
    outputImage: output,
  });
}

function priceOf(rates: Rates): TokenPrice {
  return { kind: "tokens", rates, whole: wholeRates(rates, rateScale) };
}

/** Returns the higher rate of both prices, kind by kind. */
function highestOf({ rates: a }: TokenPrice, { rates: b }: TokenPrice): TokenPrice {
  const higher = (name: Bucket): bigint => (a[name] > b[name] ? a[name] : b[name]);
  return priceOf({
    input: higher("input"),
    cacheRead: higher("cacheRead"),
    cacheWrite5m: higher("cacheWrite5m"),
    cacheWrite1h: higher("cacheWrite1h"),
    inputAudio: higher("inputAudio"),
    inputImage: higher("inputImage"),
    output: higher("output"),
    reasoning: higher("reasoning"),
    outputAudio: higher("outputAudio"),
    outputImage: higher("outputImage"),
  });
}

/**
 * Returns the value that the map itself has for a name, ignoring what every JavaScript object
 * inherits.
 */
export function own(map: Readonly<Record<string, string>>, name: string): string | undefined {
  return Object.hasOwn(map, name) ? map[name] : undefined;
}

export function factor(
  map: Readonly<Record<string, string>>,
  model: string,
  absent: bigint,
): bigint {
  const text = own(map, model);
  return text === undefined ? absent : scaled(text);
}
