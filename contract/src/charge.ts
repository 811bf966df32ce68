/**
 * Computes what a call costs. Pure and exact: decimals are text and become scaled whole numbers,
 * every product is a BigInt, or a number where that is proven to be exact as well, and only the
 * final result is rounded. Bills, holds, audit and all
 * prices on screens use this file. A ratio of 1 is 1 quota unit per input token; with 500,000 units
 * per dollar that is 2 USD per million tokens.
 */

import { z } from "zod";
import { decimalText, factorText, scaled } from "./decimals.ts";
import { priceSources } from "./price-sources.ts";
import { callFees, hourPrices, tokenKindPrices } from "./price-terms.ts";
import { type AskedTier, serviceTier } from "./service-tiers.ts";
import {
  factor,
  one,
  own,
  pricesOfTiers,
  rateScale,
  type TieredPrice,
  type TokenPrices,
} from "./token-price.ts";
import { roundWhole, wholePart, wholeSum } from "./whole-rates.ts";

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
 * What calls with a long prompt cost, by model: if the whole input has more than `above` tokens,
 * read from and written to caches included, the model ratio is multiplied by `ratio` and the price
 * of output by `completion`, for all tokens of the call.
 */
const longContextPrices = z.record(
  z.string(),
  z.object({ above: z.number().int().min(1), ratio: factorText, completion: factorText }),
);
export type LongContext = z.infer<typeof longContextPrices>[string];

const tierFactors = z.object({ ratio: factorText, cache: factorText, completion: factorText });
export type TierFactors = z.infer<typeof tierFactors>;

/**
 * What service tiers cost, by model and tier: the model ratio is multiplied by `ratio`, for input
 * read from a cache by `cache` instead, and the price of output by `completion`.
 */
const serviceTierPrices = z.record(z.string(), z.partialRecord(serviceTier, tierFactors));
export type ServiceTierFactors = z.infer<typeof serviceTierPrices>[string];

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
  /** Absent: there are no fees, as in lists of earlier versions. */
  CallFees: callFees.optional(),
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
export type Bucket = Exclude<keyof ChargedUsage, "callThousandths" | "task" | "tier">;
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
  | TieredPrice;

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
    const perCall = scaled(fixed) * scaled(list.QuotaPerUnit) * groupRatio * one * one * one;
    const rounded = perCall === 0n ? 0 : round(perCall);
    const factors = list.TaskPriceFactors ?? {};
    const task = Object.hasOwn(factors, model) ? factors[model] : undefined;
    return { kind: "call", perCall, rounded, ...(task === undefined ? {} : { task }) };
  }
  const ratio = own(list.ModelRatio, model);
  if (ratio === undefined) return undefined;
  return pricesOfTiers(list, model, scaled(ratio) * groupRatio);
}

/**
 * Returns the price by which a call with this usage is charged: a service tier and a long prompt may
 * have their own.
 */
export function priceOfUsage(listed: UnitPrice, usage: ChargedUsage): UnitPrice {
  if (listed.kind === "call") return listed;
  const price = pricesIn(listed, usage.tier);
  if (price.long === undefined) return price;
  const { input, cacheRead, cacheWrite5m, cacheWrite1h, inputAudio, inputImage } = usage;
  const all = input + cacheRead + cacheWrite5m + cacheWrite1h + inputAudio + inputImage;
  return all > price.long.above ? price.long.price : price;
}

function pricesIn(price: TieredPrice, tier: ChargedUsage["tier"]): TokenPrices {
  return (tier === undefined ? undefined : price.tiers?.charged[tier]) ?? price;
}

/**
 * Returns the most that the tokens of a call cost whose input has at most this many tokens.
 *
 * @param tier what the call asks for.
 */
export function highestPrice(listed: UnitPrice, inputMax: number, tier: AskedTier): UnitPrice {
  if (listed.kind === "call") return listed;
  const price = listed.tiers?.held[tier] ?? listed;
  return price.long !== undefined && inputMax > price.long.above ? price.long.highest : price;
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
 * long has been decided.
 */
export function chargeText(price: UnitPrice, input: number, output: number): number {
  if (price.kind === "tokens" && price.whole !== null) {
    const { whole } = price;
    const sum = wholePart(input, whole.input) + wholePart(output, whole.output);
    if (sum > 0 && sum <= Number.MAX_SAFE_INTEGER) return roundWhole(sum, whole.divisor);
  }
  return chargeExactly(price, { ...noUsage, input, output });
}

/** The formula in BigInts, for whatever numbers cannot compute exactly. */
function chargeExactly(price: UnitPrice, usage: ChargedUsage): number {
  if (usage.task !== undefined) return chargeTask(price, usage.task);
  const used = buckets.filter((bucket) => usage[bucket] > 0);
  if (used.length === 0) return 0;
  if (price.kind === "call") return chargeCall(price, usage.callThousandths);
  // An input token costs exactly the model ratio, so its rate is 0 only if the whole model is free.
  if (price.rates.input === 0n) return 0;
  return round(used.reduce((sum, name) => sum + BigInt(usage[name]) * price.rates[name], 0n));
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
