/**
 * Finds the model's output in a choice. Each function expects the cursor at a value. It moves past
 * that value, or leaves the cursor where it is.
 */

import {
  type Cursor,
  enterObject,
  isText,
  keyIs,
  nextKey,
  openBrace,
  quote,
  skipBlanks,
  skipValue,
  stringEnd,
} from "#base/json-cursor.ts";
import type { AnswerScan } from "#formats/format.ts";
import { markReasoning } from "#formats/shared/scan/answer-scan.ts";
import { pushId } from "#formats/shared/scan/tree-scanner.ts";
import { partKeys, reasoningDetailKeys, toolCallKeys } from "#formats/openai-chat/wire.ts";

/**
 * The largest number of positions kept for one event or answer. Real events have a few, real
 * answers a few hundred.
 */
const textsMax = 2 * 65_536;

/** Finds the output in a `message` or a `delta`. */
export function scanOutput(c: Cursor, scan: AnswerScan): void {
  if (c.bytes[c.at] !== openBrace) return;
  let thought = false;
  let detailsStart = -1;
  let detailsEnd = -1;
  for (let more = enterObject(c); more; more = nextKey(c)) {
    const { at } = c;
    switch (c.bytes[c.keyStart]) {
      case 0x61: // the letter a: the text of audio is its `transcript`; `annotations`
        if (keyIs(c, "audio")) pushSound(c, scan);
        else if (keyIs(c, "annotations")) noteSearch(c, scan);
        break;
      case 0x63: // the letter c: `content`
        if (keyIs(c, "content")) pushContent(c, scan);
        break;
      case 0x66: // the letter f: `function_call`
        if (keyIs(c, "function_call")) pushNamed(c, scan, toolCallKeys);
        break;
      case 0x72: // the letter r: reasoning may have two names, and come again in parts
        if (keyIs(c, "reasoning_content") || keyIs(c, "reasoning")) {
          if (!thought) thought = pushReasoning(c, scan);
        } else if (keyIs(c, "refusal")) {
          pushText(c, scan);
        } else if (keyIs(c, "reasoning_details")) {
          detailsStart = at;
          skipValue(c);
          detailsEnd = c.at;
        }
        break;
      case 0x74: // the letter t: `tool_calls`
        if (keyIs(c, "tool_calls")) pushNamed(c, scan, toolCallKeys);
        break;
      default:
    }
    if (c.at === at) skipValue(c);
  }
  if (thought || detailsStart < 0 || c.failed) return;
  const from = scan.texts.length;
  pushNamedIn(c.bytes, detailsStart, detailsEnd, scan, reasoningDetailKeys);
  markReasoning(scan, from);
}

function pushReasoning(c: Cursor, scan: AnswerScan): boolean {
  const from = scan.texts.length;
  const isPushed = pushText(c, scan);
  markReasoning(scan, from);
  return isPushed;
}

/** Notes that the provider has searched the web, which the sources in an answer tell. */
function noteSearch(c: Cursor, scan: AnswerScan): void {
  const { at } = c;
  skipValue(c);
  if (scan.searches > 0 || c.failed || c.at - at <= 2) return;
  if (Buffer.from(c.bytes.subarray(at, c.at)).includes('"url_citation"')) scan.searches = 1;
}

/** Notes the text of sound, and its id, by which a later request names it. */
function pushSound(c: Cursor, scan: AnswerScan): void {
  const { at } = c;
  pushNamed(c, scan, ["transcript"]);
  const after = c.at;
  if (c.failed || c.bytes[at] !== openBrace) return;
  c.at = at;
  scan.issued ??= [];
  pushId(c, scan, "id");
  c.at = after;
}

/** Notes the text of `content`, which is a string, or a list of parts (Mistral). */
function pushContent(c: Cursor, scan: AnswerScan): void {
  if (c.bytes[c.at] === quote) pushText(c, scan);
  else pushNamed(c, scan, partKeys);
}

/** Notes the position of a string. Returns whether the string is not empty. */
export function pushText(c: Cursor, scan: AnswerScan): boolean {
  const start = c.at + 1;
  if (c.bytes[c.at] !== quote) return false;
  skipValue(c);
  if (c.failed) return false;
  return push(scan, start, c.at - 1);
}

/**
 * Notes the positions of strings under any of these keys, at any depth of the value at the cursor.
 */
function pushNamed(c: Cursor, scan: AnswerScan, keys: readonly string[]): void {
  const start = c.at;
  skipValue(c);
  if (!c.failed) pushNamedIn(c.bytes, start, c.at, scan, keys);
}

function pushNamedIn(
  bytes: Uint8Array,
  start: number,
  end: number,
  scan: AnswerScan,
  keys: readonly string[],
): void {
  let at = start;
  while (at < end) {
    if (bytes[at] !== quote) {
      at += 1;
      continue;
    }
    // A string followed by a colon is a key. The value was scanned before, so every string in it is
    // known to be closed.
    const textEnd = stringEnd(bytes, at + 1, end);
    if (textEnd < 0) return;
    const value = skipBlanks(bytes, textEnd + 1, end);
    const keyStart = at + 1;
    at = value;
    if (bytes[value] !== 0x3a || !keys.some((key) => isText(bytes, keyStart, textEnd, key))) {
      continue;
    }
    at = skipBlanks(bytes, value + 1, end);
    if (bytes[at] !== quote) continue;
    const valueEnd = stringEnd(bytes, at + 1, end);
    if (valueEnd < 0) return;
    push(scan, at + 1, valueEnd);
    at = valueEnd + 1;
  }
}

function push({ texts }: AnswerScan, start: number, end: number): boolean {
  if (end === start) return false;
  // Beyond the limit, the last text is extended to the end of this one. What lies between counts as
  // text then: the output is measured too long, never too short.
  if (texts.length >= textsMax) texts[textsMax - 1] = end;
  else texts.push(start, end);
  return true;
}
