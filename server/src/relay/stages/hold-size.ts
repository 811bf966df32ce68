/**
 * Computes how much quota to hold for a call, and how many output tokens a hold pays for. Pure
 * functions.
 */

import { charge, rateScale, type UnitPrice } from "@tollgate/contract/charge.ts";
import type { Usage } from "#canonical/usage.ts";
import type { RequestBody } from "#formats/format.ts";

/** A text has at most half as many tokens as bytes, in any language. */
const bytesPerToken = 2;

/**
 * Input tokens held for each media part: as many as a large image has at the most expensive vendor.
 */
const mediaPartTokens = 4_000;

/**
 * By how many tokens the hold of a running stream is kept ahead of its estimated output. At most
 * that many tokens of one stream go unpaid.
 */
export const extensionTokens = 1_000;

/** The most tokens that a call can use. */
export type CallBounds = {
  readonly input: number;
  readonly output: number;
  /** Whether the client's request sets the output limit. */
  readonly isAsked: boolean;
};

/**
 * Returns the most tokens that a request can use.
 *
 * @param outputTokens assumed for each answer if the client sets no limit.
 */
export function boundsOf(body: RequestBody, outputTokens: number): CallBounds {
  const input = Math.ceil(body.textBytes / bytesPerToken) + body.mediaParts * mediaPartTokens;
  if (body.modality === "embeddings") return { input, output: 0, isAsked: true };
  const each = body.maxTokens ?? outputTokens;
  return { input, output: each * body.answerCount, isAsked: body.maxTokens !== null };
}

/**
 * Computes the quota units to hold for a call: `want` covers all that it may use, `least` is enough
 * for a stream to begin.
 */
export function holdSize(
  price: UnitPrice,
  { input, output }: CallBounds,
  isStream: boolean,
): { readonly want: number; readonly least: number } {
  const want = charge(price, tokens(input, output));
  if (!isStream) return { want, least: want };
  return { want, least: charge(price, tokens(input, Math.min(output, 1))) };
}

/**
 * Returns how many output tokens `held` quota units pay for, after the most that the input can cost
 * is deducted. If the hold covers everything up to the client's own limit, the result is that
 * limit, so that rounding takes no token away.
 */
export function affordableOutput(price: UnitPrice, bounds: CallBounds, held: number): number {
  if (price.kind === "call") return Infinity;
  const rate = price.rates.output;
  if (rate === 0n) return Infinity;
  const input = BigInt(bounds.input) * price.rates.input;
  const left = BigInt(held) * rateScale - input;
  const paid = left <= 0n ? 0 : Number(left / rate);
  const isWhole = bounds.isAsked && held >= charge(price, tokens(bounds.input, bounds.output));
  return isWhole ? Math.max(paid, bounds.output) : paid;
}

/** Returns the price of `count` more output tokens in quota units, at least 1. */
export function outputCharge(price: UnitPrice, count: number): number {
  return Math.max(1, charge(price, tokens(0, count)));
}

/**
 * Makes a usage with only these two counts. All fields are written out, because copying `noUsage`
 * costs more time than the arithmetic.
 */
function tokens(input: number, output: number): Usage {
  return {
    input,
    cacheRead: 0,
    cacheWrite5m: 0,
    cacheWrite1h: 0,
    inputAudio: 0,
    inputImage: 0,
    output,
    reasoning: 0,
    outputAudio: 0,
    outputImage: 0,
  };
}
