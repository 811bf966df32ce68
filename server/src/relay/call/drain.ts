/** Shutdown: waits for the calls in progress. Those that take too long are ended and billed. */

import { cancel } from "#network/cancellation.ts";
import { endings } from "./endings.ts";
import type { RelayState } from "./relay-state.ts";

/** How long a call may continue after the shutdown has begun. */
export const drainCallsMs = 600_000;
const drainStepMs = 50;

/** How often it is told what the shutdown waits for. */
const tellEveryMs = 10_000;

/** The most calls that are named at a time. */
const namesMax = 20;

/**
 * How long the shutdown still waits, after all calls had to end, for requests that are no calls and
 * for answers that are not sent yet.
 */
const lastWordsMs = 10_000;

/** Ends the sessions: a session has no end to wait for; its client opens another one. */
export function endSessions(state: RelayState): void {
  for (const session of state.sessions) session.stop(endings.stopped);
}

/**
 * Resolves when no call is in progress any more.
 *
 * @param others returns how many requests are in progress on the server, calls among them: a request
 *   may still be sending its body, and an answer may not be read yet.
 */
export async function drain(state: RelayState, others: () => number): Promise<void> {
  const { log, ticker } = state.deps;
  const fromMs = ticker.nowMs();
  const dueMs = fromMs + drainCallsMs;
  let tellMs = fromMs + tellEveryMs;
  endSessions(state);
  while (state.calls.size > 0 || others() > 0) {
    const nowMs = ticker.nowMs();
    if (nowMs >= dueMs) {
      for (const call of state.calls) {
        call.stop = endings.stopped;
        cancel(call.attempt);
      }
    }
    if (nowMs >= dueMs + lastWordsMs && state.calls.size === 0) return;
    if (nowMs >= tellMs) {
      tellMs = nowMs + tellEveryMs;
      log.warn(
        { requests: others(), calls: namesOf(state, nowMs) },
        "the shutdown waits for calls",
      );
    }
    await new Promise((resolve) => setTimeout(resolve, drainStepMs));
  }
}

function namesOf({ calls }: RelayState, nowMs: number): string[] {
  return [...calls].slice(0, namesMax).map(({ requestId, model, credential, startedMs }) => {
    const seconds = Math.round((nowMs - startedMs) / 1_000);
    return `${requestId} ${model}, user ${credential.user.id}, ${seconds} s`;
  });
}
