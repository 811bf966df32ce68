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
  openBracket,
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
  /** The field whose elements may have tools, too; absent: only `tools` has them. */
  readonly toolItems?: string;
};

/** The rules of requests for which providers run and keep nothing. */
export const nothingUnseen: UnseenRules = { fields: [], toolTypes: [], toolKeys: [] };

const cursor = newCursor();

/**
 * @param values the request's fields `tools`, `rules.fields` and `rules.toolItems`, as far as it has
 * them.
 */
export function hasUnseenInput(
  bytes: Uint8Array,
  values: ReadonlyMap<string, Span>,
  rules: UnseenRules,
): boolean {
  for (const name of rules.fields) {
    const span = values.get(name);
    if (span !== undefined && span.kind !== "null") return true;
  }
  const tools = values.get("tools");
  if (tools?.kind === "array") {
    setCursor(cursor, bytes, tools.start, tools.end);
    if (hasHosted(cursor, rules)) return true;
  }
  const items = rules.toolItems === undefined ? undefined : values.get(rules.toolItems);
  if (items?.kind !== "array" || !hasToolItems(bytes)) return false;
  setCursor(cursor, bytes, items.start, items.end);
  return itemsHaveHosted(cursor, rules);
}

/** What the types of items with tools contain, so that other requests need no second look. */
const toolItemMarks = ["additional_tools", "tool_search_output"].map((word) => Buffer.from(word));

function hasToolItems(bytes: Uint8Array): boolean {
  return toolItemMarks.some((mark) => Buffer.prototype.indexOf.call(bytes, mark) >= 0);
}

/** Reads a list of tools to its end. */
function hasHosted(c: Cursor, { toolTypes, toolKeys }: UnseenRules): boolean {
  let found = false;
  for (let more = enterArray(c); more; more = nextElement(c)) {
    if (c.bytes[c.at] === openBrace) found = isHosted(c, toolTypes, toolKeys) || found;
    else skipValue(c);
  }
  return found;
}

function itemsHaveHosted(c: Cursor, rules: UnseenRules): boolean {
  let found = false;
  for (let more = enterArray(c); more; more = nextElement(c)) {
    if (c.bytes[c.at] !== openBrace) {
      skipValue(c);
      continue;
    }
    for (let next = enterObject(c); next; next = nextKey(c)) {
      if (keyIs(c, "tools") && c.bytes[c.at] === openBracket) found = hasHosted(c, rules) || found;
      else skipValue(c);
    }
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
