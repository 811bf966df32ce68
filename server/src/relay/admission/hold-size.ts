/**
 * Computes how much quota to hold for a call, and how many output tokens a hold pays for. Pure
 * functions.
 */

import type { CallBounds } from "#relay/call/facts.ts";
import {
  charge,
  chargeSearches,
  chargeText,
  highestPrice,
  noUsage,
  type UnitPrice,
} from "@tollgate/contract/money/charge.ts";
import { rateScale } from "@tollgate/contract/money/token-price.ts";
import type { Usage } from "#canonical/usage.ts";
import type { RequestBody, Work } from "#formats/format.ts";

/** A text has at most half as many tokens as bytes, in any language. */
const bytesPerToken = 2;

/**
 * Input tokens held for each media part: as many as a large image has at the most expensive vendor.
 */
const mediaPartTokens = 4_000;

/**
 * Input tokens held for what the provider adds to a request: it reads the prompt again with each
 * result of its own tools. A recorded call of 9 kB was charged for 950,000 tokens of input.
 */
const unseenTokens = 100_000;

/**
 * Web searches held for a call whose provider runs tools by itself: how many it makes is its own
 * choice. Recorded calls made up to ten. Models that search unasked make one.
 */
const unseenSearches = 10;

/**
 * By how many tokens the hold of a running stream is kept ahead of its estimated output. At most
 * that many tokens of one stream go unpaid.
 */
export const extensionTokens = 1_000;

/**
 * Returns the most tokens that a request can use.
 *
 * @param outputTokens assumed for each answer if the client sets no limit.
 */
export function boundsOf(body: RequestBody, outputTokens: number): CallBounds {
  const input =
    Math.ceil(body.textBytes / bytesPerToken) +
    body.mediaParts * mediaPartTokens +
    (body.hasUnseenInput ? unseenTokens : 0);
  const inputMax = body.hasUnseenInput ? Infinity : input;
  const searches = body.hasUnseenInput ? unseenSearches : 1;
  const tier = body.tier ?? "default";
  if (body.work !== undefined) return boundsOfWork(body.work, input);
  if (body.modality === "embeddings") {
    return { input, output: 0, inputMax, searches: 0, tier, isAsked: true };
  }
  const output = (body.maxTokens ?? outputTokens) * body.answerCount;
  return { input, output, inputMax, searches, tier, isAsked: body.maxTokens !== null };
}

function boundsOfWork({ callThousandths, input, outputMax }: Work, textInput: number): CallBounds {
  const most = Math.max(input ?? 0, textInput);
  const prices = { inputMax: most, searches: 0, tier: "default" } as const;
  return { input: most, output: outputMax, ...prices, isAsked: true, callThousandths };
}

/**
 * Computes the quota units to hold for a call: `want` covers all that it may use, `least` is enough
 * for a stream to begin.
 */
export function holdSize(
  listed: UnitPrice,
  { input, output, inputMax, searches, tier, callThousandths }: CallBounds,
  isStream: boolean,
): { readonly want: number; readonly least: number } {
  const price = highestPrice(listed, inputMax, tier);
  if (callThousandths !== undefined) {
    const most = charge(price, { ...noUsage, input, output, callThousandths });
    return { want: most, least: most };
  }
  const beside = chargeSearches(price, searches);
  const want = chargeText(price, input, output) + beside;
  if (!isStream) return { want, least: want };
  return { want, least: chargeText(price, input, Math.min(output, 1)) + beside };
}

/** The bytes of the shortest request of any format, without the name of its model. */
const emptyRequestBytes = `{"model":"","input":""}`.length;

/** Returns the quota units below which no call of a model can begin, however short it is. */
export function leastOf(price: UnitPrice, model: string): number {
  const input = Math.ceil((emptyRequestBytes + model.length) / bytesPerToken);
  const least = chargeText(price, input, 0) + chargeSearches(price, 0);
  if (price.kind === "call" || price.hours === undefined) return least;
  return Math.min(least, ...price.hours.map((hours) => leastOf(hours.price, model)));
}

/**
 * Returns how many output tokens `held` quota units pay for, after the most that the input can cost
 * is deducted. If the hold covers everything up to the client's own limit, the result is that
 * limit, so that rounding takes no token away.
 */
export function affordableOutput(listed: UnitPrice, bounds: CallBounds, held: number): number {
  const price = highestPrice(listed, bounds.inputMax, bounds.tier);
  if (price.kind === "call" || price.rates.output === 0n) return Infinity;
  const left = held - chargeSearches(price, bounds.searches);
  const paid = paidOutput(price, bounds.input, left);
  const isWhole = bounds.isAsked && left >= chargeText(price, bounds.input, bounds.output);
  return isWhole ? Math.max(paid, bounds.output) : paid;
}

/** Returns the most quota units that the input of a call was held for. */
export function inputHeld(listed: UnitPrice, { input, inputMax, tier }: CallBounds): number {
  return chargeText(highestPrice(listed, inputMax, tier), input, 0);
}

/**
 * Returns what the prompt that an upstream has reported costs more than was held for it. A provider
 * may read more than the client has sent, such as a conversation that it keeps.
 */
export function inputBeyond(listed: UnitPrice, bounds: CallBounds, usage: Usage): number {
  if (listed.kind === "call") return 0;
  const prompt = { ...usage, output: 0, reasoning: 0, outputAudio: 0, outputImage: 0 };
  const held = inputHeld(listed, bounds) + chargeSearches(listed, bounds.searches);
  return Math.max(0, charge(listed, prompt) - held);
}

function paidOutput(
  { rates, whole }: Extract<UnitPrice, { kind: "tokens" }>,
  input: number,
  held: number,
): number {
  if (whole !== null) {
    const all = held * whole.divisor;
    // Products up to 2^53 − 1 are exact. An input that costs more costs more than `all`.
    if (all <= Number.MAX_SAFE_INTEGER) {
      const left = all - input * whole.input;
      return left <= 0 ? 0 : (left - (left % whole.output)) / whole.output;
    }
  }
  const left = BigInt(held) * rateScale - BigInt(input) * rates.input;
  return left <= 0n ? 0 : Number(left / rates.output);
}

/** Returns the price of `count` more output tokens of a call in quota units, at least 1. */
export function outputCharge(price: UnitPrice, bounds: CallBounds, count: number): number {
  const { inputMax, tier } = bounds;
  return Math.max(1, chargeText(highestPrice(price, inputMax, tier), 0, count));
}
