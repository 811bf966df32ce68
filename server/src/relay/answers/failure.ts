/** Ends a call for which no channel gave an answer. */

import { role } from "@tollgate/contract/endpoints/users.ts";
import type { ErrorText } from "#formats/format.ts";
import type { ClientResponse } from "#http/client-request.ts";
import type { CallEnd } from "#relay/call/facts.ts";
import type { OpenCall } from "#relay/call/attempt-state.ts";
import type { RelayState } from "#relay/call/relay-state.ts";
import type { Attempt } from "./read-answer.ts";
import type { AttemptFault } from "#relay/faults/fault.ts";
import { transportMessage } from "#relay/faults/fault-words.ts";
import { cleaners } from "#relay/cleaners.ts";
import { failureLog } from "#relay/settle/record.ts";
import { release } from "#relay/settle/settle.ts";
import { errorResponse, inWordsOf, ownErrorType } from "#relay/call/call-refusal.ts";
import { endings } from "#relay/call/endings.ts";
import { noChannel } from "#relay/call/refusals.ts";
import { billDisconnected } from "./whole.ts";

export type Failure = CallEnd & {
  readonly error: ErrorText;
  /** The pause to announce in the `retry-after` header; null: the answer has no such header. */
  readonly retryAfterMs: number | null;
};

/**
 * Releases the hold and records the failure. Nothing is charged, unless the client disconnected, or
 * its own user stopped the call, while an upstream was working on it.
 *
 * @param attempt the call's last attempt; null: there was no channel to try.
 */
export async function endUnanswered(
  state: RelayState,
  call: OpenCall,
  attempt: Attempt | null,
): Promise<Failure> {
  const { deps } = state;
  const fault = attempt?.kind === "failed" ? attempt.fault : null;
  const isLeft = call.clientGone || call.stop?.isOwn === true;
  if (isLeft && call.dispatched && (fault === null || fault.code === "aborted")) {
    const end = attempt?.kind === "failed" ? attempt.end : undefined;
    const ending = call.clientGone ? disconnected : failureOf(call, fault);
    return { ...ending, counted: await billDisconnected(state, call, end) };
  }
  release(call.bill);
  const failure = failureOf(call, fault);
  const { status } = failure;
  const error = withoutQuotes(call, failure.error);
  const why = whyOf(call, fault);
  deps.recordFailure(failureLog(call, { status, error, fault: why, nowMs: deps.now() }));
  return failure;
}

/** What the row says besides the error: who has stopped the call and why, or what the upstream did. */
function whyOf({ clientGone, stop }: OpenCall, fault: AttemptFault | null): string {
  if (stop !== null && stop.isOwn !== undefined) return stop.note;
  return fault === null || clientGone ? "" : transportMessage(fault.code);
}

/** The error as it is stored: without what the upstream quotes of the request. */
function withoutQuotes({ bytes, stop }: OpenCall, error: ErrorText): ErrorText {
  if (error.type === ownErrorType || stop !== null) return error;
  const { code, message, type } = error;
  return {
    type: cleaners.cutQuotes(type, bytes),
    code: cleaners.cutQuotes(code, bytes),
    message: cleaners.cutQuotes(message, bytes),
  };
}

const disconnected: Failure = {
  status: endings.disconnected.status,
  error: { type: ownErrorType, code: "client_left", message: endings.disconnected.note },
  retryAfterMs: null,
  counted: null,
};

function failureOf(call: OpenCall, fault: AttemptFault | null): Failure {
  if (call.stop !== null) {
    const { error, status } = call.stop;
    return { status, error, retryAfterMs: null, counted: null };
  }
  if (call.clientGone) return disconnected;
  if (fault !== null) {
    const { retryAfterMs, status } = fault;
    return { status, error: shownTo(call, fault), retryAfterMs, counted: null };
  }
  const { code, message, status } = noChannel(call.group, call.model);
  const error = { type: ownErrorType, code, message };
  return { status, error, retryAfterMs: null, counted: null };
}

/**
 * The error as the caller may see it. Administrators in the playground read which channel failed and
 * why; everybody else, and every program, gets what does not give the upstream away.
 */
function shownTo({ credential, tried }: OpenCall, { shown, words }: AttemptFault): ErrorText {
  // Playground calls have no token; their token id is 0.
  const isOperator = credential.token.id === 0 && credential.user.role >= role.enum.admin;
  if (!isOperator) return shown;
  return { ...shown, message: `${tried.at(-1)?.name ?? ""}：${words().message}` };
}

export function failureResponse(
  { deps }: RelayState,
  call: OpenCall,
  { status, error: said, retryAfterMs }: Failure,
): ClientResponse {
  const { format, requestId } = call;
  const error = inWordsOf(call, deps.errorText, said);
  const seconds = retryAfterMs === null ? null : Math.ceil(retryAfterMs / 1_000);
  const response = errorResponse(format, { status, error, requestId }, seconds);
  call.transcript?.add(response.body ?? "");
  return response;
}
