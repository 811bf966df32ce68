import type { UpstreamFault } from "#canonical/event.ts";
import type { AnswerEvents } from "./answer-events.ts";

/** Makes the fault of an answer that ended in an error; another channel may succeed. */
export function answerFault(code: string, message: string): UpstreamFault {
  return { code, message, retryable: true, channelFault: false };
}

/**
 * Ends an answer whose stream closed before the upstream had said that it is complete. An answer
 * that has ended stays as it is.
 */
export function breakOff(events: AnswerEvents): void {
  if (events.hasEnded()) return;
  events.fault(answerFault("answer-truncated", "the upstream's stream broke off"));
}
