/**
 * Walks through the objects of a body that is known to be valid JSON, and shows those that have keys
 * of a list. An object that has such a key twice shows both, because parsers differ in which one
 * they use.
 */

import { readString } from "#base/json-scan.ts";
import {
  type Cursor,
  enterArray,
  enterObject,
  newCursor,
  nextElement,
  nextKey,
  openBrace,
  openBracket,
  quote,
  setCursor,
  skipValue,
} from "#base/json-cursor.ts";
import { mayBeIn, type WatchedKeys, watchedKeys } from "#base/json/watched-keys.ts";

/** Which keys matter; all are in lower case. */
export type KeyList = {
  /** Keys that are shown. */
  readonly shown: ReadonlySet<string>;
  /** Keys, as they are written, whose values are not walked through. */
  readonly skipped: ReadonlySet<string>;
  /** The keys of both. */
  readonly watched: WatchedKeys;
};

export function keyList(shown: readonly string[], skipped: readonly string[]): KeyList {
  const watched = watchedKeys([...shown, ...skipped]);
  return { shown: new Set(shown), skipped: new Set(skipped), watched };
}

/** The key under which a value stands, and where the object with that key stands; lists add nothing. */
type Place = { readonly key: string; readonly in: Place } | null;

export type Field = { readonly key: string; readonly start: number; readonly end: number };

/** An object that has keys of the list. */
export type ObjectView = {
  readonly bytes: Uint8Array;
  /** The members with these keys, in lower case, because some parsers take a key in any case. */
  readonly members: readonly Field[];
  /** Null: the object is the body itself. */
  readonly place: Place;
};

type Walk = {
  readonly keys: KeyList;
  readonly visit: (object: ObjectView) => void;
  /** How many members may still be shown. */
  left: number;
};

/** The most members that are shown of one body, and of one object; nobody needs as many. */
const membersMax = 50_000;
const ofObjectMax = 100;

/**
 * @param visit called for each object with keys of the list, those inside it first.
 * @returns whether all of the body was walked through; otherwise it has too many of these keys.
 */
export function walkObjects(
  bytes: Uint8Array,
  keys: KeyList,
  visit: (object: ObjectView) => void,
): boolean {
  const cursor = newCursor();
  setCursor(cursor, bytes, 0, bytes.length);
  const how = { keys, visit, left: membersMax };
  walk(cursor, null, how);
  return how.left >= 0;
}

function walk(c: Cursor, place: Place, how: Walk): void {
  const first = c.bytes[c.at];
  if (first === openBracket) {
    for (let more = enterArray(c); more; more = nextElement(c)) walk(c, place, how);
  } else if (first === openBrace) walkObject(c, place, how);
  else skipValue(c);
}

function walkObject(c: Cursor, place: Place, how: Walk): void {
  const { shown, skipped, watched } = how.keys;
  let members: Field[] | null = null;
  for (let more = enterObject(c); more; more = nextKey(c)) {
    const start = c.at;
    const isListed = mayBeIn(watched, c.bytes, c.keyStart, c.keyEnd);
    const written = isListed ? keyOf(c) : "";
    const key = fold(written);
    const isNested = c.bytes[start] === openBrace || c.bytes[start] === openBracket;
    if (!isNested || skipped.has(written)) skipValue(c);
    else walk(c, { key, in: place }, how);
    if (!isListed) continue;
    how.left -= 1;
    if (shown.has(key)) (members ??= []).push({ key, start, end: c.at });
    if (members !== null && members.length > ofObjectMax) how.left = -1;
    // Ends the walk, whatever its shape.
    if (how.left < 0) c.failed = true;
  }
  if (members !== null) how.visit({ bytes: c.bytes, members, place });
}

function keyOf({ bytes, keyEnd, keyStart }: Cursor): string {
  const span = { start: keyStart - 1, end: keyEnd + 1, kind: "string" } as const;
  return readString(bytes, span) ?? "";
}

/** Folds case as lenient parsers do: the long s and the Kelvin sign become s and k. */
function fold(text: string): string {
  return text.toUpperCase().toLowerCase();
}

/** Whether an object stands under these keys, of which the first is one of the body's own. */
export function isUnder({ place }: ObjectView, ...keys: readonly string[]): boolean {
  let at = place;
  for (const key of keys.toReversed()) {
    if (at?.key !== key) return false;
    at = at.in;
  }
  return at === null;
}

/** Whether one of the object's values under the key is something. */
export function says({ bytes, members }: ObjectView, key: string): boolean {
  return members.some((member) => member.key === key && isSomething(bytes, member));
}

/** Whether a value is something: not null, false, "", [] or {}. */
export function isSomething(bytes: Uint8Array, { start, end }: Field): boolean {
  const first = bytes[start];
  if (first === 0x6e || first === 0x66) return false;
  if (first === quote) return end - start > 2;
  if (first !== openBrace && first !== openBracket) return true;
  for (let at = start + 1; at < end - 1; at += 1) if ((bytes[at] ?? 0) > 0x20) return true;
  return false;
}

/** What stands for a text that is none: nobody was given it. */
const unreadable = "\u{fffd}";

/** Returns the object's texts under a key, also those in a list there. */
export function textsUnder(object: ObjectView, key: string): readonly string[] {
  return readUnder(object, key, readText);
}

function readUnder(
  { bytes, members }: ObjectView,
  key: string,
  read: ReadValue,
): readonly string[] {
  const texts: string[] = [];
  for (const member of members) {
    if (member.key === key) readIn(bytes, member, read, texts);
  }
  return texts;
}

/** The most texts that are read of one list; more end with one that nobody was given. */
const textsMax = 1_000;

type ReadValue = (bytes: Uint8Array, start: number, end: number) => string;

function readIn(bytes: Uint8Array, { end, start }: Field, read: ReadValue, texts: string[]): void {
  if (bytes[start] === quote) texts.push(read(bytes, start, end));
  if (bytes[start] !== openBracket) return;
  const cursor = newCursor();
  setCursor(cursor, bytes, start, end);
  for (let more = enterArray(cursor); more; more = nextElement(cursor)) {
    const from = cursor.at;
    skipValue(cursor);
    if (bytes[from] === quote) texts.push(read(bytes, from, cursor.at));
    if (texts.length <= textsMax) continue;
    texts.push(tooLong);
    return;
  }
}

function readText(bytes: Uint8Array, start: number, end: number): string {
  return readString(bytes, { start, end, kind: "string" }) ?? unreadable;
}

/** The longest address that is read, in bytes; longer texts are pictures. */
const addressBytesMax = 8_192;

/** How many bytes of a longer text show that it is a picture. */
const beginningBytes = 128;

/** Stands for an address that is too long to be read. */
const tooLong = "\u{fffd}:";

/** Returns the addresses that a member has. Of pictures only the beginning is returned. */
export function addressesIn(bytes: Uint8Array, member: Field): readonly string[] {
  const texts: string[] = [];
  readIn(bytes, member, readAddress, texts);
  return texts;
}

function readAddress(bytes: Uint8Array, start: number, end: number): string {
  if (end - start <= addressBytesMax) return readText(bytes, start, end);
  const written = Buffer.from(bytes.subarray(start + 1, start + beginningBytes)).toString("latin1");
  // Some clients write each slash with an escape.
  const beginning = written.replaceAll("\\/", "/").replace(/\\$/, "");
  const isPicture = /^data:/i.test(beginning) || /^[\w+/=-]*$/.test(beginning);
  return isPicture ? beginning : tooLong;
}
