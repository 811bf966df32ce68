/**
 * Streams an upstream's answer to the client: whole events, as fast as the client reads, and only
 * as far as the hold covers them. The last event is sent once the charge is committed.
 */

import { freeBytes } from "#base/free-bytes.ts";
import type { ClientRequest, ResponseSink } from "#http/client-request.ts";
import type { OpenedStream } from "./read-answer.ts";
import type { CallEnd } from "#relay/call/facts.ts";
import { chargedAs } from "#relay/meter/charged-as.ts";
import type { OpenCall } from "#relay/call/attempt-state.ts";
import type { RelayState } from "#relay/call/relay-state.ts";
import { traceBroken } from "#relay/call/trace.ts";
import { headersOfType, inWordsOf, streamHeaders } from "#relay/call/call-refusal.ts";
import { lossHeaders } from "./loss-headers.ts";
import { countPrompt } from "#relay/meter/count.ts";
import { givenByCut, noteComing } from "#relay/routing/note-given.ts";
import { noteIssued } from "#relay/routing/issuer.ts";
import { keepAnswer } from "#relay/call/kept.ts";
import { chargedLog } from "#relay/settle/record.ts";
import { release, settle } from "#relay/settle/settle.ts";
import { answerWithheld, settleTooSlow } from "#relay/call/refusals.ts";
import { cameNothing, nothingCame } from "./results.ts";
import { reframed } from "./reframed-sink.ts";
import type { BodyTaker, TransportFault } from "#network/answer.ts";
import { discardRest } from "#network/discard-rest.ts";
import { tellCost, tellTail } from "./told-usage.ts";
import { type Ending, endings, interruptedText, type StreamError } from "#relay/call/endings.ts";
import { countStream } from "#relay/settle/stream-count.ts";
import {
  cutOf,
  extendAhead,
  type HeldStream,
  payForNext,
  runsLow,
} from "#relay/settle/stream-hold.ts";
import { holdPiece } from "#relay/meter/unfinished-piece.ts";
import type { Passed, StreamMeter } from "#relay/meter/stream-meter.ts";
import type { Ticking } from "#network/ticker.ts";

/** After this time without output, the client is sent a keep-alive comment. */
const keepAliveMs = 15_000;

const encoder = new TextEncoder();
const noBytes = new Uint8Array();

/** Statuses from here on say that an answer is not complete. */
const firstErrorStatus = 400;

type ClientStreamOptions = {
  readonly state: RelayState;
  readonly call: OpenCall;
  readonly client: ClientRequest;
  /** Called when the call is over. */
  readonly onEnd: (end: CallEnd) => void;
};

/**
 * The stream to one client. It takes the upstream's answer and has time limits, in one object: what
 * arrives goes through it without a promise or a closure for each event.
 */
class ClientStream implements HeldStream, BodyTaker, Ticking {
  readonly state: RelayState;
  readonly call: OpenCall;
  readonly client: ClientRequest;
  readonly onEnd: ClientStreamOptions["onEnd"];
  extending = false;
  extendAgainMs = 0;
  /** Where the response is written; null: its head has not been sent, or the client is gone. */
  sink: ResponseSink | null = null;
  headSent = false;
  phase: "closed" | "ending" | "flowing" | "waiting" = "waiting";
  opened: OpenedStream | null = null;
  /** Whether bytes are being passed on; only one function may write at a time. */
  passing = false;
  /** When bytes were last sent to the client, as of the last tick. Monotonic milliseconds. */
  outAtMs: number;
  /** Whether bytes were sent since the last tick. */
  hasSent = false;

  constructor({ state, call, client, onEnd }: ClientStreamOptions) {
    this.state = state;
    this.call = call;
    this.client = client;
    this.onEnd = onEnd;
    this.outAtMs = call.startedMs;
  }

  /** To be called when a channel answered: sends its events to the client. */
  flow(opened: OpenedStream): void {
    flow(this, opened);
  }

  /** To be called when no channel answered after the head was sent: sends the error as an event. */
  fail(failure: StreamError): void {
    writeError(this, failure);
    close(this, { status: failure.status, counted: null });
  }

  /** Ends the stream with an error event after a bug in the gateway. */
  breakDown(error: unknown): void {
    breakDown(this, error);
  }

  takes(bytes: Uint8Array, chunk: Uint8Array | null): boolean {
    return takes(this, bytes, chunk);
  }

  takesEnd(end: TransportFault | null): void {
    void finish(this, end === null ? endings.complete : endingOf(this.call));
  }

  tick(nowMs: number): void {
    tick(this, nowMs);
  }
}

export function openClientStream(options: ClientStreamOptions): ClientStream {
  const stream = new ClientStream(options);
  const { call, state } = options;
  state.deps.ticker.add(stream);
  call.onDisconnect = () => pumpOn(stream);
  return stream;
}

function tick(stream: ClientStream, nowMs: number): void {
  const { call, headSent } = stream;
  if (stream.hasSent) stream.outAtMs = nowMs;
  stream.hasSent = false;
  if (call.clientGone || stream.phase === "closed") return;
  if (call.stop !== null && stream.phase === "flowing" && !stream.passing) {
    void finish(stream, call.stop);
    return;
  }
  const sinceMs = headSent ? stream.outAtMs : call.startedMs;
  if (nowMs - sinceMs >= keepAliveMs && (!headSent || isWanted(stream))) comment(stream);
}

function sendHead(stream: ClientStream): void {
  if (stream.headSent) return;
  stream.headSent = true;
  const { body, format, requestId } = stream.call;
  const shared =
    body.isBytes === true
      ? headersOfType(stream.opened?.answer.mediaType ?? "")
      : streamHeaders(format.stream.contentType);
  const own = lossHeaders(stream.call);
  const sink = stream.client.stream({ status: 200, shared, requestId, ...own });
  stream.sink = sink === null ? null : reframed(sink, format.stream);
  stream.sink?.onDrained(() => pumpOn(stream));
}

/** Whether the client can take more: it has read everything that was sent to it. */
function isWanted({ sink }: ClientStream): boolean {
  return sink !== null && !sink.isFull();
}

/**
 * Writes a keep-alive comment, but only between events: inside an event it would become part of the
 * event.
 */
function comment(stream: ClientStream): void {
  if (stream.opened?.meter.betweenEvents === false || stream.call.body.isBytes === true) return;
  sendHead(stream);
  write(stream, stream.call.format.stream.keepAlive);
}

function write(stream: ClientStream, bytes: Uint8Array, chunk: Uint8Array | null = null): void {
  const { isBytes } = stream.call.body;
  const transcript = isBytes === true ? null : stream.call.transcript;
  // What comes after a disconnect is charged, and so it belongs to the answer.
  if (transcript !== null && (stream.headSent || stream.opened !== null)) {
    transcript.add(bytes);
  }
  if (stream.call.clientGone || bytes.length === 0) return;
  stream.hasSent = true;
  stream.sink?.write(bytes, chunk);
}

function writeError(stream: ClientStream, { status, error: said, charged }: StreamError): void {
  // Bytes that nobody reads as text have no place for an error; the response breaks off instead.
  if (stream.call.body.isBytes === true) return;
  const { format, requestId } = stream.call;
  const error = inWordsOf(stream.call, stream.state.deps.errorText, said);
  // If an event was sent only in part, it must be closed before the error event.
  const lead = stream.opened?.meter.betweenEvents === false ? format.stream.eventEnd : "";
  const told = { status, error, requestId };
  const meter = stream.opened?.meter;
  const event = meter?.errorEvent?.(told, charged) ?? format.stream.errorEvent(told);
  write(stream, encoder.encode(lead + event));
}

function flow(stream: ClientStream, opened: OpenedStream): void {
  const { call, state } = stream;
  stream.opened = opened;
  stream.phase = "flowing";
  keepBody(state, call);
  call.firstByteMs = state.deps.ticker.nowMs() - call.startedMs;
  call.meter = opened.meter;
  if (!call.clientGone) sendHead(stream);
  noteComing(state.deps, call, opened.channel, opened.meter);
  for (const bytes of opened.held.splice(0)) write(stream, bytes);
  const isOver = opened.end !== null || opened.meter.done;
  if (isOver) void finish(stream, endings.complete);
  else if (opened.blocked) void passOn(stream, unblock(stream, opened.meter));
  else pumpOn(stream);
}

/** The most bytes of request bodies that all streams together keep to count their prompts from. */
const keptBytesMax = 64 * 1024 * 1024;

/**
 * Keeps the request's body while the answer streams, or has its prompt counted now if too many
 * bodies are kept. A stream may run for half an hour, and its body is needed only if the upstream
 * reports no usage.
 */
function keepBody(state: RelayState, call: OpenCall): void {
  if (state.keptBytes + call.bytes.length > keptBytesMax) {
    call.promptTokens = countPrompt(state.deps, call);
    call.bytes = noBytes;
  }
  state.keptBytes += call.bytes.length;
}

/**
 * Continues reading the upstream's answer while the client can take more. After a disconnect it
 * reads on too, because the bill needs the usage at the answer's end.
 */
function pumpOn(stream: ClientStream): void {
  const { opened, passing, extending } = stream;
  if (!passing && !extending && wantsMore(stream)) opened?.answer.flowTo(stream);
}

function wantsMore(stream: ClientStream): boolean {
  return stream.phase === "flowing" && (isWanted(stream) || stream.call.clientGone);
}

/** Passes bytes of the answer on. Returns whether more are wanted at once. */
function takes(stream: ClientStream, bytes: Uint8Array, chunk: Uint8Array | null): boolean {
  const { opened } = stream;
  if (opened === null) return false;
  stream.passing = true;
  let wait: Promise<void> | undefined;
  try {
    wait = pass(stream, opened, opened.meter.push(bytes), bytes, chunk);
  } catch (error) {
    breakDown(stream, error);
  }
  if (wait !== undefined) {
    void passOn(stream, wait, bytes);
    return false;
  }
  stream.passing = false;
  // Nobody has kept a view of the bytes: the meter and the server copy what they need later.
  freeBytes(bytes);
  return wantsMore(stream);
}

/**
 * Returns how a stream ends whose upstream connection closed too early: by the gateway's own
 * decision, by the client's disconnect, or by the upstream.
 */
function endingOf(call: OpenCall): Ending {
  if (call.stop !== null) return call.stop;
  return call.clientGone ? endings.disconnected : endings.broken;
}

/**
 * Writes the events that the meter allows to pass, then acts on the meter's state. Returns a
 * promise only if something has to be awaited.
 *
 * @param chunk `bytes`, which the meter was given, with the framing they came in. It goes on as it
 *   came if the meter passes all of `bytes`.
 */
function pass(
  stream: ClientStream,
  { channel, meter }: OpenedStream,
  { forward, blocked }: Passed,
  bytes: Uint8Array | null = null,
  chunk: Uint8Array | null = null,
): Promise<void> | undefined {
  noteComing(stream.state.deps, stream.call, channel, meter);
  for (const view of forward) write(stream, view, view === bytes ? chunk : null);
  if (meter.fault !== undefined) return finish(stream, endings.broken);
  if (blocked) return unblock(stream, meter);
  if (meter.done) return finish(stream, endings.complete);
  if (!holdPiece(stream.state, stream.call, meter)) return finish(stream, endings.busy);
  if (runsLow(meter)) void extendAhead(stream, meter)?.then(() => pumpOn(stream));
  return undefined;
}

/**
 * Waits for what cannot be done at once, such as an extension of the hold, then goes on reading the
 * upstream's answer.
 *
 * @param bytes what is being passed on; null: nothing.
 */
async function passOn(
  stream: ClientStream,
  wait: Promise<void>,
  bytes: Uint8Array | null = null,
): Promise<void> {
  stream.passing = true;
  try {
    await wait;
  } catch (error) {
    breakDown(stream, error);
  }
  stream.passing = false;
  if (bytes !== null) freeBytes(bytes);
  pumpOn(stream);
}

/** Extends the hold to cover the next event, or ends the stream if no quota is left. */
async function unblock(stream: ClientStream, meter: StreamMeter): Promise<void> {
  const { call, opened, state } = stream;
  if (!(await payForNext(stream, meter))) {
    return await finish(stream, call.clientGone ? endings.disconnected : cutOf(state, call));
  }
  if (opened !== null) await pass(stream, opened, meter.resume());
}

/** Ends the stream: counts tokens, settles the hold, then sends the last bytes. Never throws. */
async function finish(stream: ClientStream, given: Ending): Promise<void> {
  const { call, opened, state } = stream;
  if (stream.phase !== "flowing" || opened === null) return;
  stream.phase = "ending";
  try {
    const end = opened.end ?? opened.meter.end();
    const ending = given === endings.complete && !end.complete ? endingOf(call) : given;
    if (ending === endings.complete) {
      discardRest(state.deps.ticker, opened.answer);
    } else opened.answer.cancel();
    if (ending === endings.broken) {
      state.health.broke(opened.channel.id, call.model);
      state.deps.attempts.broke(opened.channel.id, call.model);
      traceBroken(call);
    }
    const isComplete = ending === endings.complete;
    const tokens =
      (cameNothing(call.body, opened.meter, end, ending) ? nothingCame : null) ??
      (await countStream(state, call, opened.channel, { end, isComplete }));
    const counted = chargedAs(call, end, tokens);
    // Whoever reads the tail of a translated stream has its last event written, which has a number.
    const tail = isComplete ? tellTail(call, end, counted) : null;
    if (tail !== null) {
      noteIssued(state.deps, call, opened.channel, tail, end.issued);
      keepAnswer(state.deps, call, tail);
    } else call.given = givenByCut(state.deps, call, opened.channel, end.issued);
    const log = chargedLog(call, counted, {
      nowMs: state.deps.now(),
      interrupted: ending.note,
      reported: end.usage,
    });
    const billed = await settle(state.deps, call, log);
    // If the charge is not committed in time, a client that was sent text still pays for it. A
    // client that was sent nothing but this error does not.
    const isWithheld = billed === "pending" && end.contentBytes === 0 && !call.clientGone;
    if (isWithheld) call.bill.hold.reverse();
    const late = isWithheld ? answerWithheld : settleTooSlow;
    const error = billed === "pending" ? late : ending.error;
    const charged = isWithheld ? {} : { charged: counted.usage };
    if (error !== null) writeError(stream, { status: ending.status, error, ...charged });
    const told = { status: ending.status, counted: isWithheld ? null : counted };
    close(stream, told, error === null ? tellCost(call, tail ?? end.tail, counted) : noBytes);
  } catch (error) {
    breakDown(stream, error);
  }
}

/**
 * Ends the stream after a bug in the gateway: the client gets an error event, the hold is released.
 */
function breakDown(stream: ClientStream, error: unknown): void {
  const { call, opened, state } = stream;
  state.deps.log.error({ err: error, requestId: call.requestId }, "a stream failed");
  opened?.answer.cancel();
  writeError(stream, { status: 500, error: interruptedText });
  close(stream, { status: 500, counted: null });
}

/**
 * Ends the response and calls `onEnd`, once however often it is called.
 *
 * @param tail the last bytes for the client.
 */
function close(stream: ClientStream, end: CallEnd, tail: Uint8Array = noBytes): void {
  if (stream.phase === "closed") return;
  stream.phase = "closed";
  stream.state.deps.ticker.remove(stream);
  if (stream.opened !== null) stream.state.keptBytes -= stream.call.bytes.length;
  release(stream.call.bill);
  const { body, clientGone, transcript } = stream.call;
  if (body.isBytes !== true) transcript?.add(tail);
  const isCut = body.isBytes === true && end.status >= firstErrorStatus;
  if (clientGone || isCut) stream.sink?.abort();
  else stream.sink?.end(tail);
  stream.onEnd(end);
}
