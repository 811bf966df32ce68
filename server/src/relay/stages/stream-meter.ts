/**
 * Meters a stream whose bytes go to the client untouched: whole events are passed on as they
 * come, as views of the chunk they came in, and only what is billed is read from them. Held back
 * are the ends, which the client may see only when the call has been settled; left out is the
 * usage event we asked for and the client did not.
 */

import { isText, openBrace } from "#base/json-cursor.ts";
import { readJson } from "#base/json-scan.ts";
import { joinData, openSseCutter, type SseCut, type SseCutter } from "#base/sse.ts";
import type { ReadUsage } from "#canonical/usage.ts";
import type { AnswerScanner, Codec, ErrorBody } from "#formats/codec.ts";
import {
  type KeptOutput,
  openKeptOutput,
  tokensOf,
  weighBytes,
  weighText,
  weightOfToken,
} from "./kept-output.ts";

/**
 * Most bytes of an unfinished event that are kept. A longer one passes in pieces and is billed by
 * its bytes; only images reach this size.
 */
export const keptEventMax = 256 * 1024;

/** Most bytes held back behind a usage event until it is known to be the end. */
const heldMax = 64 * 1024;

/** Longest usage object that is parsed, in bytes. Real ones are below 1 kB. */
const usageBytesMax = 16 * 1024;

/** More choices than anybody may ask for. */
const choicesMax = 128;

const colon = 0x3a;
const lineFeed = 0x0a;
const carriageReturn = 0x0d;

export type StreamMeterOptions = {
  readonly codec: Codec;
  /** The client did not ask for the usage event: it is billed by it and never sees it. */
  readonly dropUsage: boolean;
  /** The provider's reader of its usage object. */
  readonly readUsage: (raw: unknown) => ReadUsage;
};

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

/** What a meter knows. */
type Metering = {
  readonly options: StreamMeterOptions;
  readonly cutter: SseCutter;
  readonly scanner: AnswerScanner;
  readonly output: KeptOutput;
  /** Events whose place is at the end, and how long they are together. */
  held: Uint8Array[];
  heldBytes: number;
  /** The last usage object, as JSON. */
  usage: Uint8Array | undefined;
  /** By choice: 1 seen, 2 finished. */
  readonly choices: Uint8Array;
  contentSeen: boolean;
  finished: boolean;
  usageOnlySeen: boolean;
  done: boolean;
  fault: ErrorBody | undefined;
  /** An event too long to keep is passing; `silent`: it is a comment. */
  passing: boolean;
  silent: boolean;
  /** A piece of such an event that was blocked, and its weight. */
  waiting: Uint8Array | undefined;
  waitingWeight: number;
  blocked: boolean;
  allowedWeight: number;
  wantedWeight: number;
  ending: boolean;
  ended: StreamEnd | undefined;
};

/** What becomes of an event. Dropped is what no client gets to see. */
type Verdict = "forward" | "hold" | "drop" | "block";

export function openStreamMeter(options: StreamMeterOptions): StreamMeter {
  const state: Metering = {
    options,
    cutter: openSseCutter(keptEventMax),
    scanner: options.codec.openScanner(),
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
    ended: undefined,
  };
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
    end: () => (state.ended ??= end(state)),
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

function judgeEvent(state: Metering, cut: SseCut): Verdict {
  const { found: scan } = state.scanner;
  if (state.done) return isRestOfLineEnd(cut) ? "hold" : "drop";
  if (cut.data.length === 0) return judgeSilence(state, cut);
  const single = cut.data.length === 2;
  const bytes = single ? cut.bytes : joinData(cut);
  const start = single ? (cut.data[0] ?? 0) : 0;
  const end = single ? (cut.data[1] ?? 0) : bytes.length;
  state.scanner.scanEvent(bytes, start, end);
  // What the stream broke off in: half an event would break the client's parser, too.
  if (state.ending && (scan.malformed || (!scan.done && bytes[start] !== openBrace))) return "drop";
  if (state.fault === undefined && (scan.errorSuspected || isNamed(cut, "error"))) {
    state.fault = readFault(state, bytes.subarray(start, end), isNamed(cut, "error"));
    if (state.fault !== undefined) return "hold";
  }
  let weight = scan.malformed ? weighBytes(bytes, start, end) : 0;
  for (let at = 0; at < scan.texts.length && !scan.malformed; at += 2) {
    const from = scan.texts[at] ?? 0;
    const to = scan.texts[at + 1] ?? 0;
    // Upstreams send whole tokens: however short, a piece is one at least.
    if (to > from) weight += Math.max(weightOfToken, weighText(bytes, from, to));
  }
  if (isTooMuch(state, weight)) return "block";
  if (scan.malformed) state.output.addUnread(end - start, weight);
  else state.output.add(bytes, scan.texts, weight);
  noteEvent(state, bytes);
  if (state.fault !== undefined) return "drop";
  if (scan.done) {
    state.done = true;
    return "hold";
  }
  if (!scan.usageOnly) return "forward";
  return state.options.dropUsage ? "drop" : "hold";
}

/** Comments and empty events: they stay where they stand, also among what is held. */
function judgeSilence(state: Metering, { bytes, start }: SseCut): Verdict {
  if (state.fault !== undefined) return "drop";
  const first = bytes[start];
  const whole = first === colon || first === lineFeed || first === carriageReturn;
  if (state.ending && !whole) return "drop";
  return state.held.length > 0 ? "hold" : "forward";
}

/** A piece of an event that nobody scans. */
function judgePiece(state: Metering, bytes: Uint8Array, start: number, end: number): Verdict {
  if (state.done || state.fault !== undefined) return "drop";
  if (!state.passing) state.silent = bytes[start] === colon;
  const weight = state.silent ? 0 : weighBytes(bytes, start, end);
  if (isTooMuch(state, weight)) {
    state.waitingWeight = weight;
    return "block";
  }
  if (!state.silent) passPiece(state, end - start, weight);
  return "forward";
}

function passPiece(state: Metering, byteCount: number, weight: number): void {
  state.output.addUnread(byteCount, weight);
  state.contentSeen = true;
}

function isTooMuch(state: Metering, weight: number): boolean {
  state.wantedWeight = state.output.weight + weight;
  return weight > 0 && state.wantedWeight > state.allowedWeight;
}

/** Files what the scan found, once the event is sure to count. */
function noteEvent(state: Metering, bytes: Uint8Array): void {
  const { found: scan } = state.scanner;
  if (scan.texts.length > 0 || scan.malformed) state.contentSeen = true;
  if (scan.usageStart >= 0) state.usage = copy(bytes, scan.usageStart, scan.usageEnd);
  if (scan.usageOnly) state.usageOnlySeen = true;
  for (let at = 0; at < scan.choices.length; at += 2) {
    const index = scan.choices[at] ?? 0;
    const mark = (scan.choices[at + 1] ?? 0) + 1;
    if (mark === 2) state.finished = true;
    if (mark > (state.choices[index] ?? 0)) state.choices[index] = mark;
  }
}

/** The error the event reports. Undefined: it is none after all. */
function readFault(state: Metering, payload: Uint8Array, named: boolean): ErrorBody | undefined {
  const body = readJson(payload, { start: 0, end: payload.length, kind: "object" });
  const error = state.options.codec.readErrorBody(body);
  return error ?? (named ? { code: "", message: "", type: "error" } : undefined);
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

function readLastUsage({ usage, options }: Metering): ReadUsage {
  if (usage === undefined) return { kind: "missing" };
  if (usage.length > usageBytesMax) return { kind: "suspect", reason: "usage object too long" };
  return options.readUsage(readJson(usage, { start: 0, end: usage.length, kind: "object" }));
}

/**
 * Some servers leave out the closing word, some the reasons to finish; a usage event comes only
 * behind the last content.
 */
function isComplete(state: Metering): boolean {
  if (state.fault !== undefined || state.blocked || state.passing) return false;
  const open = state.choices.includes(1);
  return state.done || (state.finished && !open) || (state.usageOnlySeen && state.contentSeen);
}

/** Memory of its own: a chunk's belongs to the transport. `slice` of a Buffer would share it. */
function copy(bytes: Uint8Array, start: number, end: number): Uint8Array {
  return new Uint8Array(bytes.subarray(start, end));
}

/** The LF of a CRLF whose CR ended the last chunk. */
function isRestOfLineEnd({ bytes, start, end }: SseCut): boolean {
  return end === start + 1 && bytes[start] === lineFeed;
}

function isNamed({ bytes, nameStart, nameEnd }: SseCut, name: string): boolean {
  return isText(bytes, nameStart, nameEnd, name);
}
