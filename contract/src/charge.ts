/**
 * Computes what a call costs. Pure and exact: decimals are text and become scaled whole numbers,
 * every product is a BigInt, or a number where that is proven to be exact as well, and only the
 * final result is rounded. Bills, holds, audit and all
 * prices on screens use this file. A ratio of 1 is 1 quota unit per input token; with 500,000 units
 * per dollar that is 2 USD per million tokens.
 */

import { z } from "zod";

/** The largest number of digits after the decimal point of a ratio or price. */
export const decimalPlacesMax = 12;

const scale = 10n ** BigInt(decimalPlacesMax);

/** A decimal ≥ 0 as text without exponent, e.g. `0.125`. */
export const decimalText = z.string().regex(/^\d{1,15}(\.\d{1,12})?$/);

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
export type Bucket = Exclude<keyof ChargedUsage, "callThousandths" | "task">;
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

/** Converts decimal text to a whole number of units of 10^−12. */
export function scaled(decimal: string): bigint {
  const [whole = "0", part = ""] = decimal.split(".");
  return BigInt(whole) * scale + BigInt(part.padEnd(decimalPlacesMax, "0"));
}

/**
 * A price prepared for many charges: quota units per call, or per token of each kind (`Bucket`), as
 * whole numbers × 10^48. A ratio has at most 12 decimal places, and a price multiplies at most four
 * ratios: model × group × audio × audio completion.
 */
export type UnitPrice =
  | {
      readonly kind: "call";
      readonly perCall: bigint;
      /** What a call costs in quota units, rounded. */
      readonly rounded: number;
      /** Absent: tasks of the model cost what calls cost, times their number of results. */
      readonly task?: TaskFactors;
    }
  | {
      readonly kind: "tokens";
      readonly rates: Readonly<Record<Bucket, bigint>>;
      /** The same rates for charges that numbers compute exactly; null: only BigInts do. */
      readonly whole: WholeRates | null;
    };

/**
 * Rates as whole numbers: quota units a token × `divisor`. They are the rates of a `UnitPrice`
 * without the factor that all of them and `rateScale` have in common.
 */
type WholeRates = Readonly<Record<Bucket, number>> & { readonly divisor: number };

/** The factor by which a `UnitPrice` is larger than the price in quota units. */
export const rateScale = scale ** 4n;
const one = scale;

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
    const perCall = scaled(fixed) * scaled(list.QuotaPerUnit) * groupRatio * one;
    const rounded = perCall === 0n ? 0 : round(perCall);
    const factors = list.TaskPriceFactors ?? {};
    const task = Object.hasOwn(factors, model) ? factors[model] : undefined;
    return { kind: "call", perCall, rounded, ...(task === undefined ? {} : { task }) };
  }
  const ratio = own(list.ModelRatio, model);
  if (ratio === undefined) return undefined;
  const pair = scaled(ratio) * groupRatio;
  const base = pair * one;
  const completion = factor(list.CompletionRatio, model, one);
  const audio = factor(list.AudioRatio, model, 20n * one);
  const audioCompletion = factor(list.AudioCompletionRatio, model, 2n * one);
  const rates: Readonly<Record<Bucket, bigint>> = {
    input: base * one,
    cacheRead: base * factor(list.CacheRatio, model, one),
    cacheWrite5m: base * factor(list.CreateCacheRatio, model, (5n * one) / 4n),
    cacheWrite1h: base * factor(list.CreateCacheRatio1h, model, 2n * one),
    inputAudio: base * audio,
    inputImage: base * factor(list.ImageRatio, model, one),
    output: base * completion,
    reasoning: base * completion,
    outputAudio: pair * audio * audioCompletion,
    outputImage: base * completion,
  };
  return { kind: "tokens", rates, whole: wholeRates(rates) };
}

/** Null: a rate is too large for a number even without the common factor. */
function wholeRates(rates: Readonly<Record<Bucket, bigint>>): WholeRates | null {
  let common = rateScale;
  for (const name of buckets) common = commonFactor(common, rates[name]);
  const divisor = rateScale / common;
  const isExact = (value: bigint): boolean => value <= maxQuota;
  if (!isExact(divisor) || !buckets.every((name) => isExact(rates[name] / common))) return null;
  const of = (name: Bucket): number => Number(rates[name] / common);
  return {
    divisor: Number(divisor),
    input: of("input"),
    cacheRead: of("cacheRead"),
    cacheWrite5m: of("cacheWrite5m"),
    cacheWrite1h: of("cacheWrite1h"),
    inputAudio: of("inputAudio"),
    inputImage: of("inputImage"),
    output: of("output"),
    reasoning: of("reasoning"),
    outputAudio: of("outputAudio"),
    outputImage: of("outputImage"),
  };
}

/** Returns the greatest common divisor of two numbers that are not both 0. */
function commonFactor(a: bigint, b: bigint): bigint {
  let [large, small] = [a, b];
  while (small !== 0n) [large, small] = [small, large % small];
  return large;
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
export function charge(price: UnitPrice, usage: ChargedUsage): number {
  if (price.kind === "tokens" && price.whole !== null) {
    const sum = wholeSum(price.whole, usage);
    if (sum > 0 && sum <= Number.MAX_SAFE_INTEGER) return roundWhole(sum, price.whole.divisor);
  }
  return chargeExactly(price, usage);
}

/** Returns what tokens of text cost that were read and written: a `charge` without other buckets. */
export function chargeText(price: UnitPrice, input: number, output: number): number {
  if (price.kind === "tokens" && price.whole !== null) {
    const { whole } = price;
    const sum = wholePart(input, whole.input) + wholePart(output, whole.output);
    if (sum > 0 && sum <= Number.MAX_SAFE_INTEGER) return roundWhole(sum, whole.divisor);
  }
  return chargeExactly(price, { ...noUsage, input, output });
}

/**
 * Adds up a charge × `divisor` in numbers. The sum is exact if it is at most 2^53 − 1: no part is
 * negative, and rounding never takes a result from above 2^53 to below it, so that no product and no
 * sum on the way was larger, and whole numbers up to there are exact.
 */
function wholeSum(rates: WholeRates, usage: ChargedUsage): number {
  return (
    wholePart(usage.input, rates.input) +
    wholePart(usage.cacheRead, rates.cacheRead) +
    wholePart(usage.cacheWrite5m, rates.cacheWrite5m) +
    wholePart(usage.cacheWrite1h, rates.cacheWrite1h) +
    wholePart(usage.inputAudio, rates.inputAudio) +
    wholePart(usage.inputImage, rates.inputImage) +
    wholePart(usage.output, rates.output) +
    wholePart(usage.reasoning, rates.reasoning) +
    wholePart(usage.outputAudio, rates.outputAudio) +
    wholePart(usage.outputImage, rates.outputImage)
  );
}

function wholePart(count: number, rate: number): number {
  return count > 0 ? count * rate : 0;
}

/** Divides and rounds half up, at least to 1. Exact, because remainders of whole numbers are. */
function roundWhole(sum: number, divisor: number): number {
  const rest = sum % divisor;
  const rounded = (sum - rest) / divisor + (rest >= divisor - rest ? 1 : 0);
  return rounded < 1 ? 1 : rounded;
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

/**
 * Returns the value that the map itself has for a name, ignoring what every JavaScript object
 * inherits.
 */
function own(map: Readonly<Record<string, string>>, name: string): string | undefined {
  return Object.hasOwn(map, name) ? map[name] : undefined;
}

function factor(map: Readonly<Record<string, string>>, model: string, absent: bigint): bigint {
  const text = own(map, model);
  return text === undefined ? absent : scaled(text);
}
