/**
 * The price of a token of each kind, as `charge.ts` needs it: the factors of the price list,
 * multiplied.
 */

import type { Bucket, PriceList } from "./charge.ts";
import { decimalPlacesMax, scaled } from "./decimals.ts";
import {
  type SearchPrices,
  type HourWindow,
  type LongContext,
  type LongStep,
  minuteOfTime,
  minutesOfDay,
  type PricedKind,
  type ServiceTierFactors,
  type TokenKindPrices,
} from "./price-terms.ts";
import { type AskedTier, autoTiers, serviceTier } from "./service-tiers.ts";
import { type WholeRates, wholeRates } from "./whole-rates.ts";

/**
 * The decimal places of a rate. The longest product has seven decimals of 12 places each: model ×
 * group × long prompt × service tier × hour × audio × audio completion.
 */
export const ratePlaces = 7 * decimalPlacesMax;

/** The factor by which a rate is larger than the price in quota units. */
export const rateScale = 10n ** BigInt(ratePlaces);

export const one = scaled("1");

/** The kinds of tokens that have a rate: those that usage counts, and parts of cached input. */
export type RateName = Bucket | "cacheAudio" | "cacheImage";
type Rates = Readonly<Record<RateName, bigint>>;

/** Quota units per call and per search × 10^`ratePlaces`. */
export type SearchRates = {
  readonly call: bigint;
  readonly search: bigint;
  readonly searchingCall: bigint;
};

/** Quota units per token of each kind, as whole numbers × 10^`ratePlaces`. */
type TokenPrice = {
  readonly kind: "tokens";
  readonly rates: Rates;
  /** Null: there are none. */
  readonly searching: SearchRates | null;
  /** The same rates for charges that numbers compute exactly; null: only BigInts do. */
  readonly whole: WholeRates | null;
};

/** What the tokens of a call cost in one service tier. */
export type TokenPrices = TokenPrice & {
  /** The prices of long prompts, each above the one before it. Absent: they cost the same. */
  readonly long?: readonly LongPrice[];
};

type LongPrice = {
  /** The most input tokens of a call that is not as long. */
  readonly above: number;
  readonly price: TokenPrice;
  /** The highest rate of this price and all shorter ones, kind by kind. */
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

type TieredPrice = TokenPrices & {
  /** Absent: all service tiers cost the same. */
  readonly tiers?: TierPrices;
};

/** The price at some hours of the day: minutes from `from`, below `until`, past midnight if need be. */
type HourPrice = { readonly from: number; readonly until: number; readonly price: TieredPrice };

export type HourlyPrice = TieredPrice & {
  /** Absent: all hours cost the same. */
  readonly hours?: readonly HourPrice[];
};

type Factors = { readonly ratio: bigint; readonly cache: bigint; readonly completion: bigint };

const noFactors: Factors = { ratio: one, cache: one, completion: one };

function factorsOf(of: Pick<HourWindow, "cache" | "completion" | "ratio">): Factors {
  return { ratio: scaled(of.ratio), cache: scaled(of.cache), completion: scaled(of.completion) };
}

/** The prices of one model for one group, which are made variant by variant. */
type Maker = {
  readonly list: PriceList;
  readonly model: string;
  readonly group: bigint;
  readonly searching: SearchRates | null;
  /** The factors of the hour. */
  readonly hour: Factors;
};

/** Makes the prices of a model for a group at all hours, in all service tiers. */
export function pricesOfHours(list: PriceList, model: string, group: bigint): HourlyPrice {
  const maker: Maker = {
    list,
    model,
    group,
    searching: searchRatesOf(list, model, group),
    hour: noFactors,
  };
  const price = pricesOfTiers(maker);
  const windows = hoursOf(list, model);
  if (windows === undefined) return price;
  const hours = windows.map((window): HourPrice => {
    const { from, until } = window;
    const times = { from: minuteOfTime(from), until: minuteOfTime(until) };
    return { ...times, price: pricesOfTiers({ ...maker, hour: factorsOf(window) }) };
  });
  return { ...price, hours };
}

/** Whether a minute of the day is in a window of hours. */
export function isInHours(
  { from, until }: { readonly from: number; readonly until: number },
  minute: number,
): boolean {
  const length = (until - from + minutesOfDay) % minutesOfDay || minutesOfDay;
  return (minute - from + minutesOfDay) % minutesOfDay < length;
}

/** Returns the first hours that contain a minute. A function of its own: calls make no closure. */
export function hourAt(all: readonly HourPrice[], minute: number): HourPrice | undefined {
  return all.find((hours) => isInHours(hours, minute));
}

/** Converts dollars per 1,000 to quota units × 10^`ratePlaces`; exact, as the scale ends in zeros. */
function searchRatesOf(list: PriceList, model: string, group: bigint): SearchRates | null {
  const prices = searchPricesOf(list, model);
  if (prices === undefined) return null;
  const unit = (rateScale * scaled(list.QuotaPerUnit) * group) / (one * one * one * 1_000n);
  const of = (dollars = "0"): bigint => scaled(dollars) * unit;
  return {
    call: of(prices.call),
    search: of(prices.search),
    searchingCall: of(prices.searchingCall),
  };
}

function pricesOfTiers(maker: Maker): TieredPrice {
  const price = tokenPrices(maker, noFactors);
  const tiers = tierPrices(maker, price);
  return tiers === undefined ? price : { ...price, tiers };
}

function tokenPrices(maker: Maker, tier: Factors): TokenPrices {
  const { list, model, hour } = maker;
  const input = tier.ratio * hour.ratio;
  const cached = tier.cache * hour.cache;
  const output = tier.completion * hour.completion;
  const of = (ratio: bigint, cache: bigint, completion: bigint): TokenPrice =>
    tokenPrice(maker, {
      input: input * ratio,
      cached: cached * cache,
      output: output * completion,
    });
  const price = of(one, one, one);
  const steps = longContextOf(list, model);
  if (steps === undefined) return price;
  let highest = price;
  const long = stepsOf(steps).map(({ above, ratio, completion, cache = ratio }): LongPrice => {
    const stepPrice = of(scaled(ratio), scaled(cache), scaled(completion));
    highest = highestOf(highest, stepPrice);
    return { above, price: stepPrice, highest };
  });
  return { ...price, long };
}

function tierPrices(maker: Maker, price: TokenPrices): TierPrices | undefined {
  const factors = serviceTiersOf(maker.list, maker.model);
  if (factors === undefined) return undefined;
  const charged: Partial<Record<AskedTier, TokenPrices>> = {};
  const held: Partial<Record<AskedTier, TokenPrices>> = {};
  let auto = price;
  for (const tier of serviceTier.options) {
    const given = factors[tier];
    if (given === undefined) continue;
    const tiered = tokenPrices(maker, factorsOf(given));
    charged[tier] = tiered;
    held[tier] = highestPrices(price, tiered);
    if (autoTiers.has(tier)) auto = highestPrices(auto, tiered);
  }
  return { charged, held: { ...held, auto } };
}

/** Both have the same steps of long prompts, since they are of one model. */
function highestPrices(a: TokenPrices, b: TokenPrices): TokenPrices {
  const highest = highestOf(a, b);
  if (a.long === undefined || b.long === undefined) return highest;
  const other = b.long;
  const long = a.long.flatMap(({ above, price, highest: most }, index): LongPrice[] => {
    const step = other[index];
    if (step === undefined) return [];
    const both = highestOf(most, step.highest);
    return [{ above, price: highestOf(price, step.price), highest: both }];
  });
  return { ...highest, long };
}

/** Returns the steps of a model's long prompts, as one list. */
export function stepsOf({ further = [], ...first }: LongContext): readonly LongStep[] {
  return [first, ...further];
}

/** Returns what a map has for a model; undefined: nothing of its own. */
function entryOf<Value>(
  map: Readonly<Record<string, Value>> | undefined,
  model: string,
): Value | undefined {
  return map !== undefined && Object.hasOwn(map, model) ? map[model] : undefined;
}

/** Returns the factors of a model's service tiers; undefined: they cost the same. */
export function serviceTiersOf(
  list: Pick<PriceList, "ServiceTierPrices">,
  model: string,
): ServiceTierFactors | undefined {
  return entryOf(list.ServiceTierPrices, model);
}

/** Returns what calls of a model with a long prompt cost; undefined: as much as others. */
export function longContextOf(
  list: Pick<PriceList, "LongContextPrices">,
  model: string,
): LongContext | undefined {
  return entryOf(list.LongContextPrices, model);
}

/** Returns the hours at which a model has another price; undefined: there are none. */
export function hoursOf(
  list: Pick<PriceList, "HourPrices">,
  model: string,
): readonly HourWindow[] | undefined {
  return entryOf(list.HourPrices, model);
}

/** Returns a model's prices of searches and calls; undefined: there are none. */
export function searchPricesOf(
  list: Pick<PriceList, "SearchPrices">,
  model: string,
): SearchPrices | undefined {
  return entryOf(list.SearchPrices, model);
}

/** Returns a model's prices of single kinds of tokens; undefined: there are none. */
export function kindPricesOf(
  list: Pick<PriceList, "TokenKindPrices">,
  model: string,
): TokenKindPrices | undefined {
  return entryOf(list.TokenKindPrices, model);
}

/** Whether the price of a kind is the model's own, and no product with the model ratio. */
export function isOwnPrice(
  list: Pick<PriceList, "TokenKindPrices">,
  model: string,
  name: RateName,
): boolean {
  const own = kindPricesOf(list, model);
  if (own === undefined || name === "input") return false;
  return own[name] !== undefined || own[likeness[name] ?? name] !== undefined;
}

/** The kinds that cost as much as another one as long as they have no price of their own. */
const likeness: Partial<Record<PricedKind, PricedKind>> = {
  cacheAudio: "cacheRead",
  cacheImage: "cacheRead",
  reasoning: "output",
  outputImage: "output",
};

/**
 * Makes the price of tokens of all kinds.
 *
 * @param base what the service tier, the hour and a long prompt multiply: for input, for input read
 *   from a cache, and for output.
 */
function tokenPrice(
  { list, model, group, searching }: Maker,
  base: { readonly input: bigint; readonly cached: bigint; readonly output: bigint },
): TokenPrice {
  const own = kindPricesOf(list, model);
  const ratio = factor(list.ModelRatio, model, 0n);
  const audio = factor(list.AudioRatio, model, 20n * one);
  const audioCompletion = factor(list.AudioCompletionRatio, model, 2n * one);
  /** The price of a kind, for which the model may have its own; all have two more factors. */
  const of = (kind: PricedKind, factors: bigint, absent: bigint): bigint => {
    const text = own?.[kind];
    return group * factors * (text === undefined ? absent : scaled(text) * one * one);
  };
  const plain = ratio * one;
  const cacheRead = plain * factor(list.CacheRatio, model, one);
  const completion = plain * factor(list.CompletionRatio, model, one);
  const output = of("output", base.output, completion);
  const cached = of("cacheRead", base.cached, cacheRead);
  const rates: Rates = {
    input: group * base.input * plain * one,
    cacheRead: cached,
    cacheWrite5m: of(
      "cacheWrite5m",
      base.input,
      plain * factor(list.CreateCacheRatio, model, (5n * one) / 4n),
    ),
    cacheWrite1h: of(
      "cacheWrite1h",
      base.input,
      plain * factor(list.CreateCacheRatio1h, model, 2n * one),
    ),
    inputAudio: of("inputAudio", base.input, plain * audio),
    inputImage: of("inputImage", base.input, plain * factor(list.ImageRatio, model, one)),
    cacheAudio: own?.cacheAudio === undefined ? cached : of("cacheAudio", base.cached, 0n),
    cacheImage: own?.cacheImage === undefined ? cached : of("cacheImage", base.cached, 0n),
    output,
    reasoning: own?.reasoning === undefined ? output : of("reasoning", base.output, 0n),
    outputAudio: of("outputAudio", base.output, ratio * audio * audioCompletion),
    outputImage: own?.outputImage === undefined ? output : of("outputImage", base.output, 0n),
  };
  return priceOf(rates, searching);
}

function priceOf(rates: Rates, searching: SearchRates | null): TokenPrice {
  return { kind: "tokens", rates, searching, whole: wholeRates(rates, searching, rateScale) };
}

/** Returns the price with some of its rates replaced. */
export function withRates(price: TokenPrices, rates: Partial<Rates>): TokenPrices {
  return priceOf({ ...price.rates, ...rates }, price.searching);
}

/** Returns the higher rate of both prices, kind by kind. */
function highestOf({ rates: a, searching }: TokenPrice, { rates: b }: TokenPrice): TokenPrice {
  const higher = (name: RateName): bigint => (a[name] > b[name] ? a[name] : b[name]);
  const rates: Rates = {
    input: higher("input"),
    cacheRead: higher("cacheRead"),
    cacheWrite5m: higher("cacheWrite5m"),
    cacheWrite1h: higher("cacheWrite1h"),
    inputAudio: higher("inputAudio"),
    inputImage: higher("inputImage"),
    cacheAudio: higher("cacheAudio"),
    cacheImage: higher("cacheImage"),
    output: higher("output"),
    reasoning: higher("reasoning"),
    outputAudio: higher("outputAudio"),
    outputImage: higher("outputImage"),
  };
  return priceOf(rates, searching);
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
