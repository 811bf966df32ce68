/**
 * Watches for a client that disconnects before its call has ended. The upstream's answer is then
 * read a little longer, to get its usage, and cut off afterwards.
 */

import type { ClientRequest } from "#http/client-request.ts";
import type { OpenCall, RelayState } from "#relay/call.ts";
import { cancel } from "#network/cancellation.ts";
import type { Ticking } from "#network/ticker.ts";

/** How long the gateway keeps reading an upstream's answer after the client disconnected. */
export const drainMsMax = 5_000;
/**
 * How many answers may be read on after a disconnect at the same time. A further call whose client
 * disconnects is cancelled immediately.
 */
export const drainsMax = 64;

export type DisconnectWatch = {
  /** Stops watching for a disconnect, because the call is over. */
  end(): void;
  /** Called once when the client disconnects; null: nobody needs to know. */
  onDisconnect: (() => void) | null;
};

export function watchDisconnect(
  state: RelayState,
  call: OpenCall,
  request: ClientRequest,
): DisconnectWatch {
  const { ticker } = state.deps;
  let isDraining = false;
  let isOver = false;
  let dueMs = Infinity;

  const ticking: Ticking = {
    tick(nowMs) {
      if (nowMs < dueMs) return;
      dueMs = Infinity;
      cancel(call.attempt);
    },
  };

  function disconnected(): void {
    if (call.clientGone || isOver) return;
    call.clientGone = true;
    isDraining = state.drains < drainsMax;
    if (isDraining) {
      state.drains += 1;
      dueMs = ticker.nowMs() + drainMsMax;
      ticker.add(ticking);
    } else cancel(call.attempt);
    watch.onDisconnect?.();
  }

  function end(): void {
    isOver = true;
    if (!isDraining) return;
    isDraining = false;
    state.drains -= 1;
    ticker.remove(ticking);
  }

  const watch: DisconnectWatch = { end, onDisconnect: null };
  request.onDisconnect(disconnected);
  return watch;
}
