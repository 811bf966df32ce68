/** How far a running stream is paid for, and how it asks for more quota before that ends. */

import type { OpenCall, RelayState } from "#relay/call.ts";
import { affordableOutput, extensionTokens, outputCharge } from "#relay/stages/hold-size.ts";
import { countText } from "#relay/stages/meter/count.ts";
import type { StreamMeter } from "#relay/stages/meter/stream-meter.ts";

export type HeldStream = {
  readonly state: RelayState;
  readonly call: OpenCall;
  /** More quota was asked for, and the answer is not here yet. */
  extending: boolean;
  /** Monotonic ms until which there is no sense in asking for more ahead. */
  extendAgainMs: number;
};

/** Between two questions for more quota, when there was none the first time. */
const extendAgainMs = 1_000;

/** Whether so little is left of what is paid for that more has to be asked for. */
export function runsLow(meter: StreamMeter): boolean {
  return meter.outputTokens + extensionTokens > meter.allowedTokens;
}

/**
 * Asks for more quota before the stream has to wait for it.
 *
 * @returns a promise only when the answer has to be waited for. It never rejects.
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
 * Gets the event paid for at which the meter is blocked.
 *
 * @returns whether there was quota for it.
 */
export async function payForNext(stream: HeldStream, meter: StreamMeter): Promise<boolean> {
  while (meter.wantedTokens > meter.allowedTokens) {
    // A client that disconnected pays for what was held, not for more.
    if (stream.call.clientGone) return false;
    const missing = Math.ceil(meter.wantedTokens - meter.allowedTokens);
    const added = await extend(stream, meter, Math.max(missing, extensionTokens));
    if (added > 0) continue;
    if (stream.call.clientGone || !(await recount(stream, meter))) return false;
  }
  return true;
}

/**
 * Nothing more is to be had. The estimate leans upward; a count of what was sent, the same that
 * would be billed, may show that there is room left. Each time there is less, so it ends soon.
 *
 * @returns whether the next event is paid for.
 */
async function recount({ call, state }: HeldStream, meter: StreamMeter): Promise<boolean> {
  const { text, truncated } = meter.readOutput();
  if (truncated) return false;
  meter.correct(await countText(state.deps, call.model, text, meter.outputTokens));
  return meter.wantedTokens <= meter.allowedTokens;
}

/** Quota units added for so many tokens; the meter's allowance follows them. */
function extend(stream: HeldStream, meter: StreamMeter, tokens: number): number | Promise<number> {
  const { call, state } = stream;
  const { hold } = call.bill;
  const most = state.deps.snapshot.options.quotaPerCallMax;
  const room = most === 0 ? Infinity : most - hold.amount();
  const want = Math.min(outputCharge(call.price, tokens), room);
  if (want < 1) return 0;
  const allow = (added: number): number => {
    if (added > 0) stream.extendAgainMs = 0;
    const paid = affordableOutput(call.price, call.bounds, hold.amount());
    meter.allowedTokens = Math.max(meter.allowedTokens, paid);
    return added;
  };
  const added = hold.extend(want);
  return added instanceof Promise ? added.then(allow) : allow(added);
}
