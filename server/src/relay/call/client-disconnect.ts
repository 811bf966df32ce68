/**
 * Watches for a client that disconnects before its call has ended. The upstream's answer is then
 * read a little longer, to get its usage, and cut off afterwards.
 */

import type { ClientRequest } from "#http/client-request.ts";
import type { OpenCall } from "./attempt-state.ts";
import type { RelayState } from "./relay-state.ts";
import { cancel } from "#network/cancellation.ts";

/** How long the gateway keeps reading an upstream's answer after the client disconnected. */
export const drainMsMax = 5_000;
/**
 * How many answers may be read on after a disconnect at the same time. A further call whose client
 * disconnects is cancelled immediately.
 */
export const drainsMax = 64;

export function watchDisconnect(state: RelayState, call: OpenCall, request: ClientRequest): void {
  request.onDisconnect(() => disconnected(state, call));
}

function disconnected(state: RelayState, call: OpenCall): void {
  if (call.clientGone || !state.calls.has(call)) return;
  call.clientGone = true;
  if (state.drains < drainsMax) {
    state.drains += 1;
    call.isDraining = true;
    call.drainDueMs = state.deps.ticker.nowMs() + drainMsMax;
  } else cancel(call.attempt);
  call.onDisconnect?.();
}

/** Cuts off an answer that has been read long enough since its client disconnected. */
export function checkDrain(call: OpenCall, nowMs: number): void {
  if (nowMs < call.drainDueMs) return;
  call.drainDueMs = Infinity;
  cancel(call.attempt);
}

/** Must be called when the call is over. */
export function endDrain(state: RelayState, call: OpenCall): void {
  if (!call.isDraining) return;
  call.isDraining = false;
  state.drains -= 1;
}
