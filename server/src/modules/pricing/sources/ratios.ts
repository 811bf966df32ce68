/** Prices in the family's ratios: a ratio of 1 is 2 US dollars per million tokens of input. */

import type { Parsed } from "@tollgate/contract/endpoints/prices.ts";
import { scaled, unscaled } from "@tollgate/contract/money/decimals.ts";
import { type BookBucket, type BookPrices, one } from "@tollgate/contract/money/price-book.ts";
import { readAmount } from "./source-entries.ts";

/** Dollars per million tokens of a ratio of 1. */
const dollarsOfRatio = scaled("2");

/** Products are rounded to 10^−9 dollars, because many ratios are rounded quotients of prices. */
const roundedTo = scaled("0.000000001");

/** What a gateway says of one model: values as they came; absent ones and null are not set. */
type Ratios = Readonly<Record<Exclude<RatioKind, "input">, unknown>> & {
  readonly input: unknown;
  readonly perCall: unknown;
};

type RatioKind = Extract<
  BookBucket,
  "cacheRead" | "cacheWrite5m" | "input" | "inputAudio" | "inputImage" | "output" | "outputAudio"
>;

const relative = [
  "output",
  "cacheRead",
  "cacheWrite5m",
  "inputImage",
  "inputAudio",
] as const satisfies readonly RatioKind[];

/** Makes dollars of ratios, or says which one is no number. */
export function pricesOfRatios(ratios: Ratios): Parsed<BookPrices> {
  if (isSet(ratios.perCall)) {
    const perCall = readAmount(ratios.perCall, 0);
    return perCall.ok ? { ok: true, value: { perCall: perCall.value } } : perCall;
  }
  if (!isSet(ratios.input)) return { ok: false, message: "没有价格" };
  const input = readAmount(ratios.input, 0);
  if (!input.ok) return input;
  const base = times(dollarsOfRatio, scaled(input.value));
  const tokens: Partial<Record<BookBucket, string>> = { input: unscaled(base) };
  for (const kind of relative) {
    if (!isSet(ratios[kind])) continue;
    const ratio = readAmount(ratios[kind], 0);
    if (!ratio.ok) return { ok: false, message: `${kind}：${ratio.message}` };
    tokens[kind] = unscaled(times(base, scaled(ratio.value)));
  }
  if (isSet(ratios.outputAudio) && tokens.inputAudio !== undefined) {
    const ratio = readAmount(ratios.outputAudio, 0);
    if (!ratio.ok) return { ok: false, message: `outputAudio：${ratio.message}` };
    tokens.outputAudio = unscaled(times(scaled(tokens.inputAudio), scaled(ratio.value)));
  }
  return { ok: true, value: { tokens } };
}

function isSet(value: unknown): boolean {
  return value !== undefined && value !== null;
}

/** Multiplies units of 10^−12, rounded half up. */
function times(a: bigint, b: bigint): bigint {
  const unit = one * roundedTo;
  return ((2n * a * b + unit) / (2n * unit)) * roundedTo;
}
