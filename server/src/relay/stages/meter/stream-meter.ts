/**
 * Meters a stream whose bytes go to the client untouched: whole events are passed on as they
 * come, as views of the chunk they came in, and only what is billed is read from them. Held back
 * are the ends, which the client may see only when the call has been settled; left out is the
 * usage event we asked for and the client did not.
 */

import { openSseCutter } from "#base/sse.ts";
import type { ReadUsage } from "#canonical/usage.ts";
import type { ErrorBody } from "#formats/format.ts";
import { openKeptOutput, tokensOf, weightOfToken } from "./kept-output.ts";
import {
  copy,
  isComplete,
  isTooMuch,
  judgeEvent,
  judgePiece,
  type Metering,
  passPiece,
  readLastUsage,
  type StreamMeterOptions,
} from "./stream-events.ts";

/**
 * Most bytes of an unfinished event that are kept. A longer one passes in pieces and is billed by
 * its bytes; only images reach this size.
 */
export const keptEventMax = 256 * 1024;

/** Most bytes held back behind a usage event until it is known to be the end. */
const heldMax = 64 * 1024;

/** More choices than anybody may ask for. */
const choicesMax = 128;

export type Passed = {
  /**
   * What may go to the client now, in order: views of the chunk, good as long as that is, or
   * bytes that nobody writes to again.
   */
  readonly forward: readonly Uint8Array[];
  /**
   * The next event would take the output past `allowedTokens`. Raise it to `wantedTokens` or more
   * and `resume`, or end the stream; until then push nothing.
   */
  readonly blocked: boolean;
};

export type StreamMeter = {
  push(chunk: Uint8Array): Passed;
  resume(): Passed;
  /** What the running estimate must not pass. Infinity at first. */
  allowedTokens: number;
  /** When blocked: the least `allowedTokens` that lets the next event through. */
  readonly wantedTokens: number;
  /** Running estimate of all output passed so far: every choice, thinking and tool arguments. */
  readonly outputTokens: number;
  /** The head of the output so far; see `StreamEnd`. */
  readOutput(): { readonly text: string; readonly truncated: boolean };
  /** The output so far was counted: if that is less, it takes the place of the estimate. */
  correct(tokens: number): void;
  /** Output of the model has been passed: from here on nothing may be retried. */
  readonly contentSeen: boolean;
  /** Some choice has given its reason to finish. */
  readonly finished: boolean;
  readonly done: boolean;
  /** The upstream reported an error inside the stream. Its event is held back. */
  readonly fault: ErrorBody | undefined;
  /** False inside an event too long to keep: nothing may be written between its pieces. */
  readonly betweenEvents: boolean;
  /** After the last chunk, or in its place. */
  end(): StreamEnd;
};

export type StreamEnd = {
  /** What was held back: the usage event if the client wants it, the closing word, or the error. */
  readonly tail: Uint8Array;
  readonly usage: ReadUsage;
  /** The head of the output as text: thinking and tool arguments too, choices one after another. */
  readonly text: string;
  readonly textTruncated: boolean;
  /** Bytes of all output, to judge the usage by (`plausible`). */
  readonly contentBytes: number;
  /** The answer came to its end. False: it broke off, was blocked, or ended in an error. */
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

/** Takes all events that are complete, and sorts out what becomes of each. */
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
  let from = -1; // the first of the events that pass together as one view
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

/** Lets go what was held: it was not the end after all. */
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
    usage: readLastUsage(state),
    text,
    textTruncated: truncated,
    contentBytes: state.output.byteCount,
    complete: isComplete(state),
  };
}
