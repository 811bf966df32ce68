/**
 * Finds answers that no model wrote. A program of the model that calls tools waits for their
 * results. When a client sends these, the provider resumes the program, which calls the next tool;
 * no model runs, and the usage that the provider reports is 0.
 */

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
  quote,
  setCursor,
  skipValue,
} from "#base/json-cursor.ts";
import { listOf, objectOf } from "#formats/shared/read-json.ts";

/** Whether all output of a response was made by calls of a program. */
export function isByProgram(response: JsonObject): boolean {
  const items = listOf(response["output"]);
  const isCall = (item: JsonObject) => objectOf(item["caller"])["type"] === "program";
  return items.length > 0 && items.every((item) => isCall(objectOf(item)));
}

const cursor = newCursor();

/**
 * Whether all output was made by calls of a program, read from the bytes of a response or of the
 * event that ends its stream.
 */
export function scanByProgram(bytes: Uint8Array, start: number, end: number): boolean {
  setCursor(cursor, bytes, start, end);
  if (!findOutput(cursor)) return false;
  let found = false;
  for (let more = enterArray(cursor); more; more = nextElement(cursor)) {
    if (!scanCall(cursor)) return false;
    found = true;
  }
  return found && !cursor.failed;
}

/** Moves to the array of output, which an event has in its response. */
function findOutput(c: Cursor): boolean {
  let more = enterObject(c);
  while (more) {
    const first = c.bytes[c.at];
    if (first === openBracket && keyIs(c, "output")) return true;
    if (first === openBrace && keyIs(c, "response")) {
      more = enterObject(c);
      continue;
    }
    skipValue(c);
    more = nextKey(c);
  }
  return false;
}

/** Moves past an item. Returns whether its caller is a program. */
function scanCall(c: Cursor): boolean {
  if (c.bytes[c.at] !== openBrace) return false;
  let found = false;
  for (let more = enterObject(c); more; more = nextKey(c)) {
    if (c.bytes[c.at] === openBrace && keyIs(c, "caller")) found = scanCaller(c);
    else skipValue(c);
  }
  return found;
}

function scanCaller(c: Cursor): boolean {
  let found = false;
  for (let more = enterObject(c); more; more = nextKey(c)) {
    const { at } = c;
    skipValue(c);
    if (!keyIs(c, "type") || c.bytes[at] !== quote) continue;
    found = isText(c.bytes, at + 1, c.at - 1, "program");
  }
  return found;
}
