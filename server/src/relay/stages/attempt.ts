/** Makes one attempt of a call at one channel: sends the request, and has the answer read. */

import type { OpenCall } from "#relay/call/attempt-state.ts";
import type { RelayState } from "#relay/call/relay-state.ts";
import type { RelayDeps } from "#relay/deps.ts";
import { traceAttempt } from "#relay/call/trace.ts";
import { newCancellation } from "#network/cancellation.ts";
import {
  type AttemptFault,
  cancelledUnsent,
  isGateways,
  isUnsent,
  judgeTransportFault,
  judgeUntranslatable,
} from "./fault.ts";
import { cleaners } from "#relay/cleaners.ts";
import { holdForOverride } from "./hold-override.ts";
import type { ChannelView } from "#ports/snapshot.ts";
import type { WrittenForm } from "./multipart.ts";
import { type Attempt, failed, readSent } from "./read-answer.ts";
import { fileAlone, writeUpload } from "./read-upload.ts";
import type { Upload } from "#relay/call/facts.ts";
import { wayTo } from "#relay/plan.ts";
import { isInstructed } from "#relay/ways/instructions.ts";
import { headersTo, passedTo } from "#relay/ways/sending.ts";
import { type Reading, usageField, type Way } from "#relay/ways/way.ts";
import { noLosses } from "./record.ts";
import { nextKey, readableBy } from "./issuer.ts";
import { sendSigned } from "./signed-request.ts";
import type { BodyRefusal } from "#formats/format.ts";
import type { TransportAnswer, TransportFault } from "#network/answer.ts";
import type { TransportCall } from "#network/transport.ts";

/**
 * Makes one attempt at this channel, in the given way or else in that of the plan. An upstream's
 * failure is returned, not thrown.
 */
export async function tryChannel(
  state: RelayState,
  call: OpenCall,
  channel: ChannelView,
  given: Way | null,
): Promise<Attempt> {
  const { deps, health } = state;
  const key = nextKey(state, call, channel);
  call.key = key;
  const startedMs = deps.ticker.nowMs();
  call.tried.push(channel);
  health.started(channel.id);
  let attempt: Attempt | undefined;
  try {
    const way = given ?? wayTo(call.plan, channel);
    const sent = await send(state, call, way, key);
    const read = readSent(state, call, way, sent);
    attempt = read instanceof Promise ? await read : read;
    return attempt;
  } finally {
    // The cancellation of a stream is kept, because the stream continues after the attempt and can
    // still be cancelled.
    if (attempt?.kind !== "stream") call.attempt = null;
    if (attempt?.kind === "failed") noteFault(state, call, { channel, key }, attempt.fault);
    else health.ended(channel.id, { kind: attempt === undefined ? "unknown" : "answered" });
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

function noteFault(
  { deps, health }: RelayState,
  { bytes, requestId }: OpenCall,
  { channel, key }: { readonly channel: ChannelView; readonly key: string },
  { code, countsAgainstChannel, disableReason, retryAfterMs, suspicion, ...fault }: AttemptFault,
): void {
  const isUnknown = code === "aborted" || code === "gateway-files" || isUnsent(code);
  if (isUnknown) health.ended(channel.id, { kind: "unknown" });
  else if (countsAgainstChannel) health.ended(channel.id, { kind: "failed", retryAfterMs });
  else health.ended(channel.id, { kind: "answered" });
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
export function wayWithoutUsage(
  { body, clientGone, plan, stop }: OpenCall,
  channel: ChannelView,
  { code, detail }: AttemptFault,
): Way | undefined {
  const isRefusal = (code === "http-400" || code === "http-422") && detail.includes(usageField);
  if (!isRefusal || clientGone || stop !== null) return undefined;
  return wayTo(plan, channel).withoutUsage(body);
}

type Outbound = TransportCall & { readonly body: Uint8Array };
/** What came of sending a request; an attempt only if nothing was sent. */
type Sent = Attempt | TransportAnswer | TransportFault;

function send(state: RelayState, call: OpenCall, way: Way, key: string): Attempt | Promise<Sent> {
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
): Promise<Sent> {
  const { sign } = way.channel.provider;
  call.dispatched = true;
  if (sign === undefined) return deps.transport(outbound);
  return sendSigned(deps, way, { key, sign }, outbound);
}

/** Writes the request's body in the upstream's format; a refusal says why that is impossible. */
function writeBody(deps: RelayDeps, call: OpenCall, way: Way): BodyRefusal | Uint8Array {
  call.way = way;
  call.reading = null;
  call.leftOut = noLosses;
  const readable = readableBy(deps, call, way);
  if ("message" in readable) return readable;
  const made = way.write(call, readable, deps.endUserOf);
  if (made instanceof Uint8Array) {
    call.reading = way.reading;
    return made;
  }
  if ("message" in made) return made;
  call.reading = made.reading;
  return made.bytes;
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
): Promise<Sent> {
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
