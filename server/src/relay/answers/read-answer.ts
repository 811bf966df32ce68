/** Reads an upstream's answer until it is clear whether it is one: whole, or up to its first output. */

import { frameBytesMax } from "#base/frames/frame.ts";
import { parseForeign } from "#base/json.ts";
import { HeldBytes } from "#base/memory/byte-budget.ts";
import { answerBytesMax, type MeteredAnswer } from "#relay/meter/answer-meter.ts";
import { openBytesMeter } from "#relay/meter/bytes-meter.ts";
import type { OpenCall } from "#relay/call/attempt-state.ts";
import type { RelayState } from "#relay/call/relay-state.ts";
import {
  type AttemptFault,
  judgeBadAnswer,
  judgeBadStatus,
  judgeTransportFault,
  mapStatus,
} from "#relay/faults/fault.ts";
import type { ChannelView } from "#ports/snapshot.ts";
import { allowHeld } from "#relay/settle/allow-held.ts";
import { holdPiece } from "#relay/meter/unfinished-piece.ts";
import type { StreamEnd, StreamMeter } from "#relay/meter/stream-meter.ts";
import { askApart, asReadHere, parsedHereMax } from "#relay/ways/apart.ts";
import type { BadAnswer, Reading, Way, WholeAnswer } from "#relay/ways/way.ts";
import { beginningOf } from "#relay/meter/other-mode.ts";
import { forgetTokens } from "#relay/ways/signed-request.ts";
import { fault, type TransportAnswer, type TransportFault } from "#network/answer.ts";

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
  | WholeAnswer;
export type OpenedStream = Extract<Opened, { kind: "stream" }>;

export type Attempt =
  | Opened
  | {
      readonly kind: "failed";
      readonly fault: AttemptFault;
      /** What the upstream had reported in a stream without output; absent: nothing began. */
      readonly end?: StreamEnd;
    };

/** The largest number of bytes that are read of an answer with an error status. */
const errorBytesMax = 64 * 1024;

/** The largest number of bytes of a stream that are kept back while it has no output yet. */
const headBytesMax = 64 * 1024;

/** Reads until it is clear whether the upstream answers the call. */
export function readSent(
  state: RelayState,
  call: OpenCall,
  way: Way,
  answer: Attempt | TransportAnswer | TransportFault,
): Attempt | Promise<Attempt> {
  const requestId = answer.kind === "answer" ? (answer.requestId ?? "") : "";
  // Of most calls none is known, and these need no place for it.
  if (requestId !== (call.upstream_request_id ?? "")) call.upstream_request_id = requestId;
  if (answer.kind === "fault") return failed(judgeTransportFault(answer));
  if (answer.kind !== "answer") return answer;
  if (answer.status < 200 || answer.status > 299) {
    return readBadStatus(state, call, answer, way);
  }
  if (call.isStream) return openStream(state, call, { way, answer });
  // Of text that goes on as it came, the charset goes on as well.
  const mediaType = call.body.work === undefined ? answer.mediaType : (answer.contentType ?? "");
  const read = answer.readAll(answerBytesMax);
  if (read instanceof Promise) return readLater(state, call, way, mediaType, read);
  return judgeWhole(state, call, way, mediaType, read);
}

async function readLater(
  state: RelayState,
  call: OpenCall,
  way: Way,
  mediaType: string,
  reading: Promise<TransportFault | Uint8Array>,
): Promise<Attempt> {
  return judgeWhole(state, call, way, mediaType, await reading);
}

function judgeWhole(
  state: RelayState,
  call: OpenCall,
  way: Way,
  mediaType: string,
  read: TransportFault | Uint8Array,
): Attempt | Promise<Attempt> {
  if (!(read instanceof Uint8Array)) return failed(judgeTransportFault(read));
  const reading = readingOf(call, way);
  const isApart = read.length > parsedHereMax && reading.isParsed(call, read, mediaType);
  if (isApart) return judgeApart(state, call, way, { answer: read, mediaType });
  return judgeRead(state, way, reading.readWhole(call, read, mediaType));
}

/** Has a long answer read on another thread. */
async function judgeApart(
  state: RelayState,
  call: OpenCall,
  way: Way,
  given: Parameters<typeof askApart>[3],
): Promise<Attempt> {
  const { budget, readApart } = state.deps;
  const held = new HeldBytes({ budget, owner: call.credential.user.id });
  if (held.hold(given.answer.length) !== null) {
    return failed(judgeTransportFault(fault("gateway-busy")));
  }
  try {
    const read = await readApart(askApart(call, way, readingOf(call, way), given));
    if (read === null) return failed(judgeTransportFault(fault("answer-too-large")));
    return judgeRead(state, way, asReadHere(read, way.channel));
  } finally {
    held.free();
  }
}

function judgeRead(state: RelayState, { channel }: Way, read: BadAnswer | WholeAnswer): Attempt {
  return read.kind === "whole" ? read : badAnswer(state, channel, read.reason, read.error);
}

/** How the answer to the attempt's request is read. */
function readingOf({ reading }: OpenCall, way: Way): Reading {
  return reading ?? way.reading;
}

/** Makes an attempt that failed. */
export function failed(fault: AttemptFault): Attempt {
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
  { plan }: OpenCall,
  answer: TransportAnswer,
  { channel, format }: Way,
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
      isPinned: plan.pinned,
    }),
  );
}

/** Returns the text of an answer's body; empty if it could not be read whole. */
async function readText(answer: TransportAnswer): Promise<string> {
  const bytes = await answer.readAll(errorBytesMax);
  return bytes instanceof Uint8Array ? textOfBytes(bytes) : "";
}

function textOfBytes(bytes: Uint8Array): string {
  return new TextDecoder().decode(bytes.subarray(0, errorBytesMax));
}

/** Media types that show that the answer is not a stream, whatever its status. */
const wholeTypes: ReadonlySet<string> = new Set(["application/json", "text/html"]);

/** Whether an answer of this media type is not a stream. */
export function isWholeType(mediaType: string): boolean {
  return wholeTypes.has(mediaType);
}

/** An upstream's answer with a 2xx status, and the way on which it came. */
type Answering = { readonly way: Way; readonly answer: TransportAnswer };

/**
 * Reads a stream until its first output arrives. Until then nothing has gone to the client, so
 * another channel can still be tried.
 */
async function openStream(
  state: RelayState,
  call: OpenCall,
  { way, answer }: Answering,
): Promise<Attempt> {
  const { channel } = way;
  const reading = readingOf(call, way);
  const sign = call.body.isBytes === true ? "type" : reading.sign;
  const isWhole = isWholeType(answer.mediaType);
  if (isWhole && (sign === "type" || (sign === "bytes" && answer.mediaType === "text/html"))) {
    return await readNoStream(state, answer, way);
  }
  let isSeen = sign !== "bytes";
  const meter = call.body.isBytes === true ? openBytesMeter() : reading.openMeter(call);
  allowHeld(call, meter);
  const held: Uint8Array[] = [];
  let heldBytes = 0;
  for (;;) {
    const chunk = await answer.read();
    if (!isSeen && chunk instanceof Uint8Array) {
      const begin = beginningOf(chunk);
      isSeen = begin !== "blank";
      if (begin === "json" || (begin === "other" && isWhole)) {
        return await readWholeAsStream(state, call, { way, answer }, chunk);
      }
    }
    if (chunk === null) {
      const end = meter.end();
      if (end.complete) {
        return { kind: "stream", channel, answer, meter, held, end, blocked: false };
      }
      const reason = meter.fault === undefined ? "answer-truncated" : "answer-error";
      return badAnswer(state, channel, reason, meter.fault);
    }
    if (!(chunk instanceof Uint8Array)) {
      return { kind: "failed", fault: judgeTransportFault(chunk), end: meter.end() };
    }
    const { forward, blocked } = meter.push(chunk);
    if (meter.fault !== undefined && !meter.contentSeen) {
      answer.cancel();
      return badAnswer(state, channel, "answer-error", meter.fault);
    }
    if (!holdPiece(state, call, meter)) {
      answer.cancel();
      return failed(judgeTransportFault(fault("gateway-busy")));
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
 * Reads a whole answer that came where a stream was asked for, and makes a stream of it. It may be as
 * long as an event of a stream.
 */
async function readWholeAsStream(
  state: RelayState,
  call: OpenCall,
  { way, answer }: Answering,
  first: Uint8Array,
): Promise<Attempt> {
  const { channel } = way;
  const rest = await answer.readAll(frameBytesMax);
  if (!(rest instanceof Uint8Array)) return failed(judgeTransportFault(rest));
  const bytes = Buffer.concat([first, rest]);
  await turnAfter(bytes);
  const opened = readingOf(call, way).openWhole(call, bytes);
  if (opened === undefined) return judgeNoStream(state, textOfBytes(bytes), way);
  const { meter, events } = opened;
  allowHeld(call, meter);
  const { forward, blocked } = meter.push(events);
  const held = forward.map((view) => view.slice());
  const end = blocked || meter.contentSeen ? null : meter.end();
  if (meter.fault !== undefined) return badAnswer(state, channel, "answer-error", meter.fault);
  if (end?.complete === false) return badAnswer(state, channel, "answer-no-stream");
  await turnAfter(bytes);
  return { kind: "stream", channel, answer, meter, held, end, blocked };
}

/** Lets others have their turn where the next step with so many bytes takes long. */
async function turnAfter({ length }: Uint8Array): Promise<void> {
  if (length > parsedHereMax) await new Promise<void>((resolve) => void setImmediate(resolve));
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
  answer: TransportAnswer,
  way: Way,
): Promise<Attempt> {
  return judgeNoStream(state, await readText(answer), way);
}

function judgeNoStream(state: RelayState, text: string, { channel, format }: Way): Attempt {
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
    return parseForeign(text);
  } catch {
    return undefined;
  }
}
