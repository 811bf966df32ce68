/**
 * Charges in numbers, where they are proven to be as exact as BigInts. `charge.ts` computes the
 * others.
 */

import type { Bucket, ChargedUsage } from "./charge.ts";

/**
 * Rates as whole numbers: quota units a token × `divisor`. They are the rates of a `UnitPrice`
 * without the factor that all of them and their scale have in common.
 */
export type WholeRates = Readonly<Record<Bucket, number>> & { readonly divisor: number };

/** Null: a rate is too large for a number even without the common factor. */
export function wholeRates(
  rates: Readonly<Record<Bucket, bigint>>,
  rateScale: bigint,
): WholeRates | null {
  let common = rateScale;
  for (const rate of Object.values(rates)) common = commonFactor(common, rate);
  const divisor = rateScale / common;
  const isExact = (value: bigint): boolean => value <= maxQuota;
  if (!isExact(divisor) || !Object.values(rates).every((rate) => isExact(rate / common))) {
    return null;
  }
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

const maxQuota = BigInt(Number.MAX_SAFE_INTEGER);

/** Returns the greatest common divisor of two numbers that are not both 0. */
function commonFactor(a: bigint, b: bigint): bigint {
  let [large, small] = [a, b];
  while (small !== 0n) [large, small] = [small, large % small];
  return large;
}

/**
 * Adds up a charge × `divisor` in numbers. The sum is exact if it is at most 2^53 − 1: no part is
 * negative, and rounding never takes a result from above 2^53 to below it, so that no product and no
 * sum on the way was larger, and whole numbers up to there are exact.
 */
export function wholeSum(rates: WholeRates, usage: ChargedUsage): number {
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

export function wholePart(count: number, rate: number): number {
  return count > 0 ? count * rate : 0;
}

/** Divides and rounds half up, at least to 1. Exact, because remainders of whole numbers are. */
export function roundWhole(sum: number, divisor: number): number {
  const rest = sum % divisor;
  const rounded = (sum - rest) / divisor + (rest >= divisor - rest ? 1 : 0);
  return rounded < 1 ? 1 : rounded;
}
