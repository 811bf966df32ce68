/** Counts the web searches that the provider made for a response, which its usage does not tell. */

import type { JsonObject } from "#base/json.ts";
import {
  type Cursor,
  enterArray,
  enterObject,
  isText,
  keyIs,
  newCursor,
  nextElement,
  nextKey,
  openBrace,
  openBracket,
  setCursor,
  skipValue,
} from "#base/json-cursor.ts";
import { objectOf } from "#formats/shared/read-json.ts";

/**
 * Whether an item of an answer is a search. To open a page that was found, or to search in it, is an
 * action of the same item, but none that providers charge.
 */
export function isSearch(item: JsonObject): boolean {
  if (item["type"] !== "web_search_call" || item["status"] === "failed") return false;
  const { type = "search" } = objectOf(item["action"]);
  return type === "search";
}

const cursor = newCursor();

/** Counts the searches in the bytes of a response, or of an event that has one or an item of it. */
export function scanSearches(bytes: Uint8Array, start: number, end: number): number {
  setCursor(cursor, bytes, start, end);
  let count = 0;
  let more = enterObject(cursor);
  while (more) {
    const first = bytes[cursor.at];
    if (first === openBrace && keyIs(cursor, "response")) {
      more = enterObject(cursor);
      continue;
    }
    if (first === openBrace && keyIs(cursor, "item")) count += scanItem(cursor);
    else if (first === openBracket && keyIs(cursor, "output")) {
      for (let next = enterArray(cursor); next; next = nextElement(cursor)) {
        if (bytes[cursor.at] === openBrace) count += scanItem(cursor);
        else skipValue(cursor);
      }
    } else skipValue(cursor);
    more = nextKey(cursor);
  }
  return count;
}

/** Moves past an item. Returns 1 if it is a search, else 0. */
function scanItem(c: Cursor): number {
  let isWeb = false;
  let isOther = false;
  for (let more = enterObject(c); more; more = nextKey(c)) {
    if (keyIs(c, "type")) isWeb = isWord(c, "web_search_call");
    else if (keyIs(c, "status")) isOther = isWord(c, "failed") || isOther;
    else if (c.bytes[c.at] === openBrace && keyIs(c, "action")) isOther = scanAction(c) || isOther;
    else skipValue(c);
  }
  return isWeb && !isOther ? 1 : 0;
}

/** Moves past an action. Returns whether it is another one than to search. */
function scanAction(c: Cursor): boolean {
  let isOther = false;
  for (let more = enterObject(c); more; more = nextKey(c)) {
    if (keyIs(c, "type")) isOther = !isWord(c, "search");
    else skipValue(c);
  }
  return isOther;
}

/** Moves past a value. Returns whether it is this text. */
function isWord(c: Cursor, word: string): boolean {
  const { at } = c;
  skipValue(c);
  return isText(c.bytes, at + 1, c.at - 1, word);
}
