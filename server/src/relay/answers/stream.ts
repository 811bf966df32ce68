/**
 * Streams an upstream's answer to the client: whole events, as fast as the client reads, and only
 * as far as the hold covers them. The last event is sent once the charge is committed.
 */

import { freeBytes } from "#base/free-bytes.ts";
import type { ErrorText } from "#formats/format.ts";
import type { ClientRequest, ResponseSink } from "#http/client-request.ts";
import type { OpenedStream } from "#relay/stages/attempt.ts";
import { type CallEnd, type OpenCall, type RelayState, usageTrust } from "#relay/call.ts";
import { inWordsOf, streamHeaders } from "./call-refusal.ts";
import { countHere, countPrompt, upstreamCount } from "#relay/stages/meter/count.ts";
import { chargedLog } from "#relay/stages/record.ts";
import { release, settle } from "#relay/stages/settle.ts";
import { answerWithheld, settleTooSlow } from "./refusals.ts";
import { discardRest } from "#network/discard-rest.ts";
import { type Ending, endings, interruptedText } from "./endings.ts";
import { extendAhead, type HeldStream, payForNext, runsLow } from "./stream-hold.ts";
import type { Passed, StreamMeter } from "#relay/stages/meter/stream-meter.ts";
import type { Ticking } from "#network/ticker.ts";

/** After this time without output, the client is sent a keep-alive comment. */
const keepAliveMs = 15_000;

const encoder = new TextEncoder();
const noBytes = new Uint8Array();

type ClientStream = {
  /** Called when a channel answered: sends its events to the client. */
  flow(opened: OpenedStream): void;
  /**
   * Called when no channel answered, but the response head was sent before: sends the error as an
   * event.
   */
  fail(failure: StreamError): void;
  /** Whether the response head was sent. */
  isHeadSent(): boolean;
  /** Ends the stream with an error event after a bug in the gateway. */
  breakDown(error: unknown): void;
};

/** An error for the client. `status` is what a response that is not streamed would have had. */
type StreamError = { readonly status: number; readonly error: ErrorText };

type ClientStreamOptions = {
  readonly state: RelayState;
  readonly call: OpenCall;
  readonly client: ClientRequest;
  /** Called when the call is over. */
  readonly onEnd: (end: CallEnd) => void;
};

type Streaming = ClientStreamOptions &
  HeldStream & {
    readonly ticking: Ticking;
    headSent: boolean;
    /** Where the response is written; null: its head has not been sent, or the client is gone. */
    sink: ResponseSink | null;
    phase: "closed" | "ending" | "flowing" | "waiting";
    opened: OpenedStream | undefined;
    /** Whether `pump` or `passOn` is running; only one of them may write at a time. */
    pumping: boolean;
    /** When bytes were last sent to the client. Monotonic milliseconds. */
    outAtMs: number;
  };

export function openClientStream(options: ClientStreamOptions): ClientStream {
  const { call, state } = options;
  const stream: Streaming = {
    ...options,
    ticking: { tick: (nowMs) => tick(stream, nowMs) },
    headSent: false,
    sink: null,
    phase: "waiting",
    opened: undefined,
    pumping: false,
    extending: false,
    extendAgainMs: 0,
    outAtMs: call.startedMs,
  };
  state.deps.ticker.add(stream.ticking);
  call.onDisconnect = () => pumpOn(stream);
  return {
    flow: (opened) => flow(stream, opened),
    fail(failure) {
      writeError(stream, failure);
      close(stream, { status: failure.status, counted: null });
    },
    isHeadSent: () => stream.headSent,
    breakDown: (error) => breakDown(stream, error),
  };
}

function tick(stream: Streaming, nowMs: number): void {
  const { call, headSent } = stream;
  if (call.clientGone || stream.phase === "closed") return;
  if (call.stop !== null && stream.phase === "flowing" && !stream.pumping) {
    void finish(stream, call.stop);
    return;
  }
  const sinceMs = headSent ? stream.outAtMs : call.startedMs;
  if (nowMs - sinceMs >= keepAliveMs && (!headSent || isWanted(stream))) comment(stream);
}

function sendHead(stream: Streaming): void {
  if (stream.headSent) return;
  stream.headSent = true;
  const { format, requestId } = stream.call;
  const shared = streamHeaders(format.stream.contentType);
  stream.sink = stream.client.stream({ status: 200, shared, requestId });
  stream.sink?.onDrained(() => pumpOn(stream));
}

/** Whether the client can take more: it has read everything that was sent to it. */
function isWanted({ sink }: Streaming): boolean {
  return sink !== null && !sink.isFull();
}

/**
 * Writes a keep-alive comment, but only between events: inside an event it would become part of the
 * event.
 */
function comment(stream: Streaming): void {
  if (stream.opened?.meter.betweenEvents === false) return;
  sendHead(stream);
  write(stream, stream.call.format.stream.keepAlive);
}

function write(stream: Streaming, bytes: Uint8Array): void {
  const { transcript } = stream.call;
  // What comes after a disconnect is charged, and so it belongs to the answer.
  if (transcript !== null && (stream.headSent || stream.opened !== undefined)) {
    transcript.add(bytes);
  }
  if (stream.call.clientGone || bytes.length === 0) return;
  stream.outAtMs = stream.state.deps.ticker.nowMs();
  stream.sink?.write(bytes);
}

function writeError(stream: Streaming, { status, error: said }: StreamError): void {
  const { format, requestId } = stream.call;
  const error = inWordsOf(stream.call, stream.state.deps.errorText, said);
  // If an event was sent only in part, it must be closed before the error event.
  const lead = stream.opened?.meter.betweenEvents === false ? format.stream.eventEnd : "";
  const event = format.stream.errorEvent({ status, error, requestId });
  write(stream, encoder.encode(lead + event));
}

function flow(stream: Streaming, opened: OpenedStream): void {
  const { call, state } = stream;
  stream.opened = opened;
  stream.phase = "flowing";
  keepBody(state, call);
  call.firstByteMs = state.deps.ticker.nowMs() - call.startedMs;
  if (!call.clientGone) sendHead(stream);
  for (const bytes of opened.held.splice(0)) write(stream, bytes);
  const isOver = opened.end !== null || opened.meter.done;
  if (isOver) void finish(stream, endings.complete);
  else if (opened.blocked) void passOn(stream, opened, { forward: [], blocked: true });
  else pumpOn(stream);
}

/**
 * Limit, in bytes and over all streams together, of request bodies kept in memory. They are kept
 * because the gateway counts the prompt itself if the upstream reports no usage.
 */
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
function pumpOn(stream: Streaming): void {
  const { opened, pumping, extending, phase } = stream;
  if (phase !== "flowing" || pumping || extending || opened === undefined) return;
  if (isWanted(stream) || stream.call.clientGone) void pump(stream, opened);
}

async function pump(stream: Streaming, opened: OpenedStream): Promise<void> {
  const { call } = stream;
  const { answer, meter } = opened;
  stream.pumping = true;
  try {
    while (stream.phase === "flowing" && (isWanted(stream) || call.clientGone)) {
      const chunk = await answer.read();
      const wait =
        chunk === null
          ? finish(stream, endings.complete)
          : chunk instanceof Uint8Array
            ? pass(stream, opened, meter.push(chunk))
            : finish(stream, endingOf(call));
      if (wait !== undefined) await wait;
      // Nobody has kept a view of the chunk: the meter and the server copy what they need later.
      if (chunk instanceof Uint8Array) freeBytes(chunk);
    }
  } catch (error) {
    breakDown(stream, error);
  } finally {
    stream.pumping = false;
  }
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
 */
function pass(
  stream: Streaming,
  { meter }: OpenedStream,
  { forward, blocked }: Passed,
): Promise<void> | undefined {
  for (const view of forward) write(stream, view);
  if (meter.fault !== undefined) return finish(stream, endings.broken);
  if (blocked) return unblock(stream, meter);
  if (meter.done) return finish(stream, endings.complete);
  if (runsLow(meter)) void extendAhead(stream, meter)?.then(() => pumpOn(stream));
  return undefined;
}

/**
 * Begins a stream whose next event the hold does not cover: extends the hold, then goes on reading
 * the upstream's answer.
 */
async function passOn(stream: Streaming, opened: OpenedStream, passed: Passed): Promise<void> {
  stream.pumping = true;
  try {
    await pass(stream, opened, passed);
  } catch (error) {
    breakDown(stream, error);
  } finally {
    stream.pumping = false;
  }
  pumpOn(stream);
}

/** Extends the hold to cover the next event, or ends the stream if no quota is left. */
async function unblock(stream: Streaming, meter: StreamMeter): Promise<void> {
  const { call, opened } = stream;
  if (!(await payForNext(stream, meter))) {
    return await finish(stream, call.clientGone ? endings.disconnected : endings.cut);
  }
  if (opened !== undefined) await pass(stream, opened, meter.resume());
}

/** Ends the stream: counts tokens, settles the hold, then sends the last bytes. Never throws. */
async function finish(stream: Streaming, given: Ending): Promise<void> {
  const { call, opened, state } = stream;
  if (stream.phase !== "flowing" || opened === undefined) return;
  stream.phase = "ending";
  try {
    const end = opened.end ?? opened.meter.end();
    const ending = given === endings.complete && !end.complete ? endings.broken : given;
    if (ending === endings.complete) discardRest(state.deps.ticker, opened.answer);
    else opened.answer.cancel();
    if (ending === endings.broken) state.health.broke(opened.channel.id);
    const counted =
      upstreamCount(end.usage, end.contentBytes, usageTrust(call, opened.channel)) ??
      (await countHere(state.deps, call, end.usage, {
        ...end,
        outputTokens: opened.meter.outputTokens,
      }));
    const log = chargedLog(call, counted, {
      nowMs: state.deps.now(),
      interrupted: ending.note,
    });
    const billed = await settle(state.deps, call, log);
    // If the charge is not committed in time, a client that was sent text still pays for it. A
    // client that was sent nothing but this error does not.
    const isWithheld = billed === "pending" && end.contentBytes === 0 && !call.clientGone;
    if (isWithheld) call.bill.hold.reverse();
    const late = isWithheld ? answerWithheld : settleTooSlow;
    const error = billed === "pending" ? late : ending.error;
    if (error !== null) writeError(stream, { status: ending.status, error });
    const told = { status: ending.status, counted: isWithheld ? null : counted };
    close(stream, told, error === null ? end.tail : noBytes);
  } catch (error) {
    breakDown(stream, error);
  }
}

/**
 * Ends the stream after a bug in the gateway: the client gets an error event, the hold is released.
 */
function breakDown(stream: Streaming, error: unknown): void {
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
function close(stream: Streaming, end: CallEnd, tail: Uint8Array = noBytes): void {
  if (stream.phase === "closed") return;
  stream.phase = "closed";
  stream.state.deps.ticker.remove(stream.ticking);
  if (stream.opened !== undefined) stream.state.keptBytes -= stream.call.bytes.length;
  release(stream.call.bill);
  stream.call.transcript?.add(tail);
  if (stream.call.clientGone) stream.sink?.abort();
  else stream.sink?.end(tail);
  stream.onEnd(end);
}
