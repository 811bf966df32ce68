/**
 * Meters a stream whose bytes go to the client unchanged. Whole events are passed on as views of
 * the chunk they came in; only what billing needs is read from them. The closing events are held
 * back until the call is settled, and the usage event is dropped if the gateway requested it and
 * the client did not.
 */

import { openSseCutter } from "#base/sse.ts";
import type { ReadUsage } from "#canonical/usage.ts";
import type { ErrorBody } from "#formats/format.ts";
import { tokensOf, weightOfToken } from "#base/text-weight.ts";
import { openKeptOutput } from "./kept-output.ts";
import {
  copy,
  isComplete,
  isTooMuch,
  judgeEvent,
  judgePiece,
  type Metering,
  passPiece,
  readUsage,
  type StreamMeterOptions,
} from "./stream-events.ts";

/**
 * The largest number of bytes of an unfinished event that are kept. A longer event passes in pieces
 * and is billed by its bytes; only images are that long.
 */
const keptEventMax = 256 * 1024;

/** The largest number of bytes held back until the stream's end is certain. */
const heldMax = 64 * 1024;

/** More choices than a request may ask for. */
const choicesMax = 128;

export type Passed = {
  /**
   * What may go to the client now, in order: views of the chunk, valid as long as the chunk is, or
   * memory of their own.
   */
  readonly forward: readonly Uint8Array[];
  /**
   * The next event would exceed `allowedTokens`. Raise that to `wantedTokens` and call `resume`, or
   * end the stream; push nothing meanwhile.
   */
  readonly blocked: boolean;
};

export type StreamMeter = {
  push(chunk: Uint8Array): Passed;
  resume(): Passed;
  /** Limit of the running estimate. Infinity at first. */
  allowedTokens: number;
  /** When blocked: the lowest `allowedTokens` that lets the next event pass. */
  readonly wantedTokens: number;
  /**
   * Running estimate of all output passed, in all choices, including thinking and tool arguments.
   */
  readonly outputTokens: number;
  /** The beginning of the output; see `StreamEnd`. */
  readOutput(): { readonly text: string; readonly truncated: boolean };
  /** Replaces the estimate by a count, if the count is lower. */
  correct(tokens: number): void;
  /** True once output has been passed: from then on nothing may be retried. */
  readonly contentSeen: boolean;
  /** Whether any choice has its finish reason. */
  readonly finished: boolean;
  readonly done: boolean;
  /** An error that the upstream reported inside the stream. Its event is held back. */
  readonly fault: ErrorBody | undefined;
  /** False inside an event that passes in pieces: nothing may be written between them. */
  readonly betweenEvents: boolean;
  /** Call it after the last chunk, or to stop early. */
  end(): StreamEnd;
};

export type StreamEnd = {
  /** The events held back: usage if the client wants it, the closing event, or the error. */
  readonly tail: Uint8Array;
  readonly usage: ReadUsage;
  /**
   * The beginning of the output as text, including thinking and tool arguments; choices follow one
   * another.
   */
  readonly text: string;
  readonly textTruncated: boolean;
  /** Bytes of all output, to check the usage against (`plausible`). */
  readonly contentBytes: number;
  /** The answer is complete. False: it broke off, was blocked, or ended in an error. */
  readonly complete: boolean;
};

export function openStreamMeter(options: StreamMeterOptions): StreamMeter {
  const state: Metering = {
    options,
    cutter: openSseCutter(keptEventMax),
    scanner: options.format.openScanner(),
    output: openKeptOutput(),
    held: [],
    heldBytes: 0,
    firstUsage: undefined,
    usage: undefined,
    choices: new Uint8Array(choicesMax),
    contentSeen: false,
    finished: false,
    usageOnlySeen: false,
    done: false,
    fault: undefined,
    passing: false,
    silent: false,
    waiting: undefined,
    waitingWeight: 0,
    blocked: false,
    allowedWeight: Number.POSITIVE_INFINITY,
    wantedWeight: 0,
    ending: false,
  };
  let ended: StreamEnd | undefined;
  return {
    push(chunk) {
      state.cutter.feed(chunk);
      return pass(state);
    },
    resume: () => pass(state),
    get allowedTokens() {
      return state.allowedWeight / weightOfToken;
    },
    set allowedTokens(tokens) {
      state.allowedWeight = tokens * weightOfToken;
    },
    get wantedTokens() {
      return tokensOf(state.wantedWeight);
    },
    get outputTokens() {
      return tokensOf(state.output.weight);
    },
    readOutput: state.output.read,
    correct(tokens) {
      const less = Math.max(0, state.output.weight - tokens * weightOfToken);
      state.output.correct(state.output.weight - less);
      state.wantedWeight -= less;
    },
    get contentSeen() {
      return state.contentSeen;
    },
    get finished() {
      return state.finished;
    },
    get done() {
      return state.done;
    },
    get fault() {
      return state.fault;
    },
    get betweenEvents() {
      return !state.passing && state.waiting === undefined;
    },
    end: () => (ended ??= end(state)),
  };
}

/** Takes all complete events and applies the verdict on each. */
function pass(state: Metering): Passed {
  const { cutter } = state;
  const { cut } = cutter;
  const forward: Uint8Array[] = [];
  state.blocked = false;
  if (state.waiting !== undefined) {
    state.blocked = isTooMuch(state, state.waitingWeight);
    if (state.blocked) return { forward, blocked: true };
    passPiece(state, state.waiting.length, state.waitingWeight);
    forward.push(state.waiting);
    state.waiting = undefined;
  }
  let from = -1; // start of the events that pass together as one view
  for (;;) {
    const kind = state.ending ? cutter.finish() : cutter.next();
    if (kind === "none") break;
    const { bytes, start } = cut;
    const verdict =
      kind === "event" ? judgeEvent(state, cut) : judgePiece(state, bytes, start, cut.end);
    if (kind !== "event") state.passing = kind === "piece";
    if (verdict === "forward") {
      if (state.held.length > 0) release(state, forward);
      if (from < 0) from = start;
      continue;
    }
    if (from >= 0) forward.push(bytes.subarray(from, start));
    from = -1;
    if (verdict === "hold") hold(state, copy(bytes, start, cut.end), forward);
    if (verdict !== "block") continue;
    state.blocked = true;
    if (kind === "event") cutter.putBack();
    else state.waiting = copy(bytes, start, cut.end);
    break;
  }
  if (from >= 0) forward.push(cut.bytes.subarray(from, cut.start));
  cutter.keepRest();
  return { forward, blocked: state.blocked };
}

function hold(state: Metering, event: Uint8Array, forward: Uint8Array[]): void {
  if (state.heldBytes + event.length > heldMax) release(state, forward);
  state.held.push(event);
  state.heldBytes += event.length;
}

/** Releases the events that were held back as the stream's end, because more content follows. */
function release(state: Metering, forward: Uint8Array[]): void {
  forward.push(...state.held);
  state.held = [];
  state.heldBytes = 0;
}

function end(state: Metering): StreamEnd {
  const forward: Uint8Array[] = [];
  if (!state.blocked) {
    state.ending = true;
    forward.push(...pass(state).forward);
  }
  const { text, truncated } = state.output.read();
  return {
    tail: Buffer.concat(state.blocked ? [] : [...forward, ...state.held]),
    usage: readUsage(state),
    text,
    textTruncated: truncated,
    contentBytes: state.output.byteCount,
    complete: isComplete(state),
  };
}
