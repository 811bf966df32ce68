/**
 * A walk over the bytes of a JSON text that stops only where the caller looks, building nothing.
 *
 *   for (let more = enterObject(c); more; more = nextKey(c)) {
 *     if (keyIs(c, "model")) …; // `c.at` is the value's first byte
 *     skipValue(c);
 *   }
 *
 * The first byte that is not JSON sets `failed`; from then on every step answers false, so a walk
 * of any shape ends. Grammar: RFC 8259, but raw control characters, escapes and UTF-8 inside
 * strings are not checked: they cannot move a string's end. No recursion, nothing allocated.
 */

import { passKey } from "./json/watched-keys.ts";

/** Deepest nesting of one value. Deeper texts fail. */
export const depthMax = 64;

export type Cursor = {
  bytes: Uint8Array;
  /** The next byte to read, and where the text ends. */
  at: number;
  end: number;
  /** Positions of the text of the key just read, without its quotes. */
  keyStart: number;
  keyEnd: number;
  failed: boolean;
};

export const quote = 0x22;
export const openBrace = 0x7b;
export const openBracket = 0x5b;
const closeBrace = 0x7d;
const closeBracket = 0x5d;
const backslash = 0x5c;
const comma = 0x2c;
const colon = 0x3a;
const minus = 0x2d;

/**
 * How many bytes are read one by one before the native search takes over; calling it costs as much
 * as reading these.
 */
const steppedBytes = 32;

/**
 * The closing character of each open container, outermost first. Shared by all calls, because no
 * skip runs inside another one.
 */
const closers = new Uint8Array(depthMax);

const nothing = new Uint8Array(0);

/** How many values inside of lists and objects were passed; read by `passedValues`. */
let passed = 0;

/**
 * Returns how many values all walks together have passed that are inside of a value which
 * `valueEnd` went over. The difference of two answers is what a walk in between has passed.
 */
export function passedValues(): number {
  return passed;
}

/** Creates a cursor that points at nothing yet; `setCursor` puts it on a text. */
export function newCursor(): Cursor {
  return { bytes: nothing, at: 0, end: 0, keyStart: 0, keyEnd: 0, failed: false };
}

/** Puts the cursor on the first byte of [start, end) that is not white space. */
export function setCursor(cursor: Cursor, bytes: Uint8Array, start: number, end: number): void {
  cursor.bytes = bytes;
  cursor.at = skipBlanks(bytes, start, end);
  cursor.end = end;
  cursor.failed = false;
}

/**
 * Enters the object at the cursor. True: the cursor is on the value of the first key. False: it is
 * past the object, or the text is not JSON.
 */
export function enterObject(cursor: Cursor): boolean {
  if (!enter(cursor, openBrace, closeBrace)) return false;
  return readKey(cursor);
}

/**
 * Moves past a value. True: the cursor is on the next key's value. False: it is past the object.
 */
export function nextKey(cursor: Cursor): boolean {
  return more(cursor, closeBrace) && readKey(cursor);
}

/**
 * Enters the array at the cursor. True: the cursor is on the first element. False: it is past the
 * array, or the text is not JSON.
 */
export function enterArray(cursor: Cursor): boolean {
  return enter(cursor, openBracket, closeBracket);
}

/** Moves past an element. True: the cursor is on the next element. False: it is past the array. */
export function nextElement(cursor: Cursor): boolean {
  return more(cursor, closeBracket);
}

/** Moves past the value at the cursor. */
export function skipValue(cursor: Cursor): void {
  if (cursor.failed) return;
  const end = valueEnd(cursor.bytes, cursor.at, cursor.end);
  if (end < 0) cursor.failed = true;
  else cursor.at = end;
}

/** Whether the key just read is `key`, written without escapes. */
export function keyIs(cursor: Cursor, key: string): boolean {
  return isText(cursor.bytes, cursor.keyStart, cursor.keyEnd, key);
}

function enter(cursor: Cursor, opener: number, closer: number): boolean {
  const { bytes, at, end } = cursor;
  if (cursor.failed || at >= end || bytes[at] !== opener) return fail(cursor);
  const next = skipBlanks(bytes, at + 1, end);
  if (next >= end) return fail(cursor);
  const isEmpty = bytes[next] === closer;
  cursor.at = isEmpty ? next + 1 : next;
  return !isEmpty;
}

function more(cursor: Cursor, closer: number): boolean {
  if (cursor.failed) return false;
  const { bytes, end } = cursor;
  const at = skipBlanks(bytes, cursor.at, end);
  const byte = at < end ? bytes[at] : undefined;
  if (byte === comma) {
    cursor.at = skipBlanks(bytes, at + 1, end);
    return true;
  }
  cursor.at = byte === closer ? at + 1 : at;
  if (byte !== closer) cursor.failed = true;
  return false;
}

function readKey(cursor: Cursor): boolean {
  const { bytes, at, end } = cursor;
  const keyEnd = at < end && bytes[at] === quote ? stringEnd(bytes, at + 1, end) : -1;
  const start = keyEnd < 0 ? -1 : valueStart(bytes, keyEnd, end);
  if (start < 0) return fail(cursor);
  passKey(bytes, at + 1, keyEnd);
  cursor.keyStart = at + 1;
  cursor.keyEnd = keyEnd;
  cursor.at = start;
  return true;
}

function fail(cursor: Cursor): boolean {
  cursor.failed = true;
  return false;
}

/** Whether the bytes in [start, end) are exactly the ASCII text `text`. */
export function isText(bytes: Uint8Array, start: number, end: number, text: string): boolean {
  if (end - start !== text.length) return false;
  for (let at = 0; at < text.length; at += 1) {
    if (bytes[start + at] !== text.charCodeAt(at)) return false;
  }
  return true;
}

/** Returns the index of the first byte at or after `at` that is not JSON's white space. */
export function skipBlanks(bytes: Uint8Array, at: number, end: number): number {
  let next = at;
  while (next < end) {
    const byte = bytes[next] ?? 0;
    if (byte > 0x20) return next;
    if (byte !== 0x20 && byte !== 0x0a && byte !== 0x0d && byte !== 0x09) return next;
    next += 1;
  }
  return end;
}

/**
 * Returns the index of the closing quote of the string whose text begins at `at`; -1: there is
 * none.
 */
export function stringEnd(bytes: Uint8Array, at: number, end: number): number {
  let next = at;
  const stepped = at + steppedBytes < end ? at + steppedBytes : end;
  while (next < stepped) {
    const byte = bytes[next];
    if (byte === quote) return next;
    next += byte === backslash ? 2 : 1;
  }
  while (next < end) {
    const found = bytes.indexOf(quote, next);
    if (found < 0 || found >= end) return -1;
    if (!isEscaped(bytes, found, next)) return found;
    next = found + 1;
    const closing = quoteInWords(bytes, next, end);
    if (closing >= 0) return closing;
    next = ~closing;
  }
  return -1;
}

/**
 * Whether the quote at `at` is escaped: after an odd number of backslashes. The search never stops
 * inside an escape, so the backslashes before `from` need not be counted.
 */
function isEscaped(bytes: Uint8Array, at: number, from: number): boolean {
  let run = at;
  while (run > from && bytes[run - 1] === backslash) run -= 1;
  return (at - run) % 2 !== 0;
}

/**
 * The text that was searched last, and its words: a view takes longer than the search of a short
 * string, and a body has many strings. Kept for one turn, so that no text outlives its call.
 */
let viewed: Uint8Array = nothing;
const noWords = new Int32Array(0);
let words: Int32Array = noWords;

function view(bytes: Uint8Array): void {
  if (viewed === nothing) queueMicrotask(dropView);
  const shift = bytes.byteOffset & 3;
  words = new Int32Array(bytes.buffer, bytes.byteOffset - shift, (bytes.length + shift) >> 2);
  viewed = bytes;
}

function dropView(): void {
  viewed = nothing;
  words = noWords;
}

/** How many bytes behind an escaped quote are searched in words. */
const wordsBytes = 16 * 1024;

/**
 * Searches for a string's closing quote four bytes at a time: in program code and in JSON inside
 * JSON, escaped quotes follow one another closely, and starting the native search again behind each
 * of them costs more than the search. Returns the index of the closing quote, or else the bitwise
 * complement of the index from which the search has to go on.
 */
function quoteInWords(bytes: Uint8Array, from: number, end: number): number {
  const to = from + wordsBytes < end ? from + wordsBytes : end;
  if (viewed !== bytes) view(bytes);
  // How many bytes the first word begins before the text.
  const shift = bytes.byteOffset & 3;
  const last = (to + shift) >> 2;
  let next = from;
  for (let index = (from + shift) >> 2; index < last; index += 1) {
    // A byte becomes 0 if it is a quote, and only then borrows when 1 is subtracted from it.
    const word = (words[index] ?? 0) ^ 0x22222222;
    let hits = (word - 0x01010101) & ~word & 0x80808080;
    while (hits !== 0) {
      // The lowest bit belongs to the first byte, because all our processors are little-endian.
      const at = index * 4 - shift + ((31 - Math.clz32(hits & -hits)) >> 3);
      hits &= hits - 1;
      // The first word may begin before `from`. Behind a quote, a borrow may mark another byte.
      if (at < from || bytes[at] !== quote) continue;
      const isUsual = at - 2 >= next && bytes[at - 1] === backslash && bytes[at - 2] !== backslash;
      if (!isUsual && !isEscaped(bytes, at, next)) return at;
      next = at + 1;
    }
  }
  return ~next;
}

/**
 * Returns where the value begins whose key closes at `keyEnd`. -1: there is no colon, or nothing
 * after it.
 */
function valueStart(bytes: Uint8Array, keyEnd: number, end: number): number {
  const at = skipBlanks(bytes, keyEnd + 1, end);
  if (at >= end || bytes[at] !== colon) return -1;
  const start = skipBlanks(bytes, at + 1, end);
  return start < end ? start : -1;
}

/**
 * Returns the index behind the value that begins at `at`. -1: it is not a JSON value, or it nests
 * deeper than `depth` containers.
 */
export function valueEnd(
  bytes: Uint8Array,
  at: number,
  end: number,
  depth: number = depthMax,
): number {
  const first = at < end ? bytes[at] : undefined;
  if (first === quote) return stringEnd(bytes, at + 1, end) + 1 || -1;
  if (first !== openBrace && first !== openBracket) return scalarEnd(bytes, at, end);
  let open = 0;
  let next = at;
  for (;;) {
    passed += 1;
    // At the start of each turn, `next` is at the first byte of a value.
    const byte = next < end ? bytes[next] : undefined;
    if (byte === openBrace || byte === openBracket) {
      if (open === depth) return -1;
      const closer = byte + 2; // the codes of `}` and `]` are those of `{` and `[` plus 2
      closers[open] = closer;
      open += 1;
      next = skipBlanks(bytes, next + 1, end);
      if (next >= end) return -1;
      if (bytes[next] !== closer) {
        if (closer === closeBrace) next = pastKey(bytes, next, end);
        if (next < 0) return -1;
        continue;
      }
    } else {
      next = byte === quote ? stringEnd(bytes, next + 1, end) + 1 : scalarEnd(bytes, next, end);
      if (next <= 0) return -1;
      next = skipBlanks(bytes, next, end);
    }
    // A value ends here: `next` is the character that follows it, or the end of an empty container.
    while (next < end && bytes[next] === closers[open - 1]) {
      open -= 1;
      if (open === 0) return next + 1;
      next = skipBlanks(bytes, next + 1, end);
    }
    if (next >= end || bytes[next] !== comma) return -1;
    next = skipBlanks(bytes, next + 1, end);
    if (closers[open - 1] === closeBrace) next = pastKey(bytes, next, end);
    if (next < 0) return -1;
  }
}

/** Returns where the value begins whose key begins at `at`. -1: there is no key. */
function pastKey(bytes: Uint8Array, at: number, end: number): number {
  if (at >= end || bytes[at] !== quote) return -1;
  const keyEnd = stringEnd(bytes, at + 1, end);
  if (keyEnd < 0) return -1;
  passKey(bytes, at + 1, keyEnd);
  return valueStart(bytes, keyEnd, end);
}

/** Returns the index behind a number, `true`, `false` or `null`; -1 for anything else. */
function scalarEnd(bytes: Uint8Array, at: number, end: number): number {
  switch (at < end ? bytes[at] : undefined) {
    case 0x74:
      return wordEnd(bytes, at, end, "true");
    case 0x66:
      return wordEnd(bytes, at, end, "false");
    case 0x6e:
      return wordEnd(bytes, at, end, "null");
    default:
      return numberEnd(bytes, at, end);
  }
}

function wordEnd(bytes: Uint8Array, at: number, end: number, word: string): number {
  const after = at + word.length;
  return after <= end && isText(bytes, at, after, word) ? after : -1;
}

function numberEnd(bytes: Uint8Array, at: number, end: number): number {
  const whole = bytes[at] === minus ? at + 1 : at;
  let next = digitsEnd(bytes, whole, end);
  if (next === whole || (bytes[whole] === 0x30 && next > whole + 1)) return -1;
  if (next < end && bytes[next] === 0x2e) {
    const fraction = next + 1;
    next = digitsEnd(bytes, fraction, end);
    if (next === fraction) return -1;
  }
  if (next < end && (bytes[next] === 0x65 || bytes[next] === 0x45)) {
    next += 1;
    if (next < end && (bytes[next] === 0x2b || bytes[next] === minus)) next += 1;
    const exponent = next;
    next = digitsEnd(bytes, exponent, end);
    if (next === exponent) return -1;
  }
  return next;
}

function digitsEnd(bytes: Uint8Array, at: number, end: number): number {
  let next = at;
  while (next < end) {
    const byte = bytes[next] ?? 0;
    if (byte < 0x30 || byte > 0x39) break;
    next += 1;
  }
  return next;
}
