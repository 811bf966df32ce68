/**
 * The answer to a call that streams: whole events as they come from the upstream, as fast as the
 * client reads, as far as the hold reaches. Its last event goes out when the bill is written.
 */

import type { ClientRequest, ResponseSink } from "#http/client-request.ts";
import { type OpenedStream, ownBytes } from "#relay/stages/attempt.ts";
import type { OpenCall, RelayState } from "#relay/call.ts";
import { answerHeaders, errorJson, type ErrorText } from "./call-refusal.ts";
import type { Departure } from "./client-disconnect.ts";
import { affordableOutput, extensionTokens, outputCharge } from "#relay/stages/hold-size.ts";
import {
  type Counted,
  countHere,
  countText,
  estimatePrompt,
  upstreamCount,
} from "#relay/stages/meter.ts";
import { chargedLog } from "#relay/stages/record.ts";
import { settleTooSlow } from "./refusals.ts";
import { discardRest } from "#network/discard-rest.ts";
import { type Ending, endings, interruptedText } from "./endings.ts";
import type { Passed, StreamMeter } from "#relay/stages/stream-meter.ts";
import type { Ticking } from "#network/ticker.ts";

/** Silence after which the client hears that the call is still open. */
export const keepAliveMs = 15_000;

const encoder = new TextEncoder();
/** A comment: no event, no content. */
const keepAlive = encoder.encode(": keep-alive\n\n");
const noBytes = new Uint8Array();

export type ClientStream = {
  /** A channel answers: its events follow. */
  flow(opened: OpenedStream): void;
  /** No channel does, though the head is out: the error follows as an event. */
  fail(error: ErrorText): void;
  /** The status is with the client. */
  isHeadSent(): boolean;
  /** Something went wrong that is nobody's fault but ours. */
  breakDown(error: unknown): void;
};

export type ClientStreamOptions = {
  readonly state: RelayState;
  readonly call: OpenCall;
  readonly departure: Departure;
  readonly client: ClientRequest;
  /** The call is over. Null: nothing was charged. */
  readonly onEnd: (status: number, counted: Counted | null) => void;
};

type Streaming = ClientStreamOptions & {
  readonly ticking: Ticking;
  headSent: boolean;
  /** Null: the head is not out, or nobody is there to take it. */
  sink: ResponseSink | null;
  phase: "closed" | "ending" | "flowing" | "waiting";
  opened: OpenedStream | undefined;
  /** The upstream is being read. */
  pumping: boolean;
  /** More quota was asked for. */
  extending: boolean;
  /** Monotonic ms until which there is no sense in asking for more ahead. */
  extendAgainMs: number;
  /** Monotonic ms of the last bytes to the client. */
  outAtMs: number;
};

export function openClientStream(options: ClientStreamOptions): ClientStream {
  const { call, departure, state } = options;
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
  departure.onLeft = () => pumpOn(stream);
  return {
    flow: (opened) => flow(stream, opened),
    fail(error) {
      writeError(stream, error);
      close(stream);
    },
    isHeadSent: () => stream.headSent,
    breakDown: (error) => breakDown(stream, error),
  };
}

function tick(stream: Streaming, nowMs: number): void {
  const { call, headSent } = stream;
  if (call.clientGone || stream.phase === "closed") return;
  if (call.stopped && stream.phase === "flowing" && !stream.pumping) {
    void finish(stream, endings.stopped);
    return;
  }
  const sinceMs = headSent ? stream.outAtMs : call.startedMs;
  if (nowMs - sinceMs >= keepAliveMs && (!headSent || isWanted(stream))) comment(stream);
}

function sendHead(stream: Streaming): void {
  if (stream.headSent) return;
  stream.headSent = true;
  const headers = answerHeaders(stream.call.requestId, "text/event-stream; charset=utf-8");
  headers["cache-control"] = "no-cache";
  headers["x-accel-buffering"] = "no";
  stream.sink = stream.client.stream({ status: 200, headers });
  stream.sink?.whenTaken(() => pumpOn(stream));
}

/** The client has taken all that it was given. */
function isWanted({ sink }: Streaming): boolean {
  return sink !== null && !sink.isFull();
}

/** Only between events; inside one it would be read as a part of it. */
function comment(stream: Streaming): void {
  if (stream.opened?.meter.betweenEvents === false) return;
  sendHead(stream);
  write(stream, keepAlive);
}

function write(stream: Streaming, bytes: Uint8Array): void {
  if (stream.call.clientGone || bytes.length === 0) return;
  stream.outAtMs = stream.state.deps.ticker.nowMs();
  stream.sink?.write(bytes);
}

function writeError(stream: Streaming, error: ErrorText): void {
  // An event that was passed in pieces has to be closed first.
  const lead = stream.opened?.meter.betweenEvents === false ? "\n\n" : "";
  write(stream, encoder.encode(`${lead}data: ${errorJson(error, stream.call.requestId)}\n\n`));
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
  else if (opened.blocked) void passOn(stream, opened, { forward: [], blocked: true }, noBytes);
  else pumpOn(stream);
}

/** Bodies kept for the case that their prompts must be counted here, all together. */
const keptBytesMax = 64 * 1024 * 1024;

/** An answer may take half an hour; its question is only needed to count it, hardly ever. */
function keepBody(state: RelayState, call: OpenCall): void {
  if (state.keptBytes + call.bytes.length > keptBytesMax) {
    call.promptTokens = estimatePrompt(call.bytes);
    call.bytes = noBytes;
  }
  state.keptBytes += call.bytes.length;
}

/** Reads on when somebody wants more: the client, or the bill of a client that left. */
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
            ? pass(stream, opened, meter.push(chunk), chunk)
            : finish(stream, endingOf(call));
      if (wait !== undefined) await wait;
    }
  } catch (error) {
    breakDown(stream, error);
  } finally {
    stream.pumping = false;
  }
}

/** The connection ended early: who ended it? */
function endingOf(call: OpenCall): Ending {
  if (call.stopped) return endings.stopped;
  return call.clientGone ? endings.left : endings.broken;
}

/** Hands on what the meter let through. A promise only when something has to be waited for. */
function pass(
  stream: Streaming,
  { meter }: OpenedStream,
  { forward, blocked }: Passed,
  chunk: Uint8Array,
): Promise<void> | undefined {
  for (const view of forward) write(stream, ownBytes(view, chunk));
  if (meter.fault !== undefined) return finish(stream, endings.broken);
  if (blocked) return unblock(stream, meter, chunk);
  if (meter.done) return finish(stream, endings.complete);
  if (meter.outputTokens + extensionTokens > meter.allowedTokens) extendAhead(stream, meter);
  return undefined;
}

/** `pass` from outside the pump. */
async function passOn(
  stream: Streaming,
  opened: OpenedStream,
  passed: Passed,
  chunk: Uint8Array,
): Promise<void> {
  stream.pumping = true;
  try {
    await pass(stream, opened, passed, chunk);
  } catch (error) {
    breakDown(stream, error);
  } finally {
    stream.pumping = false;
  }
  pumpOn(stream);
}

/** Gets the next event paid, or ends the stream. */
async function unblock(stream: Streaming, meter: StreamMeter, chunk: Uint8Array): Promise<void> {
  const { call, opened } = stream;
  while (meter.wantedTokens > meter.allowedTokens) {
    const missing = Math.ceil(meter.wantedTokens - meter.allowedTokens);
    // A client that left pays for what was held, not for more.
    const added = call.clientGone
      ? 0
      : await extend(stream, meter, Math.max(missing, extensionTokens));
    if (added > 0 || (!call.clientGone && (await recount(stream, meter)))) continue;
    return await finish(stream, call.clientGone ? endings.left : endings.cut);
  }
  if (opened !== undefined) await pass(stream, opened, meter.resume(), chunk);
}

/**
 * Nothing more is to be had. The estimate leans upward; a count of what was sent, the same that
 * would be billed, may show that there is room left. Each time there is less, so it ends soon.
 *
 * @returns whether the next event is paid for.
 */
async function recount(stream: Streaming, meter: StreamMeter): Promise<boolean> {
  const { call, state } = stream;
  const { text, truncated } = meter.readOutput();
  if (truncated) return false;
  meter.correct(await countText(state.deps, call.model, text, meter.outputTokens));
  return meter.wantedTokens <= meter.allowedTokens;
}

/** Between two questions for more quota, when there was none the first time. */
const extendAgainMs = 1_000;

/** Asks for more quota before the stream has to wait for it. */
function extendAhead(stream: Streaming, meter: StreamMeter): void {
  const nowMs = stream.state.deps.ticker.nowMs();
  if (stream.extending || stream.call.clientGone || nowMs < stream.extendAgainMs) return;
  stream.extendAgainMs = nowMs + extendAgainMs;
  const asked = extend(stream, meter, 2 * extensionTokens);
  if (!(asked instanceof Promise)) return;
  stream.extending = true;
  void waitForExtension(stream, asked);
}

async function waitForExtension(stream: Streaming, asked: Promise<number>): Promise<void> {
  try {
    await asked;
  } catch (error) {
    stream.state.deps.log.error({ err: error }, "a hold could not be extended");
  }
  stream.extending = false;
  pumpOn(stream);
}

/** Quota units added for so many tokens; the meter's allowance follows them. */
function extend(stream: Streaming, meter: StreamMeter, tokens: number): number | Promise<number> {
  const { call, state } = stream;
  const { hold } = call.bill;
  const most = state.deps.snapshot.options.quotaPerCallMax;
  const room = most === 0 ? Infinity : most - hold.amount();
  const want = Math.min(outputCharge(call.price, tokens), room);
  if (want < 1) return 0;
  const allow = (added: number): number => {
    if (added > 0) stream.extendAgainMs = 0;
    const paid = affordableOutput(call.price, call.bounds, hold.amount());
    meter.allowedTokens = Math.max(meter.allowedTokens, paid);
    return added;
  };
  const added = hold.extend(want);
  return added instanceof Promise ? added.then(allow) : allow(added);
}

/** Ends the stream: count, bill, and then the client's last bytes. Never throws. */
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
      upstreamCount(end.usage, end.contentBytes) ??
      (await countHere(state.deps, call, end.usage, {
        ...end,
        outputTokens: opened.meter.outputTokens,
      }));
    const log = chargedLog(call, counted, {
      nowMs: state.deps.now(),
      interrupted: ending.note,
    });
    const billed = await call.bill.settle(call.price, log);
    if (billed === "pending") writeError(stream, settleTooSlow);
    else if (ending.error !== null) writeError(stream, ending.error);
    const isWhole = billed !== "pending" && ending.error === null;
    close(stream, ending.status, counted, isWhole ? end.tail : noBytes);
  } catch (error) {
    breakDown(stream, error);
  }
}

/** A bug of ours. The client hears of it; what was held goes back. */
function breakDown(stream: Streaming, error: unknown): void {
  const { call, opened, state } = stream;
  state.deps.log.error({ err: error, requestId: call.requestId }, "a stream failed");
  opened?.answer.cancel();
  writeError(stream, interruptedText);
  close(stream, 500);
}

/**
 * Calls `onEnd` once, whatever happened.
 *
 * @param tail the client's last bytes.
 */
function close(
  stream: Streaming,
  status = 0,
  counted: Counted | null = null,
  tail: Uint8Array = noBytes,
): void {
  if (stream.phase === "closed") return;
  stream.phase = "closed";
  stream.state.deps.ticker.remove(stream.ticking);
  if (stream.opened !== undefined) stream.state.keptBytes -= stream.call.bytes.length;
  stream.call.bill.release();
  if (stream.call.clientGone) stream.sink?.abort();
  else stream.sink?.end(tail);
  stream.onEnd(status, counted);
}
