/**
 * Remembers what the events of a stream have in common. They differ in little but a piece of text,
 * so a scan compares bytes where it would otherwise walk the same JSON again for each event.
 */

import { stringEnd } from "#base/json-cursor.ts";
import type { AnswerScan } from "#formats/format.ts";

/** The longest beginning and the longest rest of an event that are remembered, in bytes. */
const headBytesMax = 512;
const restBytesMax = 256;

/** Used until a stream's first event; whole answers have nothing that is remembered. */
const nothing = new Uint8Array();

/**
 * Bytes of the last event. They contain nothing of interest but the index of the choice, so an
 * event that has the same bytes has the same meaning.
 */
export type KnownEvents = {
  /** The beginning, up to the value of the first choice's `delta`: id, model and the like. */
  head: Uint8Array;
  headLength: number;
  /** The index of the choice that the beginning names. */
  index: number;
  /** What follows up to the text, and what comes behind it; 0: the last event had more than that. */
  lead: Uint8Array;
  leadLength: number;
  tail: Uint8Array;
  tailLength: number;
  /** Whether the text was reasoning. */
  isReasoning: boolean;
};

export function newKnownEvents(): KnownEvents {
  return {
    head: nothing,
    headLength: 0,
    index: 0,
    lead: nothing,
    leadLength: 0,
    tail: nothing,
    tailLength: 0,
    isReasoning: false,
  };
}

/** Returns where the value of `delta` begins, if the event in [start, end) begins as the last one. */
export function knownHeadEnd(
  { head, headLength }: KnownEvents,
  bytes: Uint8Array,
  start: number,
  end: number,
): number {
  if (headLength === 0 || start + headLength >= end) return -1;
  return isAt(bytes, start, head, headLength) ? start + headLength : -1;
}

/** Remembers the beginning of an event, which ends where the value of `delta` begins. */
export function keepHead(
  known: KnownEvents,
  bytes: Uint8Array,
  from: number,
  to: number,
  index: number,
): void {
  known.headLength = 0;
  known.leadLength = 0;
  if (to - from > headBytesMax) return;
  if (known.head === nothing) known.head = new Uint8Array(headBytesMax);
  known.head.set(bytes.subarray(from, to));
  known.headLength = to - from;
  known.index = index;
}

/** Forgets how the last event began, so that the next one is read from its first byte. */
export function forgetHead(known: KnownEvents): void {
  known.headLength = 0;
  known.leadLength = 0;
}

/**
 * Reads an event with a known beginning, if only its text differs from that of the last event.
 * Returns whether it did.
 *
 * @param at where the value of `delta` begins
 */
export function readKnown(
  known: KnownEvents,
  found: AnswerScan,
  bytes: Uint8Array,
  at: number,
  end: number,
): boolean {
  const { lead, leadLength, tail, tailLength } = known;
  const from = at + leadLength;
  const to = end - tailLength;
  if (leadLength === 0 || from >= to) return false;
  if (!isAt(bytes, at, lead, leadLength) || !isAt(bytes, to, tail, tailLength)) return false;
  if (stringEnd(bytes, from, end) !== to) return false;
  found.texts.push(from, to);
  if (known.isReasoning) found.reasoningBytes = to - from;
  found.choices.push(known.index, 0);
  found.answering = true;
  return true;
}

/**
 * Remembers an event with a known beginning that was read in full, if it has one text of one choice
 * that goes on, and nothing else.
 *
 * @param at where the value of `delta` begins
 */
export function keepKnown(
  known: KnownEvents,
  found: AnswerScan,
  bytes: Uint8Array,
  at: number,
  end: number,
): void {
  known.leadLength = 0;
  const [from = 0, to = 0] = found.texts;
  if (!isPlain(found, known.index) || from - at > restBytesMax || end - to > restBytesMax) return;
  if (known.lead === nothing) {
    known.lead = new Uint8Array(restBytesMax);
    known.tail = new Uint8Array(restBytesMax);
  }
  known.lead.set(bytes.subarray(at, from));
  known.leadLength = from - at;
  known.tail.set(bytes.subarray(to, end));
  known.tailLength = end - to;
  known.isReasoning = found.reasoningBytes > 0;
}

function isPlain(found: AnswerScan, index: number): boolean {
  const { choices, issued, texts } = found;
  if (found.malformed || found.errorSuspected || found.usageStart >= 0) return false;
  if (found.tier !== "" || (issued !== null && issued.length > 0)) return false;
  return texts.length === 2 && choices.length === 2 && choices[0] === index && choices[1] === 0;
}

function isAt(bytes: Uint8Array, at: number, same: Uint8Array, length: number): boolean {
  for (let index = 0; index < length; index += 1) {
    if (bytes[at + index] !== same[index]) return false;
  }
  return true;
}
