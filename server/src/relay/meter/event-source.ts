/** Reads what an upstream sends as canonical events. */

import { type Frame, FrameError } from "#base/frames/frame.ts";
import { countValues, type Json } from "#base/json.ts";
import type { CanonicalEvent } from "#canonical/event.ts";
import type { ReadUsage } from "#canonical/usage.ts";
import { parseBody, parseJson } from "#formats/shared/read-json.ts";
import { openFrames } from "#formats/shared/upstream/frame-reader.ts";
import { piecesOf } from "#formats/shared/upstream/whole-as-stream.ts";
import { answerFault } from "#formats/shared/upstream-fault.ts";
import type { UpstreamTranslation } from "#formats/translation.ts";

/** What is read of an upstream's answer, and how. */
export type TranslatedSource = {
  readonly upstream: UpstreamTranslation;
  /** A text that no other answer has, from which missing ids are made. */
  readonly seed: string;
  readonly restore: (events: readonly CanonicalEvent[]) => readonly CanonicalEvent[];
};

const noReport: ReadUsage = { kind: "missing" };

/** Reads a stream of the upstream as events. */
export type EventSource = {
  /** Returns what was reported so far, in formats that report before the end. */
  reported(): ReadUsage;
  push(chunk: Uint8Array): readonly CanonicalEvent[];
  end(): readonly CanonicalEvent[];
  /** How many bytes have come of a frame that is not complete. */
  unfinishedBytes(): number;
};

/**
 * The most values that a piece of a stream may have, which is parsed in one turn of the thread. The
 * probabilities of 3,000 tokens with the five likeliest of each have as many.
 */
const pieceValuesMax = 200_000;

const crowdedWords = `a piece of the stream has more than ${pieceValuesMax} values`;

/**
 * The longest text of a whole answer that is made a stream, in characters: all of it is written in
 * one turn of the thread. No model writes so much at once.
 */
const streamedTextMax = 8 * 1024 * 1024;

const longWords = `the text is longer than ${streamedTextMax} characters`;

function tooMuch(words: string): CanonicalEvent {
  return { type: "fault", fault: answerFault("answer-malformed", words) };
}

function lengthOf(events: readonly CanonicalEvent[]): number {
  return events.reduce((sum, event) => sum + ("text" in event ? event.text.length : 0), 0);
}

function isCrowded(text: string): boolean {
  return text.length > pieceValuesMax && countValues(text) > pieceValuesMax;
}

/** @throws FrameError when the piece would take too long to be read. */
function notCrowded(data: string): string {
  if (isCrowded(data)) throw new FrameError(crowdedWords);
  return data;
}

/** Reads a whole answer, all of which is pushed at once, as the events of a stream. */
export function openWholeSource({ seed, upstream, restore }: TranslatedSource): EventSource {
  const read = (bytes: Uint8Array): readonly CanonicalEvent[] => {
    const text = new TextDecoder().decode(bytes);
    if (isCrowded(text)) return [tooMuch(crowdedWords)];
    const body = parseJson(text);
    const events = body === undefined ? [] : upstream.readAnswer(body, seed);
    return lengthOf(events) > streamedTextMax ? [tooMuch(longWords)] : events;
  };
  return {
    reported: () => noReport,
    push: (bytes) => restore(read(bytes)).flatMap(inPieces),
    end: () => [],
    unfinishedBytes: () => 0,
  };
}

/** Cuts a long text, so that as much of it can pass as is paid for. */
function inPieces(event: CanonicalEvent): readonly CanonicalEvent[] {
  switch (event.type) {
    case "arguments":
    case "reasoning":
    case "refusal":
    case "text":
      return piecesOf(event.text).map((text) => ({ ...event, text }));
    default:
      return [event];
  }
}

export function openEventSource({ seed, upstream, restore }: TranslatedSource): EventSource {
  const frames = openFrames(upstream.framing);
  const reader = upstream.openReader(seed);
  let broken = false;
  const read = (next: () => readonly Frame[]): readonly CanonicalEvent[] => {
    if (broken) return [];
    try {
      return next().flatMap(({ event, data }) => reader.read(event, notCrowded(data)));
    } catch (error) {
      if (!(error instanceof FrameError)) throw error;
      broken = true;
      // What was reported until then is charged.
      const reported = reader.end().filter(({ type }) => type === "usage");
      return [
        ...reported,
        { type: "fault", fault: answerFault("answer-malformed", error.message) },
      ];
    }
  };
  return {
    reported: () => reader.reported?.() ?? noReport,
    push: (chunk) => restore(read(() => frames.push(chunk))),
    end() {
      const last = read(() => frames.end());
      return restore(broken ? last : [...last, ...reader.end()]);
    },
    unfinishedBytes: frames.unfinishedBytes,
  };
}

/** Parses a whole answer. Undefined: it is not JSON. */
export function parseAnswer(bytes: Uint8Array): Json | undefined {
  try {
    return parseBody(bytes);
  } catch {
    return undefined;
  }
}
