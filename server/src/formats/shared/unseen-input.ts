/**
 * Finds out whether an upstream will read more than a request contains: the results of tools that
 * the provider runs by itself, or a conversation that it keeps. The provider charges for that
 * input, too, so the hold covers it.
 */

import {
  type Cursor,
  enterArray,
  enterObject,
  keyIs,
  newCursor,
  nextElement,
  nextKey,
  openBrace,
  quote,
  setCursor,
  skipValue,
} from "#base/json-cursor.ts";
import type { Span } from "#base/json-scan.ts";

export type UnseenRules = {
  /** Fields of the request that name what the provider keeps. */
  readonly fields: readonly string[];
  /** How the types of the provider's own tools begin. */
  readonly toolTypes: readonly string[];
  /** Fields that only the provider's own tools have. */
  readonly toolKeys: readonly string[];
};

/** The rules of requests for which providers run and keep nothing. */
export const nothingUnseen: UnseenRules = { fields: [], toolTypes: [], toolKeys: [] };

const cursor = newCursor();

/** @param values the request's fields `tools` and `rules.fields`, as far as it has them. */
export function hasUnseenInput(
  bytes: Uint8Array,
  values: ReadonlyMap<string, Span>,
  { fields, toolTypes, toolKeys }: UnseenRules,
): boolean {
  for (const name of fields) {
    const span = values.get(name);
    if (span !== undefined && span.kind !== "null") return true;
  }
  const tools = values.get("tools");
  if (tools?.kind !== "array") return false;
  setCursor(cursor, bytes, tools.start, tools.end);
  let found = false;
  for (let more = enterArray(cursor); more; more = nextElement(cursor)) {
    if (cursor.bytes[cursor.at] === openBrace) {
      found = isHosted(cursor, toolTypes, toolKeys) || found;
    } else skipValue(cursor);
  }
  return found;
}

/** Reads one tool to its end. */
function isHosted(c: Cursor, types: readonly string[], keys: readonly string[]): boolean {
  let found = false;
  for (let more = enterObject(c); more; more = nextKey(c)) {
    if (keyIs(c, "type")) found = beginsLike(c, types) || found;
    else found = keys.some((key) => keyIs(c, key)) || found;
    skipValue(c);
  }
  return found;
}

function beginsLike(c: Cursor, words: readonly string[]): boolean {
  if (c.bytes[c.at] !== quote) return false;
  return words.some((word) => {
    for (let at = 0; at < word.length; at += 1) {
      if (c.bytes[c.at + 1 + at] !== word.charCodeAt(at)) return false;
    }
    return true;
  });
}
