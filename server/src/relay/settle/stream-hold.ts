/** Extends the hold of a running stream before its output exceeds what is held. */

import type { OpenCall } from "#relay/call/attempt-state.ts";
import type { RelayState } from "#relay/call/relay-state.ts";
import { cuts, type Stop } from "#relay/call/endings.ts";
import {
  affordableOutput,
  extensionTokens,
  inputHeld,
  outputCharge,
} from "#relay/admission/hold-size.ts";
import { countText } from "#relay/meter/count.ts";
import type { StreamMeter } from "#relay/meter/stream-meter.ts";

export type HeldStream = {
  readonly state: RelayState;
  readonly call: OpenCall;
  /** Whether an extension of the hold was requested and its result is still awaited. */
  extending: boolean;
  /**
   * Monotonic milliseconds. Before this time, an extension of the hold is requested only if the
   * next event cannot pass without it.
   */
  extendAgainMs: number;
};

/**
 * How long after a refused extension none is requested ahead of need. An event that cannot pass
 * without one still requests it.
 */
const extendAgainMs = 1_000;

/** Whether the output comes close to what the hold covers. */
export function runsLow(meter: StreamMeter): boolean {
  return meter.outputTokens + extensionTokens > meter.allowedTokens;
}

/**
 * Requests an extension of the hold while it still covers the output, so that the stream need not
 * wait for one later.
 *
 * @returns a promise only if the result is not known immediately. It never rejects.
 */
export function extendAhead(stream: HeldStream, meter: StreamMeter): Promise<void> | undefined {
  const nowMs = stream.state.deps.ticker.nowMs();
  if (stream.extending || stream.call.clientGone || nowMs < stream.extendAgainMs) return undefined;
  stream.extendAgainMs = nowMs + extendAgainMs;
  const asked = extend(stream, meter, 2 * extensionTokens);
  if (!(asked instanceof Promise)) return undefined;
  stream.extending = true;
  return waitForExtension(stream, asked);
}

async function waitForExtension(stream: HeldStream, asked: Promise<number>): Promise<void> {
  try {
    await asked;
  } catch (error) {
    stream.state.deps.log.error({ err: error }, "a hold could not be extended");
  }
  stream.extending = false;
}

/**
 * Extends the hold until it covers the event that the meter has stopped at.
 *
 * @returns whether there was quota for the event.
 */
export async function payForNext(stream: HeldStream, meter: StreamMeter): Promise<boolean> {
  while (meter.wantedTokens > meter.allowedTokens) {
    // The hold of a call whose client has disconnected is not extended, so that the user pays at
    // most what is held.
    if (stream.call.clientGone) return false;
    const missing = Math.ceil(meter.wantedTokens - meter.allowedTokens);
    const added = await extend(stream, meter, Math.max(missing, extensionTokens));
    if (added > 0) continue;
    if (stream.call.clientGone || !(await recount(stream, meter))) return false;
  }
  return true;
}

/**
 * Called when no more quota can be held. The running estimate of output tokens may be too high, so
 * an exact count of the output, the one that would be billed, may show that the hold covers more.
 * Each recount frees less than the one before, so there are few.
 *
 * @returns whether the hold covers the next event.
 */
async function recount({ call, state }: HeldStream, meter: StreamMeter): Promise<boolean> {
  const { text, truncated } = meter.readOutput();
  if (truncated) return false;
  meter.correct(await countText(state.deps, call.model, text, meter.outputTokens));
  return meter.wantedTokens <= meter.allowedTokens;
}

/** Returns how much more a call may hold at all, in quota units. */
function roomOf(state: RelayState, call: OpenCall): number {
  const most = state.deps.snapshot.options.quotaPerCallMax;
  return most === 0 ? Infinity : most - call.bill.hold.amount();
}

/** Returns the ending of a stream whose next event was not paid for: it names what was used up. */
export function cutOf(state: RelayState, call: OpenCall): Stop {
  return cuts[roomOf(state, call) < 1 ? "call" : call.bill.hold.shortOf()];
}

/**
 * Requests quota for `tokens` more output tokens, and raises the meter's limit to what the hold
 * then pays for.
 *
 * @returns quota units granted.
 */
function extend(stream: HeldStream, meter: StreamMeter, tokens: number): number | Promise<number> {
  const { call, state } = stream;
  const { hold } = call.bill;
  const room = roomOf(state, call);
  const { price, sent } = call;
  const { inputBeyond } = call.bill;
  // Before any output, the prompt must be paid for.
  const owed = inputBeyond === 0 ? 0 : inputHeld(price, sent) + inputBeyond - hold.amount();
  const want = Math.min(outputCharge(price, sent, tokens) + Math.max(0, owed), room);
  if (want < 1) return 0;
  const allow = (added: number): number => {
    if (added > 0) stream.extendAgainMs = 0;
    // No quota was left, so the output will have to be counted soon. The tokenizer's thread takes a
    // while to start and therefore starts now.
    else state.deps.tokenizer.warm();
    const paid = affordableOutput(price, sent, hold.amount() - call.bill.inputBeyond);
    meter.allowedTokens = Math.max(meter.allowedTokens, paid);
    return added;
  };
  const added = hold.extend(want);
  return added instanceof Promise ? added.then(allow) : allow(added);
}
