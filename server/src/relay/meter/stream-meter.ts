/**
 * Meters a stream whose bytes go to the client unchanged. Whole events are passed on as views of
 * the chunk they came in; only what billing needs is read from them. The closing events are held
 * back until the call is settled, and the usage event is dropped if the gateway requested it and
 * the client did not.
 */

import type { ServedTier } from "@tollgate/contract/money/service-tiers.ts";
import { openSseCutter } from "#base/sse.ts";
import type { ReadUsage, Usage } from "#canonical/usage.ts";
import type { ClientError, ErrorBody } from "#formats/format.ts";
import { tokensOf, weightOfToken } from "#base/text-weight.ts";
import { openKeptOutput, shareOf } from "./kept-output.ts";
import {
  copy,
  correctEstimate,
  isComplete,
  isTooMuch,
  judgeEvent,
  judgePiece,
  type Metering,
  passPiece,
  seenUsageOf,
  type StreamMeterOptions,
  usageOf,
} from "./stream-events.ts";

/**
 * The largest number of bytes of an unfinished event that are kept. A longer event goes to the
 * client in pieces and is billed by its bytes; in practice only images are that long.
 */
const keptEventMax = 256 * 1024;

/** The largest number of bytes that are held back until it is certain that the stream has ended. */
const heldMax = 64 * 1024;

/** How many choices (parallel answers) are tracked: more than a request may ask for. */
const choicesMax = 128;

export type Passed = {
  /**
   * The bytes that may go to the client now, in order. They are valid until the next `push` or
   * `resume`, and views of the chunk only as long as the chunk is. If all of the chunk may go, and
   * nothing else, it is the chunk itself.
   */
  readonly forward: readonly Uint8Array[];
  /**
   * Whether the meter has stopped, because the next event would exceed `allowedTokens`. The caller
   * then raises that to `wantedTokens` and calls `resume`, or ends the stream. It pushes nothing
   * meanwhile.
   */
  readonly blocked: boolean;
};

export type StreamMeter = {
  push(chunk: Uint8Array): Passed;
  resume(): Passed;
  /** The estimate of output tokens at which the meter stops. Infinity at first. */
  allowedTokens: number;
  /** While the meter is blocked: the lowest `allowedTokens` at which the next event passes. */
  readonly wantedTokens: number;
  /**
   * Running estimate of the tokens of all output passed, in all choices, including thinking and
   * tool arguments.
   */
  readonly outputTokens: number;
  /**
   * Returns the beginning of the output so far, as `text` and `textTruncated` of `StreamEnd` give
   * it at the end.
   */
  readOutput(): { readonly text: string; readonly truncated: boolean };
  /** Replaces the running estimate by an exact count, if the count is lower. */
  correct(tokens: number): void;
  /**
   * Whether output has been passed on. From then on the call may not be retried at another channel.
   */
  readonly contentSeen: boolean;
  /** Whether any choice has its finish reason yet. */
  readonly finished: boolean;
  readonly done: boolean;
  /**
   * The error that the upstream reported inside the stream; undefined: none. The event with it is
   * held back.
   */
  readonly fault: ErrorBody | undefined;
  /** How many texts have come so far that only their issuer can read, or that name what it keeps. */
  readonly issuedCount: number;
  /** Returns the last of these texts. */
  lastIssued(count: number): readonly string[];
  /** How many bytes have come of an event that is not complete, and are kept until it is. */
  readonly unfinishedBytes: number;
  /**
   * Whether the last byte passed on ended an event. False inside an event that passes in pieces;
   * the gateway may write nothing of its own there.
   */
  readonly betweenEvents: boolean;
  /**
   * Makes the events that report an error and close the stream.
   *
   * @param charged the tokens that are charged; absent: none are.
   */
  errorEvent?(error: ClientError, charged?: Usage): string;
  /** Hears what the upstream has reported so far, before the output beside it passes; null: nobody. */
  onReport: ((reported: ReadUsage) => void) | null;
  /** Ends metering, after the last chunk or to stop early. */
  end(): StreamEnd;
};

export type StreamEnd = {
  /**
   * The bytes of the events held back: usage if the client wants it, the closing event, or the
   * error.
   */
  readonly tail: Uint8Array;
  /**
   * What the upstream's reports say together. Of an answer that is not complete: the best of what was
   * reported until then, which is the whole report with the greatest sum if there is one.
   */
  readonly usage: ReadUsage;
  /** What a client reads as the usage in the stream as it is. */
  readonly seenUsage: ReadUsage;
  /** The service tier that the answer names. */
  readonly tier: ServedTier;
  /** The web searches that the answer tells beside its usage. */
  readonly searches: number;
  /**
   * The beginning of the output as text, including thinking and tool arguments. The texts of
   * several choices follow one another.
   */
  readonly text: string;
  readonly textTruncated: boolean;
  /** What only its issuer can read, such as signatures, as far as it is not in the tail. */
  readonly issued: readonly string[];
  /** Bytes of all output. `judgeUsage` compares the reported usage with them. */
  readonly contentBytes: number;
  /** Estimated tokens of all output. */
  readonly outputTokens: number;
  /** Which share of that, from 0 to 1, is known to be reasoning. */
  readonly reasoningShare: number;
  /** Whether the answer is complete. False: it broke off, was blocked, or ended in an error. */
  readonly complete: boolean;
};

export function openStreamMeter(options: StreamMeterOptions): StreamMeter {
  const state = newMetering(options);
  let ended: StreamEnd | undefined;
  return {
    get onReport() {
      return state.onReport;
    },
    set onReport(hear) {
      state.onReport = hear;
    },
    push: (chunk) => push(state, chunk),
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
    correct: (tokens) => correctEstimate(state, tokens),
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
    get issuedCount() {
      return state.issuedCount;
    },
    lastIssued: (count) => state.issued?.slice(-count) ?? noIssued,
    get unfinishedBytes() {
      return state.cutter.cut.bytes.length - state.cutter.cut.start;
    },
    get betweenEvents() {
      return !state.passing && state.waiting === undefined;
    },
    end: () => (ended ??= end(state)),
  };
}

function newMetering(options: StreamMeterOptions): Metering {
  return {
    options,
    cutter: openSseCutter(options.format.eventBytesMax ?? keptEventMax),
    scanner: options.format.openScanner(),
    output: openKeptOutput(),
    held: [],
    heldBytes: 0,
    reports: undefined,
    firstReport: undefined,
    lastReport: undefined,
    reportedBytes: 0,
    reasoningBytes: 0,
    tier: "",
    tierInUsage: "",
    issued: undefined,
    issuedCount: 0,
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
    onReport: null,
  };
}

/**
 * A chunk that is longer than this is not joined as a whole with the beginning of an event that
 * came before it, because the copies would be garbage as large as the stream.
 */
const joinedBytesMax = 1_024;

function push(state: Metering, chunk: Uint8Array): Passed {
  const { cutter } = state;
  const isAfterBeginning = cutter.cut.bytes.length > cutter.cut.start;
  const end = isAfterBeginning && chunk.length > joinedBytesMax ? eventEnd(chunk) : 0;
  if (end === 0) {
    cutter.feed(chunk);
    return pass(state);
  }
  cutter.feed(chunk.subarray(0, end));
  const first = pass(state);
  cutter.feed(chunk.subarray(end));
  if (first.blocked) return first;
  const rest = pass(state);
  return { forward: [...first.forward, ...rest.forward], blocked: rest.blocked };
}

/** Returns where the first event of a chunk ends, if lines end in LF; 0: not in this chunk. */
function eventEnd(chunk: Uint8Array): number {
  for (let at = chunk.indexOf(0x0a); at >= 0; at = chunk.indexOf(0x0a, at + 1)) {
    if (chunk[at + 1] === 0x0a) return at + 2;
  }
  return 0;
}

/**
 * Takes all complete events from the bytes received so far, and forwards, holds back or drops each.
 */
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
  let from = -1; // start of the events that pass together as one view; −1: none
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
  if (from >= 0) forward.push(viewOf(cut.bytes, from, cut.start));
  cutter.keepRest();
  return { forward, blocked: state.blocked };
}

function viewOf(bytes: Uint8Array, start: number, end: number): Uint8Array {
  return start === 0 && end === bytes.length ? bytes : bytes.subarray(start, end);
}

function hold(state: Metering, event: Uint8Array, forward: Uint8Array[]): void {
  if (state.heldBytes + event.length > heldMax) release(state, forward);
  state.held.push(event);
  state.heldBytes += event.length;
}

/** Sends the events that were held back as the stream's end, because more content follows. */
function release(state: Metering, forward: Uint8Array[]): void {
  forward.push(...state.held);
  state.held = [];
  state.heldBytes = 0;
}

const noIssued: readonly string[] = [];

function end(state: Metering): StreamEnd {
  const forward: Uint8Array[] = [];
  if (!state.blocked) {
    state.ending = true;
    forward.push(...pass(state).forward);
  }
  const { text, truncated } = state.output.read();
  return {
    tail: Buffer.concat(state.blocked ? [] : [...forward, ...state.held]),
    usage: usageOf(state),
    seenUsage: seenUsageOf(state),
    tier: state.tier || state.tierInUsage,
    searches: state.scanner.found.searches,
    text,
    textTruncated: truncated,
    issued: state.issued ?? noIssued,
    contentBytes: state.output.byteCount,
    outputTokens: tokensOf(state.output.weight),
    reasoningShare: shareOf(state.reasoningBytes, state.output),
    complete: isComplete(state),
  };
}
