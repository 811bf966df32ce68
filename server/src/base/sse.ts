/**
 * Parses server-sent events from bytes. A chunk may end anywhere, also inside a character or between
 * CR and LF.
 * Grammar: https://html.spec.whatwg.org/multipage/server-sent-events.html#parsing-an-event-stream
 */

import { type Frame, FrameError, type FrameReader, frameBytesMax } from "./frames/frame.ts";

/** Opens a reader of whole frames as text, for streams that are translated to another format. */
export function openSseReader(): FrameReader {
  const cutter = openSseCutter(frameBytesMax);

  function take(next: () => SseCutKind): Frame[] {
    const frames: Frame[] = [];
    for (let kind = next(); kind !== "none"; kind = next()) {
      if (kind !== "event") throw new FrameError(`frame exceeds ${frameBytesMax} bytes`);
      const frame = readFrame(cutter.cut);
      if (frame !== undefined) frames.push(frame);
    }
    return frames;
  }

  return {
    push(chunk) {
      cutter.feed(chunk);
      const frames = take(cutter.next);
      cutter.keepRest();
      return frames;
    },
    end: () => take(cutter.finish),
    unfinishedBytes: () => cutter.cut.bytes.length - cutter.cut.start,
  };
}

/** A byte order mark belongs to the data unless it begins the stream. */
const decoder = new TextDecoder("utf-8", { ignoreBOM: true });

/** Reads the frame that was cut off. Undefined: it has no data, as a comment. */
function readFrame(cut: SseCut): Frame | undefined {
  if (cut.data.length === 0) return undefined;
  const event = decoder.decode(cut.bytes.subarray(cut.nameStart, cut.nameEnd));
  return { event: event === "" ? "message" : event, data: decoder.decode(joinData(cut)) };
}

/** Returns the payload of an event: its data lines, joined with LF when there are several. */
export function joinData(cut: SseCut): Uint8Array {
  const { bytes, data } = cut;
  if (data.length === 2) return bytes.subarray(data[0], data[1]);
  let length = -1;
  for (let at = 0; at < data.length; at += 2) length += 1 + (data[at + 1] ?? 0) - (data[at] ?? 0);
  const joined = new Uint8Array(Math.max(length, 0)).fill(0x0a);
  let to = 0;
  for (let at = 0; at < data.length; at += 2) {
    const line = bytes.subarray(data[at], data[at + 1]);
    joined.set(line, to);
    to += line.length + 1;
  }
  return joined;
}

/**
 * What `next` cut off the stream: nothing, because no event is complete yet; an event; or a piece
 * of an event that is too long to keep.
 */
type SseCutKind = "none" | "event" | "piece" | "last-piece";

/** The last cut, as positions in `bytes`. There is only one record; the next cut overwrites it. */
export type SseCut = {
  readonly bytes: Uint8Array;
  /** The bytes of the event, its empty line included. */
  readonly start: number;
  readonly end: number;
  /**
   * Start and end of each data line's payload, one after the other. Empty for a piece of an event.
   */
  readonly data: readonly number[];
  /** The value of the `event` line. Start and end are equal if there is none. */
  readonly nameStart: number;
  readonly nameEnd: number;
};

/**
 * Cuts a stream into its events without copying: `feed` a chunk, call `next` until it answers
 * "none", then `keepRest`. How the bytes were chunked never changes the events.
 */
export type SseCutter = {
  readonly cut: SseCut;
  feed(chunk: Uint8Array): void;
  next(): SseCutKind;
  /** Puts the last event back: `next` cuts it off again, even if more was fed in the meantime. */
  putBack(): void;
  /** Copies the bytes that are not cut yet, so that the owner of the chunk can reuse its memory. */
  keepRest(): void;
  /** To be called after the last chunk: like `next`, but what is left counts as a whole event. */
  finish(): SseCutKind;
};

/**
 * Initial size of the memory for bytes that are not cut yet. Mostly these are the start of one
 * small event.
 */
const restBytesMin = 1_024;

const nothing = new Uint8Array(0);

/** A position beyond any other: where the next LF or CR would be if there is none ahead. */
const never = Number.POSITIVE_INFINITY;

/** The state of a parser that cuts bytes into SSE events. All positions index `cut.bytes`. */
type Cutting = {
  readonly keptMax: number;
  readonly cut: { -readonly [Field in keyof SseCut]: SseCut[Field] } & { data: number[] };
  /**
   * The memory that holds kept bytes of earlier chunks, with room to grow; undefined: `cut.bytes`
   * is the last chunk itself.
   */
  room: Uint8Array | undefined;
  /** `line`: start of the current line; `searched`: from where its end has still to be searched. */
  line: number;
  searched: number;
  /**
   * Positions of the next LF and CR at or after `searched`. A value smaller than `searched` means
   * that the character has not been searched for yet.
   */
  lf: number;
  cr: number;
  /** Whether the last byte was a CR that ended a line; an LF that follows then belongs to it. */
  afterCr: boolean;
  /** Whether `cut` holds an event that the caller has already been given. */
  taken: boolean;
  /** Whether nothing was dropped yet, so that `cut.start` is where the stream begins. */
  first: boolean;
  /**
   * `passing`: whether the current event is given out in pieces; `begun`: whether a part of its
   * current line has already been given out.
   */
  passing: boolean;
  begun: boolean;
};

/**
 * Opens a cutter that keeps at most `keptMax` bytes of an unfinished event. A longer one is passed
 * on in pieces as it arrives, without being parsed.
 */
export function openSseCutter(keptMax: number): SseCutter {
  const state: Cutting = {
    keptMax,
    cut: { bytes: new Uint8Array(0), start: 0, end: 0, data: [], nameStart: 0, nameEnd: 0 },
    room: undefined,
    line: 0,
    searched: 0,
    lf: -1,
    cr: -1,
    afterCr: false,
    taken: false,
    first: true,
    passing: false,
    begun: false,
  };
  return {
    cut: state.cut,
    feed: (chunk) => feed(state, chunk),
    next: () => next(state),
    putBack: () => putBack(state),
    keepRest: () => keepRest(state),
    finish: () => finish(state),
  };
}

function feed(state: Cutting, chunk: Uint8Array): void {
  if (chunk.length === 0) return;
  release(state);
  const { cut } = state;
  const kept = cut.bytes.length - cut.start;
  if (kept === 0) {
    cut.bytes = chunk;
    cut.start = 0;
    state.room = undefined;
    state.line = 0;
    state.searched = 0;
  } else {
    append(state, chunk, kept);
  }
  state.lf = -1;
  state.cr = -1;
  if (state.afterCr && cut.bytes[state.line] === 0x0a) {
    state.line += 1;
    state.searched = state.line;
  }
  state.afterCr = false;
}

/** Appends the chunk to the kept bytes, which then begin at 0. */
function append(state: Cutting, chunk: Uint8Array, kept: number): void {
  const { cut } = state;
  let { room } = state;
  if (room === undefined || cut.start > 0 || kept + chunk.length > room.length) {
    room = new Uint8Array(Math.max(restBytesMin, 2 * kept, kept + chunk.length));
    room.set(cut.bytes.subarray(cut.start));
    state.room = room;
    shift(state, cut.start);
  }
  room.set(chunk, kept);
  cut.bytes = room.subarray(0, kept + chunk.length);
}

/** Moves all positions when the bytes before `by` are dropped. */
function shift(state: Cutting, by: number): void {
  const { cut } = state;
  for (let at = 0; at < cut.data.length; at += 1) cut.data[at] = (cut.data[at] ?? 0) - by;
  cut.start -= by;
  cut.nameStart -= by;
  cut.nameEnd -= by;
  state.line -= by;
  state.searched -= by;
}

/** Drops the event that the caller has finished with. */
function release(state: Cutting): void {
  if (!state.taken) return;
  state.taken = false;
  state.first = false;
  state.cut.start = state.cut.end;
  forgetFields(state);
}

function forgetFields({ cut }: Cutting): void {
  cut.data.length = 0;
  cut.nameEnd = cut.nameStart;
}

function next(state: Cutting): SseCutKind {
  release(state);
  const { bytes, start } = state.cut;
  while (state.line < bytes.length) {
    const { line } = state;
    const end = lineEnd(state, bytes);
    if (end >= bytes.length) break;
    const empty = end === line && !state.begun;
    if (!empty && !state.passing) readLine(state, bytes, end);
    let after = end + 1;
    if (bytes[end] === 0x0d) {
      if (after === bytes.length) state.afterCr = true;
      else if (bytes[after] === 0x0a) after += 1;
    }
    state.line = after;
    state.searched = after;
    state.begun = false;
    if (!empty) continue;
    if (line === start) passEmptyLines(state, bytes);
    return take(state, state.line, state.passing ? "last-piece" : "event");
  }
  const unfinished = bytes.length - start;
  if (unfinished === 0 || (!state.passing && unfinished <= state.keptMax)) return "none";
  state.begun ||= state.line < bytes.length;
  state.line = bytes.length;
  state.searched = bytes.length;
  return take(state, bytes.length, "piece");
}

/**
 * Skips consecutive empty lines, so that they are cut as one: each would be an event without
 * content.
 */
function passEmptyLines(state: Cutting, bytes: Uint8Array): void {
  let after = state.line;
  while (bytes[after] === 0x0a || bytes[after] === 0x0d) after += 1;
  state.afterCr = after === bytes.length && bytes[after - 1] === 0x0d;
  state.line = after;
  state.searched = after;
}

function take(state: Cutting, end: number, kind: SseCutKind): SseCutKind {
  state.cut.end = end;
  state.taken = true;
  state.passing = kind === "piece";
  if (kind !== "event") forgetFields(state);
  return kind;
}

/** Returns where the current line ends; `bytes.length` or more: its end has not arrived yet. */
function lineEnd(state: Cutting, bytes: Uint8Array): number {
  const { line, searched } = state;
  if (bytes[line] === 0x0a) return line;
  if (state.lf < searched) state.lf = find(bytes, 0x0a, searched);
  if (state.cr < searched) state.cr = find(bytes, 0x0d, searched);
  const end = state.lf < state.cr ? state.lf : state.cr;
  if (end === never) state.searched = bytes.length;
  return end;
}

/** Reads the field in the current line, which ends at `end`, if it is a field that we use. */
function readLine({ cut, line, first }: Cutting, bytes: Uint8Array, end: number): void {
  const at = first && line === cut.start ? pastMark(bytes, line) : line;
  if (isField(bytes, at, end, "data")) {
    cut.data.push(valueOf(bytes, at + 4, end), end);
  } else if (isField(bytes, at, end, "event")) {
    cut.nameStart = valueOf(bytes, at + 5, end);
    cut.nameEnd = end;
  }
}

function putBack(state: Cutting): void {
  if (!state.taken || state.passing) return;
  state.taken = false;
  state.line = state.cut.start;
  state.searched = state.line;
  state.lf = -1;
  state.cr = -1;
  state.afterCr = false;
  forgetFields(state);
}

function keepRest(state: Cutting): void {
  release(state);
  const { cut } = state;
  const kept = cut.bytes.length - cut.start;
  if (kept === 0) {
    cut.bytes = nothing;
    cut.start = 0;
  } else if (state.room === undefined || cut.start > 0) append(state, nothing, kept);
}

function finish(state: Cutting): SseCutKind {
  const kind = next(state);
  const { bytes, start } = state.cut;
  if (kind !== "none" || start === bytes.length) return kind;
  if (state.line < bytes.length) readLine(state, bytes, bytes.length);
  state.line = bytes.length;
  state.searched = bytes.length;
  return take(state, bytes.length, "event");
}

function find(bytes: Uint8Array, byte: number, from: number): number {
  const found = bytes.indexOf(byte, from);
  return found < 0 ? never : found;
}

/** Skips the byte order mark that a stream may begin with. */
function pastMark(bytes: Uint8Array, at: number): number {
  const isMark = bytes[at] === 0xef && bytes[at + 1] === 0xbb && bytes[at + 2] === 0xbf;
  return isMark ? at + 3 : at;
}

function isField(bytes: Uint8Array, at: number, end: number, name: string): boolean {
  const after = at + name.length;
  if (after > end || (after < end && bytes[after] !== 0x3a)) return false;
  for (let index = 0; index < name.length; index += 1) {
    if (bytes[at + index] !== name.charCodeAt(index)) return false;
  }
  return true;
}

/**
 * Returns where the value begins when the field name ends at `at`: behind the colon and one blank.
 */
function valueOf(bytes: Uint8Array, at: number, end: number): number {
  if (at >= end) return end;
  return at + 1 < end && bytes[at + 1] === 0x20 ? at + 2 : at + 1;
}
