/** How a call begins and ends, and what is checked while it runs. */

import { noUsage } from "@tollgate/contract/money/charge.ts";
import { inputOf, outputOf } from "#canonical/usage.ts";
import type { Transcript } from "#ports/transcript.ts";
import { checkDrain, endDrain } from "./client-disconnect.ts";
import { traceCall } from "./trace.ts";
import type { OpenCall } from "./attempt-state.ts";
import type { CallEnd } from "./facts.ts";
import type { RelayState } from "./relay-state.ts";
import { leave } from "#relay/admission/calls-at-once.ts";
import { countSuccess } from "#relay/admission/limits.ts";
import { endUse } from "#relay/routing/use-key.ts";
import { endPiece } from "#relay/meter/unfinished-piece.ts";
import { endUpload } from "#relay/admission/read-upload.ts";
import { checkBill, release } from "#relay/settle/settle.ts";

/** State kept for deleted channels is dropped once in this many calls. */
const forgetEvery = 1_000;

/** Registers a call as running. */
export function startCall(state: RelayState, call: OpenCall): void {
  state.calls.add(call);
  state.deps.ticker.add(state.ticking);
  state.deps.metrics.callsOpen(1);
  state.count += 1;
  if (state.count % forgetEvery === 0) forgetChannels(state);
}

/** Checks the time limits of the running calls: one entry of the timer for all of them. */
export function checkCalls(state: RelayState, nowMs: number): void {
  if (state.calls.size === 0) state.deps.ticker.remove(state.ticking);
  for (const call of state.calls) {
    checkDrain(call, nowMs);
    checkBill(state.deps.log, call, nowMs);
  }
}

function forgetChannels({ deps, health, keys }: RelayState): void {
  const isKnown = (id: number): boolean => deps.snapshot.findChannel(id) !== undefined;
  health.keep(isKnown);
  keys.keep(isKnown);
}

/**
 * Ends a call that `startCall` registered, and counts it in the metrics. If it has ended before,
 * nothing happens.
 */
export function endCall(state: RelayState, call: OpenCall, end: CallEnd): void {
  if (!state.calls.delete(call)) return;
  endDrain(state, call);
  leave(state.atOnce, call.credential);
  endUpload(call.upload);
  if (call.piece !== null) endPiece(call.piece);
  endUse(state.health, call, end.counted?.usage ?? null);
  // After a call no quota may stay held, even if an error ended it.
  release(call.bill);
  state.deps.metrics.callsOpen(-1);
  countEnd(state, call, end);
  if (call.transcript !== null) endTranscript(call, call.transcript);
  if (call.trace !== null) traceCall(state, call, end);
  const { requestLimit } = state.deps.snapshot.options;
  if (requestLimit.successes > 0 && end.status < 400) {
    void countSuccess(state.deps, call.credential.user.id, requestLimit);
  }
}

function endTranscript(call: OpenCall, transcript: Transcript): void {
  const { requestId, credential, formatId, isStream, bytes } = call;
  transcript.end({ requestId, userId: credential.user.id, formatId, isStream, request: bytes });
}

/** Counts a call in the metrics, including calls refused before they ran. */
export function countEnd(
  { deps }: RelayState,
  call: Pick<OpenCall, "firstByteMs" | "isStream" | "startedMs">,
  { status, counted }: CallEnd,
): void {
  const usage = counted?.usage ?? noUsage;
  deps.metrics.callEnded({
    status,
    stream: call.isStream,
    durationMs: deps.ticker.nowMs() - call.startedMs,
    firstByteMs: call.firstByteMs,
    inputTokens: inputOf(usage),
    outputTokens: outputOf(usage),
  });
}
