/** Shutdown: waits for the calls in progress. Those that take too long are ended and billed. */

import { cancel } from "#network/cancellation.ts";
import { endings } from "./answers/endings.ts";
import type { RelayState } from "./call.ts";

/** How long a call may continue after the shutdown has begun. */
export const drainCallsMs = 600_000;
const drainStepMs = 50;

/** Resolves when no call is in progress any more. */
export async function drain(state: RelayState): Promise<void> {
  const dueMs = state.deps.ticker.nowMs() + drainCallsMs;
  // A session has no end to wait for; its client opens another one.
  for (const session of state.sessions) session.stop(endings.stopped);
  while (state.calls.size > 0) {
    if (state.deps.ticker.nowMs() >= dueMs) {
      for (const call of state.calls) {
        call.stop = endings.stopped;
        cancel(call.attempt);
      }
    }
    await new Promise((resolve) => setTimeout(resolve, drainStepMs));
  }
}
