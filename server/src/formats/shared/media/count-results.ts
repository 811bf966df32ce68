/**
 * Counts what an answer that is no text has brought: pictures, vectors, places of documents. Status
 * 200 does not mean that they came, and what never came costs nothing.
 */

import type { Modality } from "#canonical/modality.ts";
import {
  type Cursor,
  enterArray,
  enterObject,
  keyIs,
  newCursor,
  nextElement,
  nextKey,
  openBrace,
  openBracket,
  quote,
  setCursor,
  skipBlanks,
  skipValue,
} from "#base/json-cursor.ts";

/**
 * How deep a result is looked for inside an element of the answer; real ones are at most three deep.
 */
const depthMax = 8;

/** Counts the results of a value, which the cursor then has passed; undefined: nobody can tell. */
type Count = (c: Cursor) => number | undefined;

const cursor = newCursor();

/**
 * Counts the results of a whole answer; of vectors, one stands for all. Undefined: the answer is
 * text, or it has a shape in which results cannot be told apart.
 */
export function countResults(bytes: Uint8Array, modality: Modality): number | undefined {
  switch (modality) {
    case "embeddings":
      return countIn(bytes, ["data", "embedding", "embeddings"], countVectors);
    case "image-edits":
    case "image-variations":
    case "images":
      return countIn(bytes, ["b64_json", "data", "images", "url"], countPictures);
    case "moderations":
    case "rerank":
      return countIn(bytes, ["data", "results"], countFilled);
    case "transcriptions":
    case "translations":
      return countIn(bytes, ["segments", "text"], countText);
    case "chat":
    case "compact":
    case "completions":
    case "realtime":
    case "speech":
      return undefined;
  }
}

/** Returns the most results that one of these fields of the answer has. */
function countIn(bytes: Uint8Array, keys: readonly string[], count: Count): number | undefined {
  const start = skipBlanks(bytes, 0, bytes.length);
  if (bytes[start] !== openBrace) return undefined;
  setCursor(cursor, bytes, start, bytes.length);
  let most: number | undefined;
  for (let more = enterObject(cursor); more; more = nextKey(cursor)) {
    if (!keys.some((key) => keyIs(cursor, key))) {
      skipValue(cursor);
      continue;
    }
    const found = count(cursor);
    if (found === undefined) return undefined;
    most = Math.max(most ?? 0, found);
  }
  return cursor.failed ? undefined : most;
}

/** Whether the value at the cursor is a text that is not empty, which the cursor then has passed. */
function passText(c: Cursor): boolean {
  const { at } = c;
  skipValue(c);
  return c.bytes[at] === quote && c.at - at > 2;
}

/** Passes a list, and counts the elements that are a result. */
function countElements(c: Cursor, isResult: (c: Cursor) => boolean): number {
  let count = 0;
  for (let more = enterArray(c); more; more = nextElement(c)) if (isResult(c)) count += 1;
  return count;
}

/** Whether the object at the cursor has any field. */
function passFilled(c: Cursor): boolean {
  if (c.bytes[c.at] !== openBrace) {
    skipValue(c);
    return false;
  }
  let isFilled = false;
  for (let more = enterObject(c); more; more = nextKey(c)) {
    isFilled = true;
    skipValue(c);
  }
  return isFilled;
}

/** What is not a list is null, or a shape that no format of places has. */
function countFilled(c: Cursor): number {
  if (c.bytes[c.at] === openBracket) return countElements(c, passFilled);
  return passFilled(c) ? 1 : 0;
}

/** A text is an answer even if it is empty: the sound was silence. */
function countText(c: Cursor): number {
  if (c.bytes[c.at] === openBracket) return countElements(c, passFilled);
  const isText = c.bytes[c.at] === quote;
  skipValue(c);
  return isText ? 1 : 0;
}

function countPictures(c: Cursor): number | undefined {
  switch (c.bytes[c.at]) {
    case openBracket:
      return countElements(c, (element) => passPicture(element, 0));
    // Some servers have a shape of their own below `data`; only an empty one has no picture.
    case openBrace:
      return passFilled(c) ? undefined : 0;
    default:
      return passText(c) ? 1 : 0;
  }
}

/** Fields in which formats carry a picture or its address. */
const pictureKeys = ["b64_json", "url", "image", "image_url", "b64", "base64", "image_base64"];

/** Whether the value at the cursor has a picture: a text alone, or in a field for pictures. */
function passPicture(c: Cursor, depth: number): boolean {
  if (c.bytes[c.at] !== openBrace || depth > depthMax) return passText(c) && depth <= depthMax;
  let isFound = false;
  for (let more = enterObject(c); more; more = nextKey(c)) {
    const isInside = c.bytes[c.at] === openBrace;
    if (!isInside && !pictureKeys.some((key) => keyIs(c, key))) skipValue(c);
    else if (passPicture(c, depth + 1)) isFound = true;
  }
  return isFound;
}

/** One vector stands for all, so that of megabytes of numbers the first decides. */
function countVectors(c: Cursor): number {
  const { at } = c;
  const isFound = findVector(c, 0);
  c.failed = false;
  c.at = at;
  skipValue(c);
  return isFound ? 1 : 0;
}

/** Fields in which formats carry a vector as text. */
const vectorKeys = ["embedding", "values", "base64"];

/** Whether the value at the cursor has a number in a list, or a vector as text. */
function findVector(c: Cursor, depth: number): boolean {
  if (depth > depthMax) return false;
  const first = c.bytes[c.at];
  if (first === openBracket) {
    for (let more = enterArray(c); more; more = nextElement(c)) {
      if (isNumber(c) || findVector(c, depth + 1)) return true;
    }
    return false;
  }
  if (first !== openBrace) return passText(c) && depth > 0;
  for (let more = enterObject(c); more; more = nextKey(c)) {
    const inner = c.bytes[c.at];
    const isText = inner === quote && vectorKeys.some((key) => keyIs(c, key));
    const isSearched = inner === openBrace || inner === openBracket || isText;
    if (!isSearched) skipValue(c);
    else if (findVector(c, depth + 1)) return true;
  }
  return false;
}

const minus = 0x2d;

function isNumber({ bytes, at }: Cursor): boolean {
  const first = bytes[at] ?? 0;
  return first === minus || (first >= 0x30 && first <= 0x39);
}
