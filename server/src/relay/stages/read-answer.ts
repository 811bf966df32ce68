/** Reads an upstream's answer until it is clear whether it is one: whole, or up to its first output. */

import { parseForeign } from "#base/json.ts";
import {
  answerBytesMax,
  type MeteredAnswer,
  meterAnswer,
  meteredStream,
} from "./meter/answer-meter.ts";
import type { OpenCall } from "#relay/call/attempt-state.ts";
import type { RelayState } from "#relay/call/relay-state.ts";
import {
  type AttemptFault,
  judgeBadAnswer,
  judgeBadStatus,
  judgeTransportFault,
  mapStatus,
} from "./fault.ts";
import type { ChannelView } from "#ports/snapshot.ts";
import { convertAnswer } from "./convert.ts";
import { allowHeld, openMeter, openWhole, signOfStream } from "./meter/open-meter.ts";
import { holdPiece } from "./meter/unfinished-piece.ts";
import { openStreamMeter, type StreamEnd, type StreamMeter } from "./meter/stream-meter.ts";
import type { AnswerReading, Way } from "./translate.ts";
import { asWhole, beginningOf, listAsStream, looksStreamed } from "./meter/other-mode.ts";
import { forgetTokens } from "./signed-request.ts";
import { translateAnswer } from "./translation.ts";
import { meterTranslated } from "./meter/translated-output.ts";
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
  | {
      readonly kind: "whole";
      readonly channel: ChannelView;
      readonly bytes: Uint8Array;
      readonly metered: MeteredAnswer;
      readonly mediaType: string;
    };
export type OpenedStream = Extract<Opened, { kind: "stream" }>;
export type OpenedWhole = Extract<Opened, { kind: "whole" }>;

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
  const { channel } = way;
  const requestId = answer.kind === "answer" ? (answer.requestId ?? "") : "";
  // Of most calls none is known, and these need no place for it.
  if (requestId !== (call.upstream_request_id ?? "")) call.upstream_request_id = requestId;
  if (answer.kind === "fault") return failed(judgeTransportFault(answer));
  if (answer.kind !== "answer") return answer;
  if (answer.status < 200 || answer.status > 299) {
    return readBadStatus(state, call, channel, answer, way);
  }
  if (call.isStream) return openStream(state, call, { channel, answer, reading: way });
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
): Attempt {
  const { channel } = way;
  if (!(read instanceof Uint8Array)) return failed(judgeTransportFault(read));
  if (call.converted !== null) return judgeConverted(state, call, way, read);
  if (
    call.translated === null &&
    read[0] !== openBrace &&
    isEvents(call, way, { mediaType, read })
  ) {
    return judgeStreamed(state, way, read);
  }
  const translation = call.translated === null ? null : translateAnswer(call.translated, read);
  const metered = translation === null ? meterAnswer(read, way) : meterTranslated(translation);
  const bytes = translation?.bytes ?? read;
  if (metered.fault === undefined) return { kind: "whole", channel, bytes, metered, mediaType };
  return badAnswer(state, channel, badAnswerReason(metered.fault.code), metered.fault);
}

const openBrace = 0x7b;

/** Whether an answer that is passed on is a stream, although none was asked for. */
function isEvents(
  { body }: OpenCall,
  { format }: Way,
  { mediaType, read }: { readonly mediaType: string; readonly read: Uint8Array },
): boolean {
  if (body.isBytes === true || format.otherMode === undefined) return false;
  // Where answers may be plain texts, these may begin like an event.
  const isAny = format.accepts.whole === "*/*" && !mediaType.startsWith("text/event-stream");
  if (isAny) return false;
  return looksStreamed(read) || listAsStream(read) !== read;
}

/** Judges a stream that came where none was asked for, and puts it together. */
function judgeStreamed(state: RelayState, way: Way, read: Uint8Array): Attempt {
  const { channel, format, readUsage } = way;
  const meter = openStreamMeter({ format, readUsage, dropUsage: false });
  const events = listAsStream(read);
  meter.push(events);
  const end = meter.end();
  if (meter.fault !== undefined) return badAnswer(state, channel, "answer-error", meter.fault);
  if (!end.complete) return badAnswer(state, channel, "answer-truncated");
  const bytes = format.otherMode === undefined ? undefined : asWhole(format.otherMode, events);
  if (bytes === undefined) return badAnswer(state, channel, "answer-malformed");
  const metered = meteredStream(end);
  return { kind: "whole", channel, bytes, metered, mediaType: "application/json" };
}

/** Judges the answer to a small question, and converts it. */
function judgeConverted(state: RelayState, call: OpenCall, way: Way, read: Uint8Array): Attempt {
  const { channel } = way;
  const metered = meterAnswer(read, way);
  if (metered.fault !== undefined) {
    return badAnswer(state, channel, badAnswerReason(metered.fault.code), metered.fault);
  }
  const made = call.converted === null ? undefined : convertAnswer(call.converted, call, read);
  if (made === undefined) return badAnswer(state, channel, "answer-malformed");
  return { kind: "whole", channel, metered, ...made };
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

/** Reduces an upstream's error code, which may be any text, to one of two values for metrics. */
function badAnswerReason(code: string): string {
  return code === "answer-malformed" ? code : "answer-error";
}

/** Media types that show that the answer is not a stream, whatever its status. */
const wholeTypes: ReadonlySet<string> = new Set(["application/json", "text/html"]);

/** Whether an answer of this media type is not a stream. */
export function isWholeType(mediaType: string): boolean {
  return wholeTypes.has(mediaType);
}

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
  const sign = signOfStream(call);
  const isWhole = isWholeType(answer.mediaType);
  if (isWhole && (sign === "type" || (sign === "bytes" && answer.mediaType === "text/html"))) {
    return await readNoStream(state, channel, answer, reading);
  }
  let isSeen = sign !== "bytes";
  const meter = openMeter(call, reading);
  allowHeld(call, meter);
  const held: Uint8Array[] = [];
  let heldBytes = 0;
  for (;;) {
    const chunk = await answer.read();
    if (!isSeen && chunk instanceof Uint8Array) {
      const begin = beginningOf(chunk);
      isSeen = begin !== "blank";
      if (begin === "json" || (begin === "other" && isWhole)) {
        return await readWholeAsStream(state, call, { channel, answer, reading }, chunk);
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

/** Reads a whole answer that came where a stream was asked for, and makes a stream of it. */
async function readWholeAsStream(
  state: RelayState,
  call: OpenCall,
  { channel, answer, reading }: Answering,
  first: Uint8Array,
): Promise<Attempt> {
  const rest = await answer.readAll(answerBytesMax);
  if (!(rest instanceof Uint8Array)) return failed(judgeTransportFault(rest));
  const bytes = Buffer.concat([first, rest]);
  const opened = openWhole(call, reading, bytes);
  if (opened === undefined) return judgeNoStream(state, channel, textOfBytes(bytes), reading);
  const { meter, events } = opened;
  allowHeld(call, meter);
  const { forward, blocked } = meter.push(events);
  const held = forward.map((view) => view.slice());
  const end = blocked || meter.contentSeen ? null : meter.end();
  if (meter.fault !== undefined) return badAnswer(state, channel, "answer-error", meter.fault);
  if (end?.complete === false) return badAnswer(state, channel, "answer-no-stream");
  return { kind: "stream", channel, answer, meter, held, end, blocked };
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
  reading: AnswerReading,
): Promise<Attempt> {
  return judgeNoStream(state, channel, await readText(answer), reading);
}

function judgeNoStream(
  state: RelayState,
  channel: ChannelView,
  text: string,
  { format }: AnswerReading,
): Attempt {
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
