/** How much quota a call holds, and how many output tokens what is held pays for. Pure. */

import { charge, rateScale, type UnitPrice } from "@tollgate/contract/charge.ts";
import type { Usage } from "#canonical/usage.ts";
import type { RequestBody } from "#formats/format.ts";

/** Half the bytes of a body bound the tokens of its text, in any language. */
const bytesPerToken = 2;

/** Input tokens held for a media part: a large picture at the dearest of the vendors. */
const mediaPartTokens = 4_000;

/** Tokens a running stream is kept ahead of its estimate; what one stream can lose at most. */
export const extensionTokens = 1_000;

/** Upper bounds of what a call may use, in tokens. */
export type CallBounds = {
  readonly input: number;
  readonly output: number;
  /** The client set the output's bound. */
  readonly isAsked: boolean;
};

/** @param outputTokens held for each answer when the client sets no bound. */
export function boundsOf(body: RequestBody, outputTokens: number): CallBounds {
  const input = Math.ceil(body.textBytes / bytesPerToken) + body.mediaParts * mediaPartTokens;
  if (body.modality === "embeddings") return { input, output: 0, isAsked: true };
  const each = body.maxTokens ?? outputTokens;
  return { input, output: each * body.answerCount, isAsked: body.maxTokens !== null };
}

/** Quota units to hold: `want` for all the call may use, `least` to let a stream begin. */
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
 * Output tokens `held` pays for once the input bound is taken off. When all was held that the
 * client's own bound can cost, it is that bound, whatever was rounded away.
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

/** Quota units for so many more output tokens, at least 1. */
export function outputCharge(price: UnitPrice, count: number): number {
  return Math.max(1, charge(price, tokens(0, count)));
}

/** Spelled out, because copying `noUsage` costs more than the arithmetic on it. */
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
