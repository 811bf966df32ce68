/**
 * The terms of a price list beyond the family's maps of ratios: long prompts, service tiers, hours
 * of the day, searches, and prices of single kinds of tokens. Each is optional,
 * so that lists of earlier versions charge as before. `charge.ts` says what they cost.
 */

import { z } from "zod";
import { decimalText, factorText } from "./decimals.ts";
import { serviceTier } from "./service-tiers.ts";

/** The most steps of one model's long prompts, and the most hours of the day with their own price. */
export const termsMax = 12;

const longStep = z.object({
  above: z.number().int().min(1),
  ratio: factorText,
  completion: factorText,
  /** What input read from a cache is multiplied by instead of `ratio`; absent: by `ratio`. */
  cache: factorText.optional(),
});
export type LongStep = z.infer<typeof longStep>;

/**
 * What calls with a long prompt cost, by model: if the whole input has more than `above` tokens,
 * read from and written to caches included, the model ratio is multiplied by `ratio` and the price
 * of output by `completion`, for all tokens of the call. Of several steps the last one counts that
 * the input is above; its factors replace those of the steps before it.
 */
export const longContextPrices = z.record(
  z.string(),
  longStep.extend({
    /** Further steps, each above the one before it; absent: there is one step. */
    further: z.array(longStep).max(termsMax).optional(),
  }),
);
export type LongContext = z.infer<typeof longContextPrices>[string];

const tierFactors = z.object({ ratio: factorText, cache: factorText, completion: factorText });
export type TierFactors = z.infer<typeof tierFactors>;

/**
 * What service tiers cost, by model and tier: the model ratio is multiplied by `ratio`, for input
 * read from a cache by `cache` instead, and the price of output by `completion`.
 */
export const serviceTierPrices = z.record(z.string(), z.partialRecord(serviceTier, tierFactors));
export type ServiceTierFactors = z.infer<typeof serviceTierPrices>[string];

/** A time of the day in UTC, to the minute. */
const timeOfDay = z.string().regex(/^(?:[01]\d|2[0-3]):[0-5]\d$/);

export function isTimeOfDay(value: unknown): value is string {
  return timeOfDay.safeParse(value).success;
}

/**
 * What calls cost at some hours of the day, by model: `from` counts, `until` does not, and a window
 * whose `until` is not after its `from` goes past midnight. All times are UTC, and what counts is
 * when the call's quota is reserved. The factors are those of a service tier. The first window that
 * contains the time counts; outside of all windows nothing is multiplied.
 */
export const hourPrices = z.record(
  z.string(),
  z
    .array(tierFactors.extend({ from: timeOfDay, until: timeOfDay }))
    .min(1)
    .max(termsMax),
);
export type HourWindow = z.infer<typeof hourPrices>[string][number];

/**
 * What is charged beside the tokens, by model, in US dollars per 1,000: each call, each web search
 * that the provider made for it, and each call with at least one search, however many it made.
 * Service tiers, long prompts and hours do not change it; the group's ratio does. A model with a
 * price per call has none of it.
 */
export const searchPrices = z.record(
  z.string(),
  z.object({
    call: decimalText.optional(),
    search: decimalText.optional(),
    searchingCall: decimalText.optional(),
  }),
);
export type SearchPrices = z.infer<typeof searchPrices>[string];

/** The kinds of tokens that may have a price of their own. */
export const pricedKind = z.enum([
  "cacheRead",
  "cacheWrite5m",
  "cacheWrite1h",
  "inputAudio",
  "inputImage",
  "cacheAudio",
  "cacheImage",
  "output",
  "reasoning",
  "outputAudio",
  "outputImage",
]);
export type PricedKind = z.infer<typeof pricedKind>;

/**
 * The price of tokens of single kinds, by model, in quota units per token as a model ratio is. It
 * takes the place of model ratio × the ratio of that kind, where no ratio of 12 places is exact, and
 * where there is none: `reasoning`, absent: as output; `cacheAudio` and `cacheImage`, of audio and
 * image input that is read from a cache, absent: as other cached input.
 */
export const tokenKindPrices = z.record(z.string(), z.partialRecord(pricedKind, decimalText));
export type TokenKindPrices = z.infer<typeof tokenKindPrices>[string];

/** The minutes of a day. */
export const minutesOfDay = 1_440;

/** Returns the minute of the day, in UTC, of a time in Unix milliseconds. */
export function minuteOf(nowMs: number): number {
  return Math.floor(nowMs / 60_000) % minutesOfDay;
}

/** Converts a time of the day to its minute. */
export function minuteOfTime(time: string): number {
  return Number(time.slice(0, 2)) * 60 + Number(time.slice(3));
}
