/** How realtime sessions end, and what their client is told. */

import { CallRefusal, ownErrorType } from "#relay/call/call-refusal.ts";
import { endings, type Stop } from "#relay/call/endings.ts";
import type { SessionError } from "#formats/live.ts";

/** Close codes of RFC 6455, section 7.4.1. */
export const codes = {
  normal: 1_000,
  goingAway: 1_001,
  invalid: 1_007,
  policy: 1_008,
  failed: 1_011,
  tryAgainLater: 1_013,
} as const;

export const setupMissing = () =>
  new CallRefusal(408, "request_timeout", "no setup came: send it first, with the model", {
    param: "setup",
  });

/** How a session ends whose client sends what the API does not allow. */
export function invalid(error: SessionError): Stop {
  const { note } = endings.disconnected;
  return { status: 400, error: { type: ownErrorType, ...error }, note };
}

/** Returns the close code that says why the gateway ends a session. */
export function closeCode(stop: Stop): number {
  if (stop === endings.stopped) return codes.goingAway;
  if (stop === endings.busy) return codes.tryAgainLater;
  if (stop.status === 400) return codes.invalid;
  return stop.status >= 500 ? codes.failed : codes.policy;
}
