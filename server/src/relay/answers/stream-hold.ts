/** Extends the hold of a running stream before its output exceeds what is held. */

import type { OpenCall, RelayState } from "#relay/call.ts";
import { affordableOutput, extensionTokens, outputCharge } from "#relay/stages/hold-size.ts";
import { countText } from "#relay/stages/meter/count.ts";
import type { StreamMeter } from "#relay/stages/meter/stream-meter.ts";

export type HeldStream = {
  readonly state: RelayState;
  readonly call: OpenCall;
  /** Whether an extension was requested and not answered yet. */
  extending: boolean;
  /** No extension is requested ahead of need before this time. Monotonic milliseconds. */
  extendAgainMs: number;
};

/** Pause between requests for an extension, after one was refused. */
const extendAgainMs = 1_000;

/** Whether the output is close to what the hold covers. */
export function runsLow(meter: StreamMeter): boolean {
  return meter.outputTokens + extensionTokens > meter.allowedTokens;
}

/**
 * Requests an extension before the stream has to wait for one.
 *
 * @returns a promise only if the answer takes time. It never rejects.
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
 * Covers the event at which the meter is blocked.
 *
 * @returns whether there was quota for it.
 */
export async function payForNext(stream: HeldStream, meter: StreamMeter): Promise<boolean> {
  while (meter.wantedTokens > meter.allowedTokens) {
    // A disconnected client pays no more than what is held.
    if (stream.call.clientGone) return false;
    const missing = Math.ceil(meter.wantedTokens - meter.allowedTokens);
    const added = await extend(stream, meter, Math.max(missing, extensionTokens));
    if (added > 0) continue;
    if (stream.call.clientGone || !(await recount(stream, meter))) return false;
  }
  return true;
}

/**
 * No more quota can be had. The running estimate may be too high, so an exact count of the output, the
 * one that would be billed, may show that there is room left. There is less each time, so this ends
 * soon.
 *
 * @returns whether the next event is covered.
 */
async function recount({ call, state }: HeldStream, meter: StreamMeter): Promise<boolean> {
  const { text, truncated } = meter.readOutput();
  if (truncated) return false;
  meter.correct(await countText(state.deps, call.model, text, meter.outputTokens));
  return meter.wantedTokens <= meter.allowedTokens;
}

/**
 * Requests quota for `tokens` more, and raises the meter's allowance by what was granted.
 *
 * @returns quota units granted.
 */
function extend(stream: HeldStream, meter: StreamMeter, tokens: number): number | Promise<number> {
  const { call, state } = stream;
  const { hold } = call.bill;
  const most = state.deps.snapshot.options.quotaPerCallMax;
  const room = most === 0 ? Infinity : most - hold.amount();
  const want = Math.min(outputCharge(call.price, tokens), room);
  if (want < 1) return 0;
  const allow = (added: number): number => {
    if (added > 0) stream.extendAgainMs = 0;
    // The output will be counted when the hold is used up: the thread that counts starts now.
    else state.deps.tokenizer.warm();
    const paid = affordableOutput(call.price, call.sent, hold.amount());
    meter.allowedTokens = Math.max(meter.allowedTokens, paid);
    return added;
  };
  const added = hold.extend(want);
  return added instanceof Promise ? added.then(allow) : allow(added);
}
