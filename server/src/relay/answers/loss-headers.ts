/** Tells clients what of their requests did not reach the upstream. */

import type { OpenCall } from "#relay/call/attempt-state.ts";
import { lossesOf } from "#relay/settle/record.ts";

type LossHeaders = { readonly headers?: Readonly<Record<string, string>> };

/** One object for all calls that lose nothing, which are nearly all. */
const noHeaders: LossHeaders = {};

/** Tells a client which of its fields the upstream's format cannot carry. */
export function lossHeaders(call: Pick<OpenCall, "leftOut" | "reading">): LossHeaders {
  const losses = lossesOf(call);
  if (losses.length === 0) return noHeaders;
  const names = losses.map((name) => name.replaceAll(/[^\x20-\x2b\x2d-\x7e]/g, ""));
  return { headers: { "x-tollgate-losses": names.join(", ").slice(0, lossesLengthMax) } };
}

/** The longest list of lost fields in a header, in characters. */
const lossesLengthMax = 1_000;
