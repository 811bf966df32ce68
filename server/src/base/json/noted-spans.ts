/**
 * Notes where the values of some keys stand at the top level of an object that is scanned. It makes no
 * object: of a body that nobody asks about later, nothing is left but numbers.
 */

import type { Cursor } from "#base/json-cursor.ts";

export type NotedSpans = {
  /** ASCII. */
  readonly names: readonly string[];
  /** The first byte of the value of each name, and the one after its last; -1: it was not found. */
  readonly starts: Int32Array;
  readonly ends: Int32Array;
  /** The bytes that were scanned last; null: none. */
  bytes: Uint8Array | null;
};

export function openNotes(names: readonly string[]): NotedSpans {
  const starts = new Int32Array(names.length).fill(-1);
  const ends = new Int32Array(names.length).fill(-1);
  return { names, starts, ends, bytes: null };
}

export function beginNotes(notes: NotedSpans, bytes: Uint8Array): void {
  notes.starts.fill(-1);
  notes.bytes = bytes;
}

/** Notes the key just read, if it is one of the names: its value ends at `after`. */
export function noteSpan(notes: NotedSpans, cursor: Cursor, after: number): void {
  const { bytes, keyStart, keyEnd } = cursor;
  const length = keyEnd - keyStart;
  const first = bytes[keyStart];
  const { names } = notes;
  for (let index = 0; index < names.length; index += 1) {
    const name = names[index] ?? "";
    if (name.length !== length || name.charCodeAt(0) !== first) continue;
    if (!isName(bytes, keyStart, name)) continue;
    notes.starts[index] = cursor.at;
    notes.ends[index] = after;
    return;
  }
}

function isName(bytes: Uint8Array, start: number, name: string): boolean {
  for (let at = 1; at < name.length; at += 1) {
    if (bytes[start + at] !== name.charCodeAt(at)) return false;
  }
  return true;
}
