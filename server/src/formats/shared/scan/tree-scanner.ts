/**
 * Finds what billing needs in the bytes of an answer, for formats whose events are objects with a
 * type. It walks all of the JSON and looks for a few keys; which ones, each format says.
 */

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
  skipBlanks,
  skipValue,
} from "#base/json-cursor.ts";
import { searchesMax } from "#canonical/usage.ts";
import type { AnswerScan, AnswerScanner } from "#formats/format.ts";
import { scanOpenAiTier } from "#formats/shared/tiers/service-tiers.ts";
import { emptyScan, markReasoning } from "./answer-scan.ts";

type TreeRules = {
  /** Keys whose text is output of the model. */
  readonly texts: readonly string[];
  /** Keys whose object is output as well, such as the arguments of a call. */
  readonly objects: readonly string[];
  /** The key that says `true` of objects whose texts are reasoning; absent: the format has none. */
  readonly thought?: string;
  /** Keys whose text only its issuer can read; absent: the format has none. */
  readonly issued?: readonly string[];
  /**
   * The key of an object, in the object that an event has, whose `id` later requests name; absent:
   * the format has none.
   */
  readonly named?: string;
  /** The key of an object, one level down, whose `container_id` a later request names. */
  readonly placed?: string;
  /** Keys of texts, in the object that an event has, which later requests name; absent: none. */
  readonly ids?: readonly string[];
  /** Keys that are not looked into. */
  readonly skipped: readonly string[];
  /** The key of the usage object. */
  readonly usage: string;
  /** Keys of which an answer has one. */
  readonly answering: readonly string[];
  /** The key that says why a candidate has finished, if candidates say so. */
  readonly finished?: string;
  /** Types of events that close the stream. */
  readonly closing: readonly string[];
  /**
   * Whether the answer names its service tier as OpenAI does; an event names it in the answer that
   * it has. Absent: no.
   */
  readonly namesTier?: boolean;
  /**
   * Counts the web searches in the value of a key that is not looked into, which has all of them so
   * far; absent: there is no such key.
   */
  readonly queries?: { readonly key: string; readonly count: SearchCount };
  /**
   * Counts the web searches among the items of an answer, or of an event: those of a type in
   * `adding` have further ones, those of a type in `closing` all of them. Absent: items are none.
   */
  readonly searches?: {
    readonly adding: readonly string[];
    readonly count: SearchCount;
  };
  /** Types of events that repeat output that was sent before. */
  readonly repeating: readonly string[];
  /**
   * Whether a program made all output of the answer, or of an event with usage; absent: models made
   * it.
   */
  readonly byProgram?: (bytes: Uint8Array, start: number, end: number) => boolean;
};

type SearchCount = (bytes: Uint8Array, start: number, end: number) => number;

/** How deep the values are walked. What is nested deeper is checked, but not searched. */
const depthMax = 32;

const cursor = newCursor();

export function openTreeScanner(rules: TreeRules): AnswerScanner {
  const found = emptyScan(rules.issued !== undefined || rules.ids !== undefined);
  return {
    found,
    scanEvent: (bytes, start, end) => scan(found, rules, bytes, start, end, true),
    scanAnswer: (bytes) => scan(found, rules, bytes, 0, bytes.length, false),
  };
}

function scan(
  found: AnswerScan,
  rules: TreeRules,
  bytes: Uint8Array,
  start: number,
  end: number,
  isEvent: boolean,
): void {
  found.texts.length = 0;
  found.reasoningBytes = 0;
  found.choices.length = 0;
  if (found.issued !== null) found.issued.length = 0;
  found.usageStart = -1;
  found.usageEnd = -1;
  found.tier = "";
  found.byProgram = false;
  found.usageOnly = false;
  found.done = false;
  found.errorSuspected = false;
  found.answering = false;
  setCursor(cursor, bytes, start, end);
  const at = skipBlanks(bytes, start, end);
  if (!isEvent) found.searches = 0;
  found.malformed = bytes[at] !== openBrace && bytes[at] !== openBracket;
  if (found.malformed) return;
  cursor.at = at;
  const repeats = isEvent && hasType(bytes, start, end, rules.repeating);
  const tierDepth = rules.namesTier === true ? (isEvent ? 2 : 1) : 0;
  const state: Walk = { found, rules, countsText: !repeats, tierDepth, depth: 0, thoughtDepth: -1 };
  walk(cursor, state);
  found.malformed = cursor.failed || skipBlanks(bytes, cursor.at, end) !== end;
  found.byProgram = found.usageStart >= 0 && rules.byProgram?.(bytes, at, end) === true;
  if (!isEvent) {
    noteSearches(found, rules.searches?.count(bytes, at, end) ?? 0);
    return;
  }
  found.done = hasType(bytes, start, end, rules.closing);
  if (rules.searches !== undefined && repeats) {
    const { adding, count } = rules.searches;
    if (found.done) noteSearches(found, count(bytes, at, end));
    else if (hasType(bytes, start, end, adding)) {
      noteSearches(found, found.searches + count(bytes, at, end));
    }
  }
  found.errorSuspected ||= hasType(bytes, start, end, errorTypes);
  // Held back until it is certain that nothing follows.
  found.usageOnly = rules.finished !== undefined && found.choices.length > 0;
}

function noteSearches(found: AnswerScan, count: number): void {
  if (count > found.searches) found.searches = Math.min(count, searchesMax);
}

const errorTypes = ["error", "response.failed"] as const;

type Walk = {
  readonly found: AnswerScan;
  readonly rules: TreeRules;
  readonly countsText: boolean;
  /** How deep the name of the service tier is; 0: it is not looked for. */
  readonly tierDepth: number;
  depth: number;
  /** How deep the object is that was found to be reasoning; -1: none was. */
  thoughtDepth: number;
};

function walk(c: Cursor, state: Walk): void {
  if (state.depth > depthMax) skipValue(c);
  else if (c.bytes[c.at] === openBracket) {
    state.depth += 1;
    for (let more = enterArray(c); more; more = nextElement(c)) walk(c, state);
    state.depth -= 1;
  } else if (c.bytes[c.at] === openBrace) {
    const from = state.found.texts.length;
    state.depth += 1;
    for (let more = enterObject(c); more; more = nextKey(c)) walkMember(c, state);
    if (state.thoughtDepth === state.depth) {
      markReasoning(state.found, from);
      state.thoughtDepth = -1;
    }
    state.depth -= 1;
  } else skipValue(c);
}

function walkMember(c: Cursor, state: Walk): void {
  const { found, rules, countsText, depth } = state;
  const isKey = (keys: readonly string[]) => keys.some((key) => keyIs(c, key));
  const { at } = c;
  const first = c.bytes[at];
  if (first === openBrace && keyIs(c, rules.usage)) {
    skipValue(c);
    found.usageStart = at;
    found.usageEnd = c.at;
    return;
  }
  if (depth === state.tierDepth && first === quote && keyIs(c, "service_tier")) {
    skipValue(c);
    found.tier = scanOpenAiTier(c.bytes, at + 1, c.at - 1);
    return;
  }
  // The letter t of `true`.
  if (rules.thought !== undefined && first === 0x74 && keyIs(c, rules.thought)) {
    state.thoughtDepth = depth;
  }
  if (depth === 1 && keyIs(c, "error") && first !== 0x6e) found.errorSuspected = true;
  if (isKey(rules.answering)) found.answering = true;
  if (rules.finished !== undefined && first === quote && keyIs(c, rules.finished)) {
    found.choices.push(0, 1);
  }
  if (isKey(rules.skipped)) {
    skipValue(c);
    const { queries } = rules;
    if (queries !== undefined && first === openBrace && keyIs(c, queries.key)) {
      noteSearches(found, queries.count(c.bytes, at, c.at));
    }
  } else if (first === quote && isKey(rules.texts)) {
    skipValue(c);
    if (countsText && c.at - at > 2) found.texts.push(at + 1, c.at - 1);
  } else if (first === quote && rules.issued !== undefined && isKey(rules.issued)) {
    skipValue(c);
    if (c.at - at > 2) found.issued?.push(at + 1, c.at - 1);
  } else if (first === quote && depth === 2 && rules.ids !== undefined && isKey(rules.ids)) {
    skipValue(c);
    if (c.at - at > 2) found.issued?.push(at + 1, c.at - 1);
  } else if (first === openBrace && depth === 2 && keyIs(c, rules.named ?? "")) {
    pushId(c, found, "id");
  } else if (first === openBrace && depth === 2 && keyIs(c, rules.placed ?? "")) {
    pushId(c, found, "container_id");
  } else if (first === openBrace && isKey(rules.objects)) {
    skipValue(c);
    if (countsText && c.at - at > 2) found.texts.push(at, c.at);
  } else walk(c, state);
}

/** Notes where the id of the object at the cursor stands, and moves past the object. */
export function pushId(c: Cursor, found: Pick<AnswerScan, "issued">, key: string): void {
  for (let more = enterObject(c); more; more = nextKey(c)) {
    const { at } = c;
    const isId = keyIs(c, key) && c.bytes[at] === quote;
    skipValue(c);
    if (isId && c.at - at > 2) found.issued?.push(at + 1, c.at - 1);
  }
}

const typeCursor = newCursor();

/** Whether the event's type is one of these. */
function hasType(bytes: Uint8Array, start: number, end: number, types: readonly string[]): boolean {
  if (types.length === 0 || bytes[start] !== openBrace) return false;
  setCursor(typeCursor, bytes, start, end);
  for (let more = enterObject(typeCursor); more; more = nextKey(typeCursor)) {
    const { at } = typeCursor;
    const isType = keyIs(typeCursor, "type") && bytes[at] === quote;
    skipValue(typeCursor);
    if (isType) return types.some((type) => isText(bytes, at + 1, typeCursor.at - 1, type));
  }
  return false;
}
