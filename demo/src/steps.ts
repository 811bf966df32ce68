/**
 * The writes to a client's connection, step by step. Pure and lazy: each step is created after the
 * client has read the previous one, so endless answers need no memory.
 */

import type { Json } from "./json.ts";
import type { AnswerPart } from "./answer.ts";
import type { Framing } from "./answers/api.ts";
import type { DemoScript } from "./script.ts";

export type Step =
  | BytesStep
  /**
   * Waits for `ms` milliseconds. 0: yields to other connections, and sends what was gathered so far
   * as a write of its own.
   */
  | { readonly kind: "wait"; readonly ms: number }
  /** Waits until the control API releases the held answers of the model. */
  | { readonly kind: "hold" }
  | { readonly kind: "cut"; readonly how: "reset" | "fin" | "silence" };

export type BytesStep = {
  readonly kind: "bytes";
  readonly bytes: string | Uint8Array;
  /** Number of output tokens that are complete once these bytes have been sent. */
  readonly pieces?: number;
  readonly usage?: string;
  /** HTTP status; set on the bytes that end the head. */
  readonly status?: number;
  /** How many more bytes the chunk announces than it has. */
  readonly missingBytes?: number;
};

type Frame = {
  /** Yields what is written before each event, such as comment lines. */
  readonly before: () => Iterable<Step>;
  /** Returns the line with the event's name. */
  readonly name: (event: string) => string;
  readonly open: string;
  readonly close: string;
  /** Makes the whole of a part, where it is not text between `open` and `close`. */
  readonly pack?: (part: AnswerPart) => Uint8Array;
  /** The first piece's line is stretched to this many bytes. */
  readonly longLineBytes: number;
  /** Makes the event that a scripted error becomes. */
  readonly errorPart: (error: Json) => AnswerPart;
};

/** The largest number of bytes of a repeated text in one step. */
const repeatedBytesMax = 64 * 1024;
/** How many bytes a truncated chunk lacks. */
const truncatedBytes = 512;

/** The frame of a part of a JSON body: nothing is added around the part. */
export const noFrame: Frame = {
  before: () => [],
  name: () => "",
  open: "",
  close: "",
  longLineBytes: 0,
  errorPart: (error) => ({ kind: "finish", text: JSON.stringify({ error }), pieces: 0 }),
};

/** Returns the frame of a server-sent event, spelled as the script requires. */
function eventFrame(script: DemoScript, errorPart: Frame["errorPart"]): Frame {
  const end = script.lineEnd ?? "\n";
  return {
    *before() {
      if (script.comments !== undefined) yield* repeat(`: scripted comment${end}`, script.comments);
      if (script.nul === true) yield bytes(`: \0\0${end}\0\0\0${end}id: \0${end}`);
    },
    name: (event) => `event: ${event}${end}`,
    open: script.noBlankAfterColon === true ? "data:" : "data: ",
    close: script.noBlankLine === true ? end : end + end,
    longLineBytes: script.longLineBytes ?? 0,
    errorPart,
  };
}

function frameOf({ framing, errorPart }: StreamShape, script: DemoScript): Frame {
  if (framing === "events") return eventFrame(script, errorPart);
  const { close, pack } = framing;
  const own = { ...noFrame, close: close?.(script) ?? "", errorPart };
  return pack === undefined ? own : { ...own, pack };
}

/**
 * What the API of a stream decides: how events are divided, whether `[DONE]` ends it, and how it
 * reports an error.
 * `pieceCount`: number of parts of kind `piece`.
 */
type StreamShape = {
  readonly pieceCount: number;
  readonly framing: Framing;
  readonly writesDone: boolean;
  readonly errorPart: Frame["errorPart"];
};

/** Yields the whole event stream: leading lines, events, the last event, trailing text. */
export function* streamSteps(
  script: DemoScript,
  parts: Iterable<AnswerPart>,
  shape: StreamShape,
): Generator<Step> {
  const { pieceCount, writesDone } = shape;
  if (script.bom === true) yield bytes("\uFEFF");
  yield* repeat(script.lineEnd ?? "\n", script.emptyLines ?? 0);
  const frame = frameOf(shape, script);
  yield* partSteps(script, withDone(script, parts, writesDone), { frame, pieceCount });
  if (script.afterDone !== undefined) yield bytes(script.afterDone);
}

/**
 * Yields the parts of an answer, with as many last events as the script requests: `[DONE]`, or the
 * part of kind `done`.
 */
export function* withDone(
  script: DemoScript,
  parts: Iterable<AnswerPart>,
  writesDone: boolean,
): Generator<AnswerPart> {
  const count = Number(script.done ?? true);
  const done: AnswerPart = { kind: "done", text: "[DONE]", pieces: 0 };
  for (const part of parts) {
    if (writesDone || part.kind !== "done") yield part;
    else for (let index = 0; index < count; index += 1) yield part;
  }
  for (let index = 0; writesDone && index < count; index += 1) yield done;
}

/**
 * Puts parts into frames, and adds the script's delays, cut and error between them.
 *
 * @param pieceCount number of parts of kind `piece`, to find the middle.
 * @param delayMs delay before each piece.
 */
export function* partSteps(
  script: DemoScript,
  parts: Iterable<AnswerPart>,
  {
    frame,
    pieceCount,
    delayMs = script.eventDelayMs ?? 0,
  }: { frame: Frame; pieceCount: number; delayMs?: number },
): Generator<Step> {
  const middle = Math.floor((Number.isFinite(pieceCount) ? pieceCount : 1) / 2);
  const { cut, errorEvent, hold } = script;
  let pieces = 0;
  // Where the answer still has to be held. A hold at `head` is over before the first part.
  let holdAt = hold === "head" ? undefined : hold;
  for (const part of parts) {
    if (holdAt !== undefined && isDue(holdAt, part.kind, pieces)) {
      holdAt = undefined;
      yield { kind: "hold" };
    }
    if (cut !== undefined && isDue(cut.after, part.kind, pieces)) {
      yield { kind: "cut", how: cut.how };
      return;
    }
    if (errorEvent !== undefined && part.kind !== "start" && pieces >= errorEvent.after) {
      yield* framed(frame, frame.errorPart(errorEvent.error));
      return;
    }
    if (part.kind !== "piece") {
      yield* framed(frame, part);
      continue;
    }
    if (delayMs > 0) yield { kind: "wait", ms: delayMs };
    if (pieces === middle) yield* brokenPiece(script, frame, part);
    yield* pieces === 0 ? longPiece(frame, part) : framed(frame, part);
    pieces += 1;
  }
  if (cut !== undefined && (typeof cut.after === "string" || pieces >= cut.after)) {
    yield { kind: "cut", how: cut.how };
  }
}

/**
 * Whether the place `after` is reached before a part of this kind, when `pieces` pieces have been
 * written.
 */
function isDue(
  after: NonNullable<DemoScript["cut"]>["after"],
  kind: AnswerPart["kind"],
  pieces: number,
): boolean {
  if (typeof after === "number") return kind !== "start" && pieces >= after;
  switch (after) {
    case "connect":
    case "headers":
      return true;
    case "before-usage":
      return kind === "usage" || kind === "done";
    case "before-done":
      return kind === "done";
    case "mid-event":
    case "end":
      return false;
  }
}

/**
 * Yields the steps of a fault in the middle of a piece, or none if the script has no such fault.
 */
function* brokenPiece(script: DemoScript, frame: Frame, part: AnswerPart): Generator<Step> {
  const whole = frame.pack?.(part) ?? opening(frame, part) + part.text;
  const half = whole.slice(0, Math.ceil(whole.length / 2));
  if (script.chunked === "truncated") {
    yield { kind: "bytes", bytes: half, missingBytes: truncatedBytes };
    yield { kind: "cut", how: "fin" };
  }
  if (script.cut?.after === "mid-event") {
    yield* frame.before();
    yield bytes(half);
    yield { kind: "cut", how: script.cut.how };
  }
}

function* framed(frame: Frame, part: AnswerPart): Generator<Step> {
  yield* frame.before();
  const { pieces, usage } = part;
  yield {
    kind: "bytes",
    bytes: frame.pack?.(part) ?? opening(frame, part) + part.text + frame.close,
    ...(pieces > 0 ? { pieces } : {}),
    ...(usage === undefined ? {} : { usage }),
  };
}

/** Yields the first piece, stretched until its line has the length that the script requests. */
function* longPiece(frame: Frame, part: AnswerPart): Generator<Step> {
  const missing = frame.longLineBytes - Buffer.byteLength(frame.open + part.text);
  if (missing <= 0 || part.contentAt === undefined) {
    yield* framed(frame, part);
    return;
  }
  yield* frame.before();
  yield bytes(opening(frame, part) + part.text.slice(0, part.contentAt));
  yield* repeat("x", missing);
  const rest = part.text.slice(part.contentAt) + frame.close;
  yield { kind: "bytes", bytes: rest, pieces: part.pieces };
}

/** Returns what is before the text of a part. */
function opening(frame: Frame, { event }: AnswerPart): string {
  return event === undefined ? frame.open : frame.name(event) + frame.open;
}

/** Repeats `text`, in steps of bounded size. */
export function* repeat(text: string, count: number): Generator<Step> {
  const perStep = Math.max(1, Math.floor(repeatedBytesMax / text.length));
  const full = count >= perStep ? text.repeat(perStep) : "";
  let left = count;
  for (; left >= perStep; left -= perStep) yield bytes(full);
  if (left > 0) yield bytes(text.repeat(left));
}

export function bytes(value: string | Uint8Array): BytesStep {
  return { kind: "bytes", bytes: value };
}
