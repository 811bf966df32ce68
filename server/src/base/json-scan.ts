/**
 * Finds values at the top level of a JSON object without parsing the rest. The relay forwards the
 * bytes that the client sent, so it must read from them what every other parser reads. Therefore it
 * checks the whole grammar, unescapes keys before it compares them, and reports a key that occurs
 * twice or in another case instead of choosing one.
 */

import type { Json } from "./json.ts";
import { hasMoreEscapes } from "./json/count-escapes.ts";
import { beginNotes, type NotedSpans, noteSpan } from "./json/noted-spans.ts";
import { beginWatch, endWatch, type WatchedKeys } from "./json/watched-keys.ts";
import {
  type Cursor,
  depthMax,
  enterObject,
  isText,
  newCursor,
  nextKey,
  openBrace,
  openBracket,
  passedValues,
  quote,
  setCursor,
  skipBlanks,
  valueEnd,
} from "./json-cursor.ts";

type ValueKind = "object" | "array" | "string" | "number" | "boolean" | "null";

/** A value in the bytes: `start` is its first byte, `end` the one after its last. */
export type Span = { readonly start: number; readonly end: number; readonly kind: ValueKind };

export type ObjectScan = {
  /** The first value of each wanted key that was found. */
  readonly values: ReadonlyMap<string, Span>;
  /** Wanted keys that occur more than once. Parsers differ in which one they use. */
  readonly doubled: readonly string[];
  /**
   * Keys that differ from a wanted one in case only. Some parsers (Go's) accept them in its place.
   */
  readonly miscased: readonly string[];
  /**
   * Index of the first byte that does not belong to one JSON object. -1: all bytes are one object
   * with nothing after it.
   */
  readonly errorAt: number;
  /** Whether the bytes may have one of the keys that were watched for. */
  readonly isPassed: boolean;
  /** Of what there is more than `most` allows, so that the scan stopped; empty: of nothing. */
  readonly crowdedBy: "" | "escapes" | "values";
};

type ScanOptions = {
  /** The part of the bytes that must be one object. Default: all bytes. */
  readonly start?: number;
  readonly end?: number;
  /**
   * Stops when all wanted keys have been found. This is fast when they come first, but what follows
   * them is neither checked nor searched for duplicates. Use it only where that does not matter.
   */
  readonly stopWhenFound?: boolean;
  /** Keys at any depth to watch for. */
  readonly watched?: WatchedKeys;
  /** Default: as many as there are. */
  readonly most?: Most;
  /** Takes where the values of its names stand. */
  readonly noted?: NotedSpans;
};

/** The most keys of an object, and the most values and backslashes at any depth. */
export type Most = { readonly keys: number; readonly values: number; readonly escapes: number };

/** The longest number that is read, in bytes. A double needs less than a third of that. */
const numberBytesMax = 64;

/** The largest number of bytes one character of a key can take: `\u006d`. */
const characterBytesMax = 6;

type Found = { values: Map<string, Span>; doubled: string[]; miscased: string[] };

/** Finds the wanted keys, which must be ASCII, in bytes that should be one JSON object. */
export function scanObject(
  bytes: Uint8Array,
  keys: readonly string[],
  options: ScanOptions = {},
): ObjectScan {
  const found: Found = { values: new Map(), doubled: [], miscased: [] };
  const end = options.end ?? bytes.length;
  const cursor = newCursor();
  if (options.watched !== undefined) beginWatch(options.watched);
  const { most, noted } = options;
  if (noted !== undefined) beginNotes(noted, bytes);
  if (most !== undefined && hasMoreEscapes(bytes, most.escapes)) return finish(found, 0, "escapes");
  const before = passedValues();
  let keyCount = 0;
  setCursor(cursor, bytes, options.start ?? 0, end);
  for (let more = enterObject(cursor); more; more = nextKey(cursor)) {
    const after = valueEnd(bytes, cursor.at, end, depthMax - 1);
    keyCount += 1;
    const isCrowded =
      most !== undefined && (keyCount > most.keys || passedValues() - before > most.values);
    if (after < 0 || isCrowded) return finish(found, cursor.at, isCrowded ? "values" : "");
    noteKey(cursor, keys, found, after);
    if (noted !== undefined) noteSpan(noted, cursor, after);
    if (options.stopWhenFound === true && found.values.size === keys.length) {
      return finish(found, -1);
    }
    cursor.at = after;
  }
  const trailing = cursor.failed ? cursor.at : skipBlanks(bytes, cursor.at, end);
  return finish(found, !cursor.failed && trailing === end ? -1 : trailing);
}

function finish(
  { values, doubled, miscased }: Found,
  errorAt: number,
  crowdedBy: ObjectScan["crowdedBy"] = "",
): ObjectScan {
  return { values, doubled, miscased, errorAt, isPassed: endWatch(), crowdedBy };
}

/** Records the key just read: found, repeated, or in another case. Its value ends at `after`. */
function noteKey(cursor: Cursor, keys: readonly string[], found: Found, after: number): void {
  const { bytes, keyStart, keyEnd } = cursor;
  const length = keyEnd - keyStart;
  const plain = isPlain(bytes, keyStart, keyEnd);
  let text: string | undefined;
  for (const key of keys) {
    if (plain ? length !== key.length : length > key.length * characterBytesMax) continue;
    if (plain && isText(bytes, keyStart, keyEnd, key)) text = key;
    text ??= readKeyText(bytes, keyStart, keyEnd);
    if (text === key) {
      if (found.values.has(key)) note(found.doubled, key);
      else found.values.set(key, spanAt(bytes, cursor.at, after));
      return;
    }
    if (fold(text) === fold(key)) note(found.miscased, text);
  }
}

function note(list: string[], key: string): void {
  if (!list.includes(key)) list.push(key);
}

/** Folds case as lenient parsers do: the long s and the Kelvin sign become s and k. */
function fold(text: string): string {
  return text.toLowerCase().toUpperCase();
}

/** Whether the bytes are ASCII without escapes, so that they can be compared with characters. */
function isPlain(bytes: Uint8Array, start: number, end: number): boolean {
  for (let at = start; at < end; at += 1) {
    const byte = bytes[at] ?? 0;
    if (byte === 0x5c || byte > 0x7e) return false;
  }
  return true;
}

/** Returns the key's text; empty when its escapes are wrong, so that it matches nothing. */
function readKeyText(bytes: Uint8Array, start: number, end: number): string {
  return readString(bytes, { start: start - 1, end: end + 1, kind: "string" }) ?? "";
}

function spanAt(bytes: Uint8Array, start: number, end: number): Span {
  return { start, end, kind: kindOf(bytes[start]) };
}

/** Returns the kind of a value by its first byte. The value must have been checked before. */
function kindOf(first: number | undefined): ValueKind {
  switch (first) {
    case openBrace:
      return "object";
    case openBracket:
      return "array";
    case quote:
      return "string";
    case 0x74:
    case 0x66:
      return "boolean";
    case 0x6e:
      return "null";
    default:
      return "number";
  }
}

const strictDecoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/**
 * Reads the text of a string. Undefined: the value is of another kind, or its escapes or UTF-8 are
 * wrong.
 */
export function readString(bytes: Uint8Array, span: Span): string | undefined {
  const { start, end, kind } = span;
  if (kind === "string" && bytes instanceof Buffer && isPrintable(bytes, start + 1, end - 1)) {
    return bytes.toString("latin1", start + 1, end - 1);
  }
  const value = span.kind === "string" ? readJson(bytes, span) : undefined;
  return typeof value === "string" ? value : undefined;
}

/** Whether the bytes are printable ASCII without escapes, so that they are the text of a string. */
function isPrintable(bytes: Uint8Array, start: number, end: number): boolean {
  for (let at = start; at < end; at += 1) {
    const byte = bytes[at] ?? 0;
    if (byte < 0x20 || byte > 0x7e || byte === 0x5c || byte === quote) return false;
  }
  return true;
}

/**
 * Reads a number, which may be infinite. Undefined: the value is of another kind, or longer than
 * the limit.
 */
export function readNumber(bytes: Uint8Array, span: Span): number | undefined {
  if (span.kind !== "number" || span.end - span.start > numberBytesMax) return undefined;
  const whole = wholeNumber(bytes, span.start, span.end);
  if (whole >= 0) return whole;
  return Number(strictDecoder.decode(bytes.subarray(span.start, span.end)));
}

/** The largest number of digits that are read without a text; all such numbers are exact. */
const plainDigitsMax = 9;

/** Reads a number that has only digits; −1: it has something else, or is long. */
function wholeNumber(bytes: Uint8Array, start: number, end: number): number {
  if (end - start > plainDigitsMax) return -1;
  let value = 0;
  for (let at = start; at < end; at += 1) {
    const digit = (bytes[at] ?? 0) - 0x30;
    if (digit < 0 || digit > 9) return -1;
    value = value * 10 + digit;
  }
  return value;
}

/** Reads a boolean. Undefined: the value is of another kind. */
export function readBoolean(bytes: Uint8Array, span: Span): boolean | undefined {
  return span.kind === "boolean" ? bytes[span.start] === 0x74 : undefined;
}

/** Parses the whole value. Undefined: a string in it has wrong escapes or UTF-8. */
export function readJson(bytes: Uint8Array, span: Span): Json | undefined {
  try {
    const text = strictDecoder.decode(bytes.subarray(span.start, span.end));
    return JSON.parse(text) as Json; // Safe cast: JSON.parse returns what `Json` describes
  } catch {
    return undefined;
  }
}
