import type { JsonObject } from "#base/json.ts";
import type { UpstreamFault } from "#canonical/event.ts";
import type { AnswerEvents } from "./answer-events.ts";
import { pauseOf } from "./errors/error-pause.ts";

/**
 * Makes the fault of an answer that ended in an error; another channel may succeed.
 *
 * @param error the upstream's error, which may ask for a pause outside its message.
 */
export function answerFault(code: string, message: string, error?: JsonObject): UpstreamFault {
  const retryAfterMs = pauseOf(error === undefined ? message : JSON.stringify(error));
  const pause = retryAfterMs === undefined ? {} : { retryAfterMs };
  return { code, message, retryable: true, channelFault: false, ...pause };
}

/**
 * Ends an answer whose stream closed before the upstream had said that it is complete. An answer
 * that has ended stays as it is.
 */
export function breakOff(events: AnswerEvents): void {
  if (events.hasEnded()) return;
  events.fault(answerFault("answer-truncated", "the upstream's stream broke off"));
}
