/**
 * What happens when a client leaves before its answer is whole: the upstream is read on for a
 * moment, so that its own count can be billed, and is then cut off.
 */

import type { OpenCall, RelayState } from "./call.ts";
import { cancel } from "./cancellation.ts";
import type { Ticking } from "./ticker.ts";

/** How long an answer nobody waits for is read. */
export const drainMsMax = 5_000;
/** How many such answers at once; the next ones are cut off at once. */
export const drainsMax = 64;

export type Departure = {
  /** The client has left. May be called again. */
  left(): void;
  /** The call is over. */
  end(): void;
  /** Called once when the client leaves. */
  onLeft: (() => void) | null;
};

export function watchDeparture(state: RelayState, call: OpenCall, request: Request): Departure {
  const { ticker } = state.deps;
  let signal: AbortSignal | null = null;
  let isDraining = false;
  let dueMs = Infinity;

  const ticking: Ticking = {
    tick(nowMs) {
      // Most calls are over before anybody has to listen for them.
      if (signal === null) listen();
      if (nowMs < dueMs) return;
      dueMs = Infinity;
      cancel(call.attempt);
    },
  };

  function listen(): void {
    signal = request.signal;
    if (signal.aborted) left();
    else signal.addEventListener("abort", left);
  }

  function left(): void {
    if (call.clientGone) return;
    call.clientGone = true;
    isDraining = state.drains < drainsMax;
    if (isDraining) {
      state.drains += 1;
      dueMs = ticker.nowMs() + drainMsMax;
    } else cancel(call.attempt);
    departure.onLeft?.();
  }

  function end(): void {
    signal?.removeEventListener("abort", left);
    ticker.remove(ticking);
    if (isDraining) state.drains -= 1;
    isDraining = false;
  }

  const departure: Departure = { left, end, onLeft: null };
  ticker.add(ticking);
  return departure;
}
