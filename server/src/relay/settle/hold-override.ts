/**
 * Extends a call's hold for a channel's parameter override, so that the hold covers the request
 * that is really sent. An override may raise the output limit, remove it, or replace the prompt.
 */

import type { RequestReader } from "#formats/format.ts";
import { callTooExpensive, userQuotaTooLow } from "#relay/call/refusals.ts";
import type { OpenCall } from "#relay/call/attempt-state.ts";
import type { RelayState } from "#relay/call/relay-state.ts";
import { type AttemptFault, judgeNotCovered, judgeOverride } from "#relay/faults/fault.ts";
import { boundsOf, holdSize } from "#relay/admission/hold-size.ts";
import type { CallBounds } from "#relay/call/facts.ts";

/**
 * Extends the hold if the request to be sent can cost more than the client's own.
 *
 * @param requests reads requests in the upstream's format.
 * @param bytes the request as it is sent.
 * @returns why it cannot be sent; null: the hold covers it.
 */
export async function holdForOverride(
  { deps }: RelayState,
  call: OpenCall,
  requests: RequestReader,
  bytes: Uint8Array,
): Promise<AttemptFault | null> {
  const { body, bill, bounds, isStream, price } = call;
  const { outputTokensHeld, quotaPerCallMax } = deps.snapshot.options;
  const read = requests.readRequest(bytes, {
    modality: body.modality,
    model: body.model,
    ...(call.upload === null ? {} : { files: call.upload.files }),
  });
  if ("message" in read) return judgeOverride(read.message);
  call.sent = larger(bounds, boundsOf(read, outputTokensHeld));
  const { want, least } = holdSize(price, call.sent, isStream);
  const missing = want - bill.hold.amount();
  // The hold may have been smaller than the client's request can cost, if the user had no more. It
  // is extended only for a request that can cost more than the client's own.
  if (missing <= 0 || call.sent === bounds) return null;
  if (quotaPerCallMax > 0 && want > quotaPerCallMax) {
    return judgeNotCovered(callTooExpensive(quotaPerCallMax, want));
  }
  await bill.hold.extend(missing);
  const held = bill.hold.amount();
  return held >= least ? null : judgeNotCovered(userQuotaTooLow(held, least));
}

/**
 * Returns the larger bounds of both requests, with the service tier that is asked for now. A lower
 * limit in the override does not reduce the hold, because the next channel may not lower the limit.
 */
function larger(asked: CallBounds, sent: CallBounds): CallBounds {
  const isSmall = sent.input <= asked.input && sent.output <= asked.output;
  const { tier } = sent;
  if (isSmall && sent.inputMax <= asked.inputMax && tier === asked.tier) return asked;
  const input = Math.max(asked.input, sent.input);
  const inputMax = Math.max(asked.inputMax, sent.inputMax);
  return { ...(sent.output > asked.output ? sent : asked), input, inputMax, tier };
}
