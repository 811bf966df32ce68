/**
 * Computes what a call costs. Pure and exact: decimals are text and become scaled whole numbers,
 * every product is a BigInt, or a number where that is proven to be exact as well, and only the
 * final result is rounded. Bills, holds, audit and all
 * prices on screens use this file. A ratio of 1 is 1 quota unit per input token; with 500,000 units
 * per dollar that is 2 USD per million tokens.
 */

import { z } from "zod";
import { decimalText, scaled } from "./decimals.ts";
import { priceSources } from "./price-sources.ts";
import {
  searchPrices,
  hourPrices,
  longContextPrices,
  minuteOf,
  minutesOfDay,
  serviceTierPrices,
  tokenKindPrices,
} from "./price-terms.ts";
import { type AskedTier, serviceTier } from "./service-tiers.ts";
import {
  type SearchRates,
  factor,
  type HourlyPrice,
  hourAt,
  one,
  own,
  pricesOfHours,
  type RateName,
  rateScale,
  type TokenPrices,
  withRates,
} from "./token-price.ts";
import { cachedAudio, cachedImage, roundWhole, wholePart, wholeSum } from "./whole-rates.ts";

const decimalMap = z.record(z.string(), decimalText);

/**
 * What a task's fixed price is multiplied by, by model: seconds, if it is a price per second, and
 * factors by mode and by size; of a mode or size without a factor, 1.
 */
export const taskPriceFactors = z.record(
  z.string(),
  z.object({
    per: z.enum(["call", "second"]).default("call"),
    sizes: decimalMap.default({}),
    modes: decimalMap.default({}),
  }),
);
type TaskFactors = z.infer<typeof taskPriceFactors>[string];

/**
 * The whole price list, which is the content of one price version. Prices are by model, group
 * ratios by group.
 */
export const priceList = z.object({
  /** Quota units per US dollar. */
  QuotaPerUnit: decimalText,
  GroupRatio: decimalMap,
  /** Quota units per input token. */
  ModelRatio: decimalMap,
  /** The price of an output token relative to an input token; absent: 1. */
  CompletionRatio: decimalMap,
  /** US dollars per call; if set, the ratios of the model do not count. */
  ModelPrice: decimalMap,
  /** The price of a cached input token relative to an input token; absent: 1. */
  CacheRatio: decimalMap,
  /**
   * The price of a token written to a cache for 5 minutes, relative to an input token; absent:
   * 1.25.
   */
  CreateCacheRatio: decimalMap,
  /** The price of a token written to a cache for an hour, relative to an input token; absent: 2. */
  CreateCacheRatio1h: decimalMap,
  /** The price of an input image token relative to an input token; absent: 1. */
  ImageRatio: decimalMap,
  /** The price of an input audio token relative to an input token; absent: 20. */
  AudioRatio: decimalMap,
  /** The price of an output audio token relative to an input audio token; absent: 2. */
  AudioCompletionRatio: decimalMap,
  /** Absent: no task has factors, as in lists of earlier versions. */
  TaskPriceFactors: taskPriceFactors.optional(),
  /** Absent: a long prompt costs no more a token than a short one, as in lists of earlier versions. */
  LongContextPrices: longContextPrices.optional(),
  /** Absent: all service tiers cost the same, as in lists of earlier versions. */
  ServiceTierPrices: serviceTierPrices.optional(),
  /** Absent: all hours of the day cost the same, as in lists of earlier versions. */
  HourPrices: hourPrices.optional(),
  /** Absent: searches cost nothing, as in lists of earlier versions. */
  SearchPrices: searchPrices.optional(),
  /** Absent: ratios alone say what tokens cost, as in lists of earlier versions. */
  TokenKindPrices: tokenKindPrices.optional(),
  /** Where prices come from; absent: it was not noted, as in lists of earlier versions. */
  Sources: priceSources.optional(),
});
export type PriceList = z.infer<typeof priceList>;

/** The longest video, in seconds, and the most results that one task may ask for. */
const taskSecondsMax = 3_600;
const taskCountMax = 128;

/**
 * The token counts that a charge is computed from: whole numbers ≥ 0 that do not overlap. A call
 * without usage has only zeros.
 */
export const chargedUsage = z.object({
  input: z.number().int().min(0),
  cacheRead: z.number().int().min(0),
  cacheWrite5m: z.number().int().min(0),
  cacheWrite1h: z.number().int().min(0),
  inputAudio: z.number().int().min(0),
  inputImage: z.number().int().min(0),
  output: z.number().int().min(0),
  reasoning: z.number().int().min(0),
  outputAudio: z.number().int().min(0),
  outputImage: z.number().int().min(0),
  /**
   * By how much a call's price is multiplied, in thousandths: several pictures, or a large one,
   * cost more than one call. Absent: the price counts once.
   */
  callThousandths: z.number().int().min(0).optional(),
  /** The service tier that the call is charged for; absent: the default one. */
  tier: serviceTier.optional(),
  /** How many of `cacheRead` are tokens of audio; absent: 0. */
  cacheAudio: z.number().int().min(0).optional(),
  /** How many of `cacheRead` are tokens of images; absent: 0. */
  cacheImage: z.number().int().min(0).optional(),
  /** How many web searches the provider made for the call; absent: 0. */
  searches: z.number().int().min(0).optional(),
  /**
   * The minute of the day, in UTC, at which the call's quota was reserved; absent: the price is the
   * same at all hours.
   */
  minute: z
    .number()
    .int()
    .min(0)
    .max(minutesOfDay - 1)
    .optional(),
  /** What a task consists of; absent: the call was none. */
  task: z
    .object({
      seconds: z.number().int().min(1).max(taskSecondsMax),
      /** How many pictures, songs or videos it makes. */
      count: z.number().int().min(1).max(taskCountMax),
      mode: z.string(),
      size: z.string(),
    })
    .optional(),
});
export type ChargedUsage = z.infer<typeof chargedUsage>;
/** The kinds of tokens. */
export type Bucket = Exclude<
  keyof ChargedUsage,
  "cacheAudio" | "cacheImage" | "callThousandths" | "minute" | "searches" | "task" | "tier"
>;
export type TaskUse = NonNullable<ChargedUsage["task"]>;

export const noUsage: Readonly<Record<Bucket, number>> = {
  input: 0,
  cacheRead: 0,
  cacheWrite5m: 0,
  cacheWrite1h: 0,
  inputAudio: 0,
  inputImage: 0,
  output: 0,
  reasoning: 0,
  outputAudio: 0,
  outputImage: 0,
};

/** A price prepared for many charges: quota units × 10^`ratePlaces`, per call or per token. */
export type UnitPrice =
  | {
      readonly kind: "call";
      readonly perCall: bigint;
      /** What a call costs in quota units, rounded. */
      readonly rounded: number;
      /** Absent: tasks of the model cost what calls cost, times their number of results. */
      readonly task?: TaskFactors;
    }
  | HourlyPrice;

/**
 * Returns the price of `model` for `group`. Undefined if the model has no price or the group no
 * ratio: such a call is refused, a price is never guessed.
 */
export function unitPrice(list: PriceList, model: string, group: string): UnitPrice | undefined {
  const groupText = own(list.GroupRatio, group);
  if (groupText === undefined) return undefined;
  const groupRatio = scaled(groupText);
  const fixed = own(list.ModelPrice, model);
  if (fixed !== undefined) {
    const dollars = scaled(fixed) * groupRatio;
    const perCall = (dollars * scaled(list.QuotaPerUnit) * rateScale) / (one * one * one);
    const rounded = perCall === 0n ? 0 : round(perCall);
    const factors = list.TaskPriceFactors ?? {};
    const task = Object.hasOwn(factors, model) ? factors[model] : undefined;
    return { kind: "call", perCall, rounded, ...(task === undefined ? {} : { task }) };
  }
  if (own(list.ModelRatio, model) === undefined) return undefined;
  return pricesOfHours(list, model, groupRatio);
}

/**
 * Returns the price by which a call with this usage is charged: an hour, a service tier and a long
 * prompt may have their own.
 */
export function priceOfUsage(listed: UnitPrice, usage: ChargedUsage): UnitPrice {
  if (listed.kind === "call") return listed;
  const price = pricesIn(priceAt(listed, usage.minute), usage.tier);
  if (price.long === undefined) return price;
  const { input, cacheRead, cacheWrite5m, cacheWrite1h, inputAudio, inputImage } = usage;
  const all = input + cacheRead + cacheWrite5m + cacheWrite1h + inputAudio + inputImage;
  return stepAbove(price.long, all)?.price ?? price;
}

/**
 * Returns the price at a minute of the day: by it, a hold covers what the call is charged later.
 *
 * @param minute undefined: no hour's price counts.
 */
export function priceAt<Price extends UnitPrice>(listed: Price, minute: number | undefined): Price;
export function priceAt(listed: UnitPrice, minute: number | undefined): UnitPrice {
  if (minute === undefined || listed.kind === "call" || listed.hours === undefined) return listed;
  return hourAt(listed.hours, minute)?.price ?? listed;
}

/**
 * Returns the minute of the day by which a call that is reserved now has its price; undefined: all
 * minutes have the same.
 *
 * @param nowMs Unix milliseconds.
 */
export function reservedMinute(listed: UnitPrice, nowMs: number): number | undefined {
  if (listed.kind === "call" || listed.hours === undefined) return undefined;
  return minuteOf(nowMs);
}

function pricesIn(price: HourlyPrice, tier: ChargedUsage["tier"]): TokenPrices {
  return (tier === undefined ? undefined : price.tiers?.charged[tier]) ?? price;
}

/**
 * Returns the most that the tokens of a call cost whose input has at most this many tokens.
 *
 * @param listed at the minute of the call, see `priceAt`.
 * @param tier what the call asks for.
 */
export function highestPrice(listed: UnitPrice, inputMax: number, tier: AskedTier): UnitPrice {
  if (listed.kind === "call") return listed;
  const price = listed.tiers?.held[tier] ?? listed;
  return withReasoning((price.long && stepAbove(price.long, inputMax)?.highest) ?? price);
}

/** Output may all be reasoning, so it is held at the price of that if it is the higher one. */
function withReasoning(price: TokenPrices): TokenPrices {
  const { output, reasoning } = price.rates;
  if (reasoning <= output) return price;
  const known = reasoningHeld.get(price) ?? withRates(price, { output: reasoning });
  reasoningHeld.set(price, known);
  return known;
}

const reasoningHeld = new WeakMap<TokenPrices, TokenPrices>();

/** Returns the last step that this number of input tokens is above; undefined: none. */
function stepAbove(
  steps: NonNullable<TokenPrices["long"]>,
  count: number,
): (typeof steps)[number] | undefined {
  let found: (typeof steps)[number] | undefined;
  for (const step of steps) if (count > step.above) found = step;
  return found;
}

/** Whether calls of the model can be charged, by tokens or by call. */
export function hasPrice(
  list: Pick<PriceList, "ModelPrice" | "ModelRatio">,
  model: string,
): boolean {
  return own(list.ModelPrice, model) !== undefined || own(list.ModelRatio, model) !== undefined;
}

const buckets: readonly Bucket[] = [
  "input",
  "cacheRead",
  "cacheWrite5m",
  "cacheWrite1h",
  "inputAudio",
  "inputImage",
  "output",
  "reasoning",
  "outputAudio",
  "outputImage",
];

/**
 * Returns what `usage` costs in quota units, rounded half away from zero. At least 1 if the price
 * is above 0 and anything was used, even if that part is free; 0 if nothing was used. At most 2^53
 * − 1.
 */
export function charge(listed: UnitPrice, usage: ChargedUsage): number {
  const price = priceOfUsage(listed, usage);
  if (price.kind === "tokens" && price.whole !== null) {
    const sum = wholeSum(price.whole, usage);
    if (sum > 0 && sum <= Number.MAX_SAFE_INTEGER) return roundWhole(sum, price.whole.divisor);
  }
  return chargeExactly(price, usage);
}

/**
 * Returns what tokens of text cost that are read and written, by this price: whether a prompt is
 * long has been decided. Searches are beside it, see `chargeSearches`.
 */
export function chargeText(price: UnitPrice, input: number, output: number): number {
  if (price.kind === "tokens" && price.whole !== null) {
    const { whole } = price;
    const sum = wholePart(input, whole.input) + wholePart(output, whole.output);
    if (sum > 0 && sum <= Number.MAX_SAFE_INTEGER) return roundWhole(sum, whole.divisor);
  }
  const tokens = price.kind === "tokens" ? { ...price, searching: null } : price;
  return chargeExactly(tokens, { ...noUsage, input, output });
}

/** Returns the most that a call with this many searches costs beside its tokens, in quota units. */
export function chargeSearches(price: UnitPrice, searches: number): number {
  if (price.kind === "call" || price.searching === null) return 0;
  const sum = searchSum(price.searching, searches);
  return sum === 0n ? 0 : round(sum + rateScale / 2n - 1n);
}

/** The formula in BigInts, for whatever numbers cannot compute exactly. */
function chargeExactly(price: UnitPrice, usage: ChargedUsage): number {
  if (usage.task !== undefined) return chargeTask(price, usage.task);
  if (!buckets.some((bucket) => usage[bucket] > 0)) return 0;
  if (price.kind === "call") return chargeCall(price, usage.callThousandths);
  let sum = price.searching === null ? 0n : searchSum(price.searching, usage.searches ?? 0);
  for (const [name, count] of partsOf(usage)) sum += BigInt(count) * price.rates[name];
  return sum === 0n && isFree(price) ? 0 : round(sum);
}

/** Returns how many tokens of each rate were used, without those that were not. */
export function partsOf(usage: ChargedUsage): readonly (readonly [RateName, number])[] {
  const [audio, image] = [cachedAudio(usage), cachedImage(usage)];
  const parts: (readonly [RateName, number])[] = [];
  for (const name of buckets) {
    const count = name === "cacheRead" ? usage.cacheRead - audio - image : usage[name];
    if (count > 0) parts.push([name, count]);
  }
  if (audio > 0) parts.push(["cacheAudio", audio]);
  if (image > 0) parts.push(["cacheImage", image]);
  return parts;
}

/** Returns what a call costs beside its tokens × `rateScale`. */
export function searchSum({ call, search, searchingCall }: SearchRates, searches: number): bigint {
  return call + BigInt(searches) * search + (searches > 0 ? searchingCall : 0n);
}

function isFree({ rates, searching }: TokenPrices): boolean {
  return [...Object.values(rates), ...Object.values(searching ?? {})].every((rate) => rate === 0n);
}

function chargeCall(
  { perCall, rounded }: Extract<UnitPrice, { kind: "call" }>,
  thousandths: number | undefined,
): number {
  if (thousandths === undefined || perCall === 0n) return rounded;
  return round(perCall * BigInt(thousandths), rateScale * 1_000n);
}

/**
 * Returns what a task costs: price × mode × size × seconds × number of results, rounded once. A
 * model that is charged by tokens has no price for tasks.
 */
function chargeTask(price: UnitPrice, { seconds, count, mode, size }: TaskUse): number {
  if (price.kind !== "call" || price.perCall === 0n) return 0;
  const { per = "call", modes = {}, sizes = {} } = price.task ?? {};
  const times = BigInt(count) * BigInt(per === "second" ? seconds : 1);
  return round(
    price.perCall * times * factor(modes, mode, one) * factor(sizes, size, one),
    rateScale * one * one,
  );
}

/** Rounds an amount × `unit`, whose price is above 0, to quota units. */
function round(amount: bigint, unit: bigint = rateScale): number {
  const rounded = (amount + unit / 2n) / unit;
  if (rounded < 1n) return 1;
  return rounded > maxQuota ? Number.MAX_SAFE_INTEGER : Number(rounded);
}

const maxQuota = BigInt(Number.MAX_SAFE_INTEGER);
