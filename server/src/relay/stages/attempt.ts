/**
 * Makes one attempt of a call at one channel: sends the request, and reads until it is clear
 * whether the upstream answers it.
 */

import { answerBytesMax, type MeteredAnswer, meterAnswer } from "./meter/answer-meter.ts";
import type { OpenCall, RelayState } from "#relay/call.ts";
import { traceAttempt } from "#relay/call-trace.ts";
import { newCancellation } from "#network/cancellation.ts";
import {
  type AttemptFault,
  cancelledUnsent,
  isUnsent,
  judgeBadAnswer,
  judgeBadStatus,
  judgeTransportFault,
  judgeUntranslatable,
  mapStatus,
} from "./fault.ts";
import { cutQuotes } from "./cut-quotes.ts";
import { affordableOutput } from "./hold-size.ts";
import { holdForOverride } from "./hold-override.ts";
import type { ChannelView } from "#relay/snapshot.ts";
import { openStreamMeter, type StreamEnd, type StreamMeter } from "./meter/stream-meter.ts";
import { wayTo } from "#relay/plan.ts";
import { type AnswerReading, headersTo, requestReader, translate, type Way } from "./translate.ts";
import { forgetTokens, sendSigned } from "./signed-request.ts";
import { translateAnswer, translateRequest } from "./translation.ts";
import { openTranslatedMeter } from "./meter/translated-meter.ts";
import { meterTranslated } from "./meter/translated-output.ts";
import type { BodyRefusal } from "#formats/format.ts";
import type { TransportAnswer, TransportFault } from "#network/answer.ts";
import type { TransportCall } from "#network/transport.ts";

/**
 * An upstream's answer that has begun without a fault: a stream up to its first output, or a whole
 * answer.
 */
type Opened =
  | {
      readonly kind: "stream";
      readonly channel: ChannelView;
      readonly answer: TransportAnswer;
      readonly meter: StreamMeter;
      /**
       * Bytes that were read so far and may go to the client. The code that sends them empties the
       * list.
       */
      readonly held: Uint8Array[];
      /**
       * The end of a stream that was complete before its first bytes were sent; null: the stream
       * continues.
       */
      readonly end: StreamEnd | null;
      /** Whether the next event would cost more than the hold covers. */
      readonly blocked: boolean;
    }
  | {
      readonly kind: "whole";
      readonly channel: ChannelView;
      readonly bytes: Uint8Array;
      readonly metered: MeteredAnswer;
    };
export type OpenedStream = Extract<Opened, { kind: "stream" }>;
export type OpenedWhole = Extract<Opened, { kind: "whole" }>;

export type Attempt = Opened | { readonly kind: "failed"; readonly fault: AttemptFault };

/** The largest number of bytes that are read of an answer with an error status. */
const errorBytesMax = 64 * 1024;

/** The largest number of bytes of a stream that are kept back while it has no output yet. */
const headBytesMax = 64 * 1024;

/** Makes one attempt at this channel. An upstream's failure is returned, not thrown. */
export async function tryChannel(
  state: RelayState,
  call: OpenCall,
  channel: ChannelView,
): Promise<Attempt> {
  const { deps, health, keys } = state;
  const key = keys.next(channel);
  const startedMs = deps.ticker.nowMs();
  call.tried.push(channel);
  health.started(channel.id);
  let attempt: Attempt | undefined;
  try {
    const way = wayTo(call.plan, channel);
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
  } else if (!isUnsent(attempt.fault.code)) {
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
  if (code === "aborted" || isUnsent(code)) health.ended(channel.id, { kind: "unknown" });
  else if (countsAgainstChannel) health.ended(channel.id, { kind: "failed", retryAfterMs });
  else health.ended(channel.id, { kind: "answered" });
  deps.metrics.channelFault(channel.id, code);
  const detail = cutQuotes(fault.detail, bytes);
  deps.log.info({ requestId, channelId: channel.id, code, detail }, "an attempt failed");
  if (disableReason !== null) deps.disableChannel(channel, key, cutQuotes(disableReason, bytes));
  else if (suspicion !== null) deps.suspectChannel(channel, cutQuotes(suspicion, bytes));
}

type Outbound = TransportCall & { readonly body: Uint8Array };
/** What came of sending a request; an attempt only if nothing was sent. */
type Sent = Attempt | TransportAnswer | TransportFault;

function send(state: RelayState, call: OpenCall, way: Way, key: string): Attempt | Promise<Sent> {
  const { channel, target } = way;
  if (target === null) return unreachable;
  const body = writeBody(call, way);
  if (!(body instanceof Uint8Array)) return failed(judgeUntranslatable(body));
  const cancellation = newCancellation();
  const outbound: Outbound = {
    method: "POST",
    target,
    // Headers of the client's format mean nothing to an upstream of another.
    headers: headersTo(way, target, key, way.translation === null ? call.passed : null),
    body,
    isStream: call.isStream,
    limits: channel.limits,
    cancellation,
  };
  call.attempt = cancellation;
  call.sent = call.bounds;
  if (channel.paramOverride !== null || call.translated?.raisesLimit === true) {
    return sendOverridden(state, call, { way, key }, outbound);
  }
  return dispatch(state, call, { way, key }, outbound);
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
function writeBody(call: OpenCall, way: Way): BodyRefusal | Uint8Array {
  const { translation } = way;
  call.translated = null;
  if (translation === null) return translate(way, call.bytes, call.body);
  const made = translateRequest(way, translation, call);
  if ("message" in made) return made;
  call.translated = made.translated;
  return made.bytes;
}

/**
 * Sends a request that may cost more than the client's, by overridden parameters or a raised limit.
 */
async function sendOverridden(
  state: RelayState,
  call: OpenCall,
  keyed: KeyedWay,
  outbound: Outbound,
): Promise<Sent> {
  const requests = requestReader(keyed.way);
  const fault = await holdForOverride(state, call, requests, outbound.body);
  if (fault !== null) return failed(fault);
  // The client disconnected while the hold was extended, and no request was sent that costs money.
  if (outbound.cancellation.isCancelled) return failed(cancelledUnsent);
  return await dispatch(state, call, keyed, outbound);
}

/** Reads until it is clear whether the upstream answers the call. */
function readSent(
  state: RelayState,
  call: OpenCall,
  way: Way,
  answer: Sent,
): Attempt | Promise<Attempt> {
  const { channel } = way;
  if (answer.kind === "fault") return failed(judgeTransportFault(answer));
  if (answer.kind !== "answer") return answer;
  if (answer.status < 200 || answer.status > 299) {
    return readBadStatus(state, channel, answer, way);
  }
  if (call.isStream) return openStream(state, call, { channel, answer, reading: way });
  const read = answer.readAll(answerBytesMax);
  if (read instanceof Promise) return readLater(state, call, way, read);
  return judgeWhole(state, call, way, read);
}

async function readLater(
  state: RelayState,
  call: OpenCall,
  way: Way,
  reading: Promise<TransportFault | Uint8Array>,
): Promise<Attempt> {
  return judgeWhole(state, call, way, await reading);
}

function judgeWhole(
  state: RelayState,
  call: OpenCall,
  way: Way,
  read: TransportFault | Uint8Array,
): Attempt {
  const { channel } = way;
  if (!(read instanceof Uint8Array)) return failed(judgeTransportFault(read));
  const translation = call.translated === null ? null : translateAnswer(call.translated, read);
  const metered = translation === null ? meterAnswer(read, way) : meterTranslated(translation);
  const bytes = translation?.bytes ?? read;
  if (metered.fault === undefined) return { kind: "whole", channel, bytes, metered };
  return badAnswer(state, channel, badAnswerReason(metered.fault.code), metered.fault);
}

const unreachable: Attempt = failed(
  judgeTransportFault({ kind: "fault", code: "address-unresolved", status: 502 }),
);

function failed(fault: AttemptFault): Attempt {
  return { kind: "failed", fault };
}

function badAnswer(
  state: RelayState,
  channel: ChannelView,
  reason: string,
  error?: MeteredAnswer["fault"],
): Attempt {
  return failed(judgeBadAnswer(reason, channel, error, state.deps.snapshot.options));
}

async function readBadStatus(
  { deps }: RelayState,
  channel: ChannelView,
  answer: TransportAnswer,
  { format }: AnswerReading,
): Promise<Attempt> {
  // The body of a redirect is not read, because its status alone decides.
  const text = answer.status < 400 ? "" : await readText(answer);
  if (answer.status === 401) forgetTokens(channel);
  if (text === "") answer.cancel();
  return failed(
    judgeBadStatus({
      channel,
      options: deps.snapshot.options,
      status: answer.status,
      fault: channel.provider.readFault(mapStatus(channel, answer.status), text),
      error: format.readErrorBody(parse(text)),
      retryAfter: answer.retryAfter,
      nowMs: deps.now(),
    }),
  );
}

/** Returns the text of an answer's body; empty if it could not be read whole. */
async function readText(answer: TransportAnswer): Promise<string> {
  const bytes = await answer.readAll(errorBytesMax);
  return bytes instanceof Uint8Array ? new TextDecoder().decode(bytes) : "";
}

/** Reduces an upstream's error code, which may be any text, to one of two values for metrics. */
function badAnswerReason(code: string): string {
  return code === "answer-malformed" ? code : "answer-error";
}

/** Media types that show that the answer is not a stream, whatever its status. */
const wholeTypes: ReadonlySet<string> = new Set(["application/json", "text/html"]);

/** An upstream's answer with a 2xx status, and how to read it. */
type Answering = {
  readonly channel: ChannelView;
  readonly answer: TransportAnswer;
  readonly reading: AnswerReading;
};

/**
 * Reads a stream until its first output arrives. Until then nothing has gone to the client, so
 * another channel can still be tried.
 */
async function openStream(
  state: RelayState,
  call: OpenCall,
  { channel, answer, reading }: Answering,
): Promise<Attempt> {
  if (wholeTypes.has(answer.mediaType)) return await readNoStream(state, channel, answer, reading);
  const { format, readUsage } = reading;
  const meter =
    call.translated === null
      ? openStreamMeter({ format, readUsage, dropUsage: !call.body.wantsUsage })
      : openTranslatedMeter(call.translated);
  meter.allowedTokens = affordableOutput(call.price, call.sent, call.bill.hold.amount());
  const held: Uint8Array[] = [];
  let heldBytes = 0;
  for (;;) {
    const chunk = await answer.read();
    if (chunk === null) {
      const end = meter.end();
      if (end.complete) {
        return { kind: "stream", channel, answer, meter, held, end, blocked: false };
      }
      const reason = meter.fault === undefined ? "answer-truncated" : "answer-error";
      return badAnswer(state, channel, reason, meter.fault);
    }
    if (!(chunk instanceof Uint8Array)) return failed(judgeTransportFault(chunk));
    const { forward, blocked } = meter.push(chunk);
    if (meter.fault !== undefined && !meter.contentSeen) {
      answer.cancel();
      return badAnswer(state, channel, "answer-error", meter.fault);
    }
    for (const view of forward) {
      held.push(ownBytes(view, chunk));
      heldBytes += view.length;
    }
    if (meter.contentSeen || meter.done || blocked || heldBytes > headBytesMax) {
      return { kind: "stream", channel, answer, meter, held, end: null, blocked };
    }
  }
}

/**
 * Copies a view if it points into the meter's own memory, which the meter will overwrite. A view of
 * the chunk stays as it is.
 */
function ownBytes(view: Uint8Array, chunk: Uint8Array): Uint8Array {
  return view.buffer === chunk.buffer ? view : view.slice();
}

async function readNoStream(
  state: RelayState,
  channel: ChannelView,
  answer: TransportAnswer,
  { format }: AnswerReading,
): Promise<Attempt> {
  const text = await readText(answer);
  const error = format.readErrorBody(parse(text));
  return badAnswer(
    state,
    channel,
    error === undefined ? "answer-no-stream" : "answer-error",
    error,
  );
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
