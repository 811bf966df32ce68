/**
 * Objects of JSON as bytes, with their fields as they stand there: messages and items are large, so
 * nothing of them is parsed that only goes on.
 */

import { type Span, readString } from "#base/json-scan.ts";
import {
  type Cursor,
  enterArray,
  enterObject,
  newCursor,
  nextElement,
  nextKey,
  setCursor,
  skipBlanks,
  skipValue,
} from "#base/json-cursor.ts";

/** The most fields of an object that is read; one with more is passed on as it is. */
const fieldsMax = 1_000;

export type RawField = {
  readonly key: string;
  readonly value: Span;
  /** Where the field begins, with its key. */
  readonly start: number;
};

type Range = { readonly start: number; readonly end: number };

/** Reads an object. Undefined: the bytes are not one object, or it has too many fields. */
export function rawFieldsOf(bytes: Uint8Array, range?: Range): readonly RawField[] | undefined {
  const { start, end } = range ?? { start: 0, end: bytes.length };
  const cursor = newCursor();
  setCursor(cursor, bytes, start, end);
  const fields: RawField[] = [];
  for (let more = enterObject(cursor); more; more = nextKey(cursor)) {
    const key = keyOf(cursor);
    if (key === undefined || fields.length === fieldsMax) return undefined;
    const at = cursor.keyStart - 1;
    fields.push({ key, value: takeValue(cursor), start: at });
  }
  const isWhole = !cursor.failed && skipBlanks(bytes, cursor.at, end) === end;
  return isWhole ? fields : undefined;
}

/** The most elements of a list that is read. */
const elementsMax = 10_000;

/** Returns where the elements of a list stand. Undefined: the bytes are not one list, or too long. */
export function elementsOf(bytes: Uint8Array, { start, end }: Range): readonly Span[] | undefined {
  const cursor = newCursor();
  setCursor(cursor, bytes, start, end);
  const elements: Span[] = [];
  for (let more = enterArray(cursor); more; more = nextElement(cursor)) {
    if (elements.length === elementsMax) return undefined;
    elements.push(takeValue(cursor));
  }
  return cursor.failed ? undefined : elements;
}

/** Returns the last field of a key, which is what parsers read; undefined: there is none. */
export function find(fields: readonly RawField[], key: string): Span | undefined {
  return fields.findLast((field) => field.key === key)?.value;
}

/** Writes an object of some of its fields. */
export function written(bytes: Uint8Array, fields: readonly RawField[]): Uint8Array {
  const parts = fields.map(({ start, value }) => bytes.subarray(start, value.end));
  return joined(["{", joinedBy(",", parts), "}"]);
}

const encoder = new TextEncoder();

/** Joins texts and bytes in memory of their own, so that no larger memory stays for it. */
export function joined(parts: readonly (string | Uint8Array)[]): Uint8Array {
  const pieces = parts.map((part) => (typeof part === "string" ? encoder.encode(part) : part));
  const whole = new Uint8Array(pieces.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const piece of pieces) {
    whole.set(piece, at);
    at += piece.length;
  }
  return whole;
}

/** Joins the parts that are not empty, with a text between them. */
export function joinedBy(text: string, parts: readonly Uint8Array[]): Uint8Array {
  const filled = parts.filter(({ length }) => length > 0);
  const between = encoder.encode(text);
  return joined(filled.flatMap((part, index) => (index === 0 ? [part] : [between, part])));
}

function keyOf({ bytes, keyEnd, keyStart }: Cursor): string | undefined {
  return readString(bytes, { start: keyStart - 1, end: keyEnd + 1, kind: "string" });
}

/** Returns the value at the cursor, and moves past it. */
function takeValue(cursor: Cursor): Span {
  const start = cursor.at;
  const kind = kinds.get(cursor.bytes[start] ?? 0) ?? "number";
  skipValue(cursor);
  return { start, end: cursor.at, kind };
}

/** What a value is, by its first byte. */
const kinds: ReadonlyMap<number, Span["kind"]> = new Map([
  [0x22, "string"],
  [0x5b, "array"],
  [0x66, "boolean"],
  [0x6e, "null"],
  [0x74, "boolean"],
  [0x7b, "object"],
]);
