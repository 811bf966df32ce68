/**
 * Charges in numbers, where they are proven to be as exact as BigInts. `charge.ts` computes the
 * others.
 */

import type { ChargedUsage } from "./charge.ts";
import type { SearchRates, RateName } from "./token-price.ts";

/**
 * Rates as whole numbers: quota units a token × `divisor`. They are the rates of a `UnitPrice`
 * without the factor that all of them and their scale have in common.
 */
export type WholeRates = Readonly<Record<RateName, number>> & {
  readonly divisor: number;
  /** The same for searches and calls; null: they cost nothing. */
  readonly searching: Readonly<Record<keyof SearchRates, number>> | null;
};

/** Null: a rate is too large for a number even without the common factor. */
export function wholeRates(
  rates: Readonly<Record<RateName, bigint>>,
  searching: SearchRates | null,
  rateScale: bigint,
): WholeRates | null {
  const all = [...Object.values(rates), ...Object.values(searching ?? {})];
  let common = rateScale;
  for (const rate of all) common = commonFactor(common, rate);
  const divisor = rateScale / common;
  const isExact = (value: bigint): boolean => value <= maxQuota;
  if (!isExact(divisor) || !all.every((rate) => isExact(rate / common))) return null;
  const of = (name: RateName): number => Number(rates[name] / common);
  const searchOf = (rate: bigint): number => Number(rate / common);
  return {
    divisor: Number(divisor),
    searching: searching && {
      call: searchOf(searching.call),
      search: searchOf(searching.search),
      searchingCall: searchOf(searching.searchingCall),
    },
    input: of("input"),
    cacheRead: of("cacheRead"),
    cacheWrite5m: of("cacheWrite5m"),
    cacheWrite1h: of("cacheWrite1h"),
    inputAudio: of("inputAudio"),
    inputImage: of("inputImage"),
    cacheAudio: of("cacheAudio"),
    cacheImage: of("cacheImage"),
    output: of("output"),
    reasoning: of("reasoning"),
    outputAudio: of("outputAudio"),
    outputImage: of("outputImage"),
  };
}

const maxQuota = BigInt(Number.MAX_SAFE_INTEGER);

/** Returns the greatest common divisor of two numbers that are not both 0. */
function commonFactor(a: bigint, b: bigint): bigint {
  let [large, small] = [a, b];
  while (small !== 0n) [large, small] = [small, large % small];
  return large;
}

/**
 * Adds up a charge × `divisor` in numbers; 0: not even tokens that cost something were used. The sum
 * is exact if it is at most 2^53 − 1: no part is negative, and rounding never takes a result from
 * above 2^53 to below it, so that no product and no sum on the way was larger, and whole numbers up
 * to there are exact.
 */
export function wholeSum(rates: WholeRates, usage: ChargedUsage): number {
  const sum =
    wholePart(usage.input, rates.input) +
    (usage.cacheAudio === undefined && usage.cacheImage === undefined
      ? wholePart(usage.cacheRead, rates.cacheRead)
      : cachedSum(rates, usage)) +
    wholePart(usage.cacheWrite5m, rates.cacheWrite5m) +
    wholePart(usage.cacheWrite1h, rates.cacheWrite1h) +
    wholePart(usage.inputAudio, rates.inputAudio) +
    wholePart(usage.inputImage, rates.inputImage) +
    wholePart(usage.output, rates.output) +
    wholePart(usage.reasoning, rates.reasoning) +
    wholePart(usage.outputAudio, rates.outputAudio) +
    wholePart(usage.outputImage, rates.outputImage);
  return sum > 0 && rates.searching !== null ? sum + wholeSearches(rates.searching, usage) : sum;
}

function cachedSum(rates: WholeRates, usage: ChargedUsage): number {
  const audio = cachedAudio(usage);
  const image = cachedImage(usage);
  return (
    wholePart(usage.cacheRead - audio - image, rates.cacheRead) +
    wholePart(audio, rates.cacheAudio) +
    wholePart(image, rates.cacheImage)
  );
}

/** Returns how many tokens of cached input are audio: not more than there are. */
export function cachedAudio({ cacheAudio = 0, cacheRead }: ChargedUsage): number {
  return Math.min(cacheAudio, cacheRead);
}

/** Returns how many of the other tokens of cached input are images. */
export function cachedImage(usage: ChargedUsage): number {
  return Math.min(usage.cacheImage ?? 0, usage.cacheRead - cachedAudio(usage));
}

function wholeSearches(
  { call, search, searchingCall }: NonNullable<WholeRates["searching"]>,
  { searches = 0 }: ChargedUsage,
): number {
  return call + wholePart(searches, search) + (searches > 0 ? searchingCall : 0);
}

export function wholePart(count: number, rate: number): number {
  return count > 0 ? count * rate : 0;
}

/** Divides and rounds half up, at least to 1. Exact, because remainders of whole numbers are. */
export function roundWhole(sum: number, divisor: number): number {
  const rest = sum % divisor;
  const rounded = (sum - rest) / divisor + (rest >= divisor - rest ? 1 : 0);
  return rounded < 1 ? 1 : rounded;
}
