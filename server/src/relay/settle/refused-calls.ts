/**
 * What is noted of calls that are refused before an upstream is tried: a trace, and for want of
 * money or by a limit a row of the log, so that the request id in the client's error leads to its
 * reason. The rows of one user are bounded, because refusing costs next to nothing and storing does
 * not.
 */

import type { CallMeta, ClientRequest } from "#http/client-request.ts";
import type { CallRefusal } from "#relay/call/call-refusal.ts";
import type { Credential } from "#relay/call/facts.ts";
import { countEnd } from "#relay/call/life.ts";
import type { RefusedRows, RelayState } from "#relay/call/relay-state.ts";
import { traceRefusal } from "#relay/call/trace.ts";
import type { Ingress } from "#relay/ingress.ts";
import { failureLog, noLosses } from "./record.ts";

/** The codes of refusals for want of money or by a limit. */
const notedCodes: ReadonlySet<string> = new Set([
  "insufficient_user_quota",
  "pre_consume_token_quota_failed",
  "quota_per_call_exceeded",
  "rate_limit_exceeded",
  "spend_limit_exceeded",
  "token_budget_exceeded",
  "user_in_debt",
]);

/** The most rows of one user in a minute; further refusals are only counted. */
export const refusedRowsMax = 20;

const minuteMs = 60_000;

export function openRefusedRows(): RefusedRows {
  return { minute: 0, byUser: new Map() };
}

type Refused = {
  readonly ingress: Ingress;
  readonly startedMs: number;
  readonly refusal: CallRefusal;
  /** Who called; null: the caller is not known. */
  readonly credential: Credential | null;
};

/** Counts and traces a refused call, and adds it to the log if its caller asks why. */
export function noteRefused(
  state: RelayState,
  request: ClientRequest,
  { clientIp, requestId }: CallMeta,
  { ingress, startedMs, refusal, credential }: Refused,
): void {
  const { deps } = state;
  const { code, message, status } = refusal;
  countEnd(state, { isStream: false, startedMs, firstByteMs: null }, { status, counted: null });
  traceRefusal(deps, request, { requestId, ingress, startedMs, refusal });
  if (credential === null || !notedCodes.has(code)) return;
  const nowMs = deps.now();
  if (!takesRow(state.refusedRows, credential.user.id, nowMs)) return;
  const call = {
    requestId,
    clientIp,
    credential,
    model: "",
    group: credential.token.group || credential.user.group,
    isStream: false,
    reading: null,
    leftOut: noLosses,
    tried: [],
    startedAt: nowMs,
    firstByteMs: null,
  };
  const error = { type: refusal.type, code, message };
  deps.recordFailure(failureLog(call, { status, error, fault: "", nowMs }));
}

function takesRow(rows: RefusedRows, userId: number, nowMs: number): boolean {
  const minute = Math.floor(nowMs / minuteMs);
  if (rows.minute !== minute) {
    rows.minute = minute;
    rows.byUser.clear();
  }
  const noted = rows.byUser.get(userId) ?? 0;
  if (noted >= refusedRowsMax) return false;
  rows.byUser.set(userId, noted + 1);
  return true;
}
