/** Makes one attempt of a call at one channel: sends the request, and has the answer read. */

import type { OpenCall } from "./call/attempt-state.ts";
import type { RelayState } from "./call/relay-state.ts";
import type { RelayDeps } from "./deps.ts";
import { traceAttempt } from "./call/trace.ts";
import { newCancellation } from "#network/cancellation.ts";
import {
  type AttemptFault,
  cancelledUnsent,
  isGateways,
  isUnsent,
  judgeTransportFault,
  judgeUntranslatable,
} from "./faults/fault.ts";
import { cleaners } from "./cleaners.ts";
import { holdForOverride } from "./settle/hold-override.ts";
import type { ChannelView } from "#ports/snapshot.ts";
import type { WrittenForm } from "./admission/multipart.ts";
import { type Attempt, failed, readSent } from "./answers/read-answer.ts";
import { fileAlone, writeUpload } from "./admission/read-upload.ts";
import type { Upload } from "./call/facts.ts";
import { wayTo } from "./plan.ts";
import { withPromptCacheMarks } from "./ways/prompt-cache-marks.ts";
import { isInstructed } from "./ways/instructions.ts";
import { headersTo, passedTo } from "./ways/sending.ts";
import { type Reading, usageField, type Way } from "./ways/way.ts";
import { noLosses } from "./settle/record.ts";
import type { Attempts, Verdict } from "./routing/choose.ts";
import { scopeOf } from "./faults/fault-scope.ts";
import { keyMarkOf } from "./places/order.ts";
import { endUse, noteLimits, startUse } from "./routing/use-key.ts";
import { nextKey, readableBy, unbind } from "./routing/issuer.ts";
import { sendSigned } from "./ways/signed-request.ts";
import type { BodyRefusal } from "#formats/format.ts";
import type { TransportAnswer, TransportFault } from "#network/answer.ts";
import type { TransportCall } from "#network/transport.ts";

/** How a call is tried at a channel. */
export const callAttempts: Attempts<OpenCall, Attempt> = { once: tryChannel, judge };

/** Says whether a call goes on to another channel, or to the same one with another request. */
function judge(call: OpenCall, attempt: Attempt): Verdict {
  if (attempt.kind !== "failed") return "done";
  if (changeRequest(call, attempt.fault)) return "again";
  call.way = null;
  return attempt.fault.retryable ? "next" : "done";
}

/** Changes what the upstream has refused, if the call can do without it. */
function changeRequest(call: OpenCall, fault: AttemptFault): boolean {
  if (call.way === null || call.clientGone || call.stop !== null) return false;
  const other = wayWithoutUsage(call, call.way, fault);
  if (other === undefined) return unbind(call, fault);
  call.way = other;
  return true;
}

/** Makes one attempt at this channel. An upstream's failure is returned, not thrown. */
async function tryChannel(
  state: RelayState,
  call: OpenCall,
  channel: ChannelView,
): Promise<Attempt> {
  const { deps, health } = state;
  const key = nextKey(state, call, channel);
  call.key = key;
  const startedMs = deps.ticker.nowMs();
  call.tried.push(channel);
  const keyMark = keyMarkOf(channel, key);
  health.started(channel.id, keyMark, call.model);
  startUse(health, call, channel, keyMark);
  let attempt: Attempt | undefined;
  try {
    const way = call.way ?? wayTo(call.plan, channel);
    call.way = way;
    const sent = await send(state, call, way, key);
    if (sent.kind === "answer") noteLimits(state, call, channel, keyMark, sent);
    const read = readSent(state, call, way, sent);
    attempt = read instanceof Promise ? await read : read;
    return attempt;
  } finally {
    // The cancellation of a stream is kept, because the stream continues after the attempt and can
    // still be cancelled.
    if (attempt?.kind !== "stream") call.attempt = null;
    if (attempt?.kind !== "stream" && attempt?.kind !== "whole") endUse(health, call, null);
    if (attempt?.kind === "failed") {
      noteFault(state, call, { channel, key, keyMark }, attempt.fault);
    } else {
      health.ended(channel.id, attempt === undefined ? unknown : answered, keyMark, call.model);
    }
    if (attempt !== undefined) countAttempt(state, call, channel, attempt, startedMs);
    if (call.trace !== null) {
      traceAttempt(state, call, channel, { startedMs, fault: traceFault(attempt) });
    }
  }
}

/** Counts an ended attempt for the statistics of its channel. */
function countAttempt(
  { deps }: RelayState,
  { model, tried }: OpenCall,
  { id }: ChannelView,
  attempt: Attempt,
  startedMs: number,
): void {
  const isRetry = tried.length > 1;
  if (attempt.kind !== "failed") {
    deps.attempts.answered(id, model, isRetry, deps.ticker.nowMs() - startedMs);
  } else if (!isUnsent(attempt.fault.code) && !isGateways(attempt.fault.code)) {
    deps.attempts.failed(id, model, isRetry, attempt.fault.code);
  }
}

function traceFault(attempt: Attempt | undefined): string {
  if (attempt === undefined) return "internal";
  return attempt.kind === "failed" ? attempt.fault.code : "";
}

const answered = { kind: "answered" } as const;
const unknown = { kind: "unknown" } as const;

/** A channel, the key of it that is used, and what stands for that. */
type KeyedChannel = {
  readonly channel: ChannelView;
  readonly key: string;
  readonly keyMark: number;
};

function noteFault(
  { deps, health }: RelayState,
  { bytes, model, requestId }: OpenCall,
  { channel, key, keyMark }: KeyedChannel,
  { code, countsAgainstChannel, disableReason, retryAfterMs, suspicion, ...fault }: AttemptFault,
): void {
  const isUnknown = code === "aborted" || code === "gateway-files" || isUnsent(code);
  if (isUnknown) health.ended(channel.id, unknown, keyMark, model);
  else if (countsAgainstChannel) {
    const scope = scopeOf(code);
    health.ended(channel.id, { kind: "failed", retryAfterMs, scope }, keyMark, model);
  } else health.ended(channel.id, answered, keyMark, model);
  deps.metrics.channelFault(channel.id, code);
  const detail = cleaners.cutQuotes(fault.detail, bytes);
  deps.log.info({ requestId, channelId: channel.id, code, detail }, "an attempt failed");
  if (disableReason !== null) {
    deps.disableChannel(channel, key, cleaners.cutQuotes(disableReason, bytes));
  } else if (suspicion !== null) {
    deps.suspectChannel(channel, cleaners.cutQuotes(suspicion, bytes));
  }
}

/**
 * Returns the way without asking for the usage, if the upstream has refused the field that asks for
 * it, as old servers do. Undefined: it has not. Nothing is kept for other calls, because the words of
 * an error may be the client's.
 */
function wayWithoutUsage(
  { body }: OpenCall,
  way: Way,
  { code, detail }: AttemptFault,
): Way | undefined {
  const isRefusal = (code === "http-400" || code === "http-422") && detail.includes(usageField);
  return isRefusal ? way.withoutUsage(body) : undefined;
}

type Outbound = TransportCall & { readonly body: Uint8Array };
/** What came of sending a request; an attempt only if nothing was sent. */
type SendResult = Attempt | TransportAnswer | TransportFault;

function send(
  state: RelayState,
  call: OpenCall,
  way: Way,
  key: string,
): Attempt | Promise<SendResult> {
  const { channel, target } = way;
  if (target === null) return unreachable;
  const body = writeBody(state.deps, call, way);
  if (!(body instanceof Uint8Array)) return failed(judgeUntranslatable(body));
  const reading = call.reading ?? way.reading;
  const form = call.upload === null ? null : writeFiles(body, call.upload, reading);
  const cancellation = newCancellation();
  const outbound: Outbound = {
    method: "POST",
    target,
    // Headers of the client's format mean nothing to an upstream of another.
    headers: headersTo(
      way,
      target,
      key,
      passedTo(way, reading, call.passed, form?.contentType ?? null),
    ),
    body,
    pieces: form?.pieces,
    isStream: call.isStream,
    limits: channel.limits,
    cancellation,
    budget: state.deps.budget,
    owner: call.credential.user.id,
    isLastMessage: way.isLastMessage,
  };
  call.attempt = cancellation;
  call.sent = call.bounds;
  if (channel.paramOverride !== null || isInstructed(way, call.body) || reading.changesPrice) {
    return sendOverridden(state, call, { way, key }, outbound);
  }
  return dispatch(state, call, { way, key }, outbound);
}

/** Writes the files of a call as the upstream takes them: in a form, or one as the body itself. */
function writeFiles(body: Uint8Array, upload: Upload, { sendsFileAlone }: Reading): WrittenForm {
  return sendsFileAlone ? fileAlone(upload) : writeUpload(body, upload);
}

/** A way, and the key of the channel that is used. */
type KeyedWay = { readonly way: Way; readonly key: string };

function dispatch(
  { deps }: RelayState,
  call: OpenCall,
  { way, key }: KeyedWay,
  outbound: Outbound,
): Promise<SendResult> {
  const { sign } = way.channel.provider;
  call.dispatched = true;
  if (sign === undefined) return deps.transport(outbound);
  return sendSigned(deps, way, { key, sign }, outbound);
}

/** Writes the request's body in the upstream's format; a refusal says why that is impossible. */
function writeBody(deps: RelayDeps, call: OpenCall, way: Way): BodyRefusal | Uint8Array {
  call.reading = null;
  call.leftOut = noLosses;
  const readable = readableBy(deps, call, way);
  if ("message" in readable) return readable;
  const made = way.write(call, readable, deps.endUserOf);
  if (!(made instanceof Uint8Array) && "message" in made) return made;
  const isPlain = made instanceof Uint8Array;
  call.reading = isPlain ? way.reading : made.reading;
  const bytes = isPlain ? made : made.bytes;
  return way.channel.marksCaches ? withPromptCacheMarks(way, call, bytes, deps.endUserOf) : bytes;
}

/**
 * Sends a request that may cost more than the client's, by overridden parameters, a raised limit or
 * another service tier.
 */
async function sendOverridden(
  state: RelayState,
  call: OpenCall,
  keyed: KeyedWay,
  outbound: Outbound,
): Promise<SendResult> {
  const { requests } = keyed.way;
  const fault = await holdForOverride(state, call, requests, outbound.body);
  if (fault !== null) return failed(fault);
  // The client disconnected while the hold was extended, and no request was sent that costs money.
  if (outbound.cancellation.isCancelled) return failed(cancelledUnsent);
  return await dispatch(state, call, keyed, outbound);
}

const unreachable: Attempt = failed(
  judgeTransportFault({ kind: "fault", code: "address-unresolved", status: 502 }),
);
