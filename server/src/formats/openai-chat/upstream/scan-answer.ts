/**
 * Finds what billing needs in the bytes of an answer, without building objects: the positions of
 * output text and usage object, and which choices have finished. Takes about 1.5 ns a byte.
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
import type { AnswerScan, AnswerScanner } from "#formats/format.ts";
import {
  forgetHead,
  keepHead,
  keepKnown,
  type KnownEvents,
  knownHeadEnd,
  newKnownEvents,
  readKnown,
} from "./known-events.ts";
import { pushText, scanOutput } from "./scan-output.ts";
import { emptyScan } from "#formats/shared/scan/answer-scan.ts";
import { scanOpenAiTier } from "#formats/shared/tiers/service-tiers.ts";
import { doneWord } from "#formats/openai-chat/wire.ts";

/**
 * The highest index of a choice that is tracked; requests may ask for no more choices. Without this
 * limit a wrong index from an upstream could make a table grow.
 */
const choiceIndexMax = 127;

const cursor = newCursor();

export function openScanner(): AnswerScanner {
  const found = emptyScan();
  const scan: Scan = {
    found,
    outputKey: "message",
    start: 0,
    known: newKnownEvents(),
    errorWords: false,
    usageOnTop: false,
  };
  return {
    found,
    scanEvent(bytes, start, end) {
      reset(scan);
      setCursor(cursor, bytes, start, end);
      scan.outputKey = "delta";
      scan.start = cursor.at;
      if (cursor.at < end && bytes[cursor.at] === openBrace) scanEvent(cursor, scan);
      else found.done = isDone(bytes, cursor.at, end);
    },
    scanAnswer(bytes) {
      reset(scan);
      setCursor(cursor, bytes, 0, bytes.length);
      scan.outputKey = "message";
      found.searches = 0;
      scanBody(cursor, scan, false);
    },
  };
}

/**
 * The state of the scanner: the present scan, and what is remembered from earlier events of the
 * stream.
 */
type Scan = {
  readonly found: AnswerScan;
  /**
   * The field of a choice that holds the output: `delta` in streams, `message` otherwise. Some
   * servers send both, and only this one is read.
   */
  outputKey: "delta" | "message";
  /** Index of the present event's first byte. */
  start: number;
  readonly known: KnownEvents;
  errorWords: boolean;
  usageOnTop: boolean;
};

function reset(scan: Scan): void {
  const { found } = scan;
  found.texts.length = 0;
  found.reasoningBytes = 0;
  found.choices.length = 0;
  if (found.issued !== null) found.issued.length = 0;
  found.usageStart = -1;
  found.usageEnd = -1;
  found.tier = "";
  found.usageOnly = false;
  found.done = false;
  found.errorSuspected = false;
  found.answering = false;
  found.malformed = false;
  scan.errorWords = false;
  scan.usageOnTop = false;
}

function isDone(bytes: Uint8Array, at: number, end: number): boolean {
  const after = at + doneWord.length;
  return (
    after <= end && isText(bytes, at, after, doneWord) && skipBlanks(bytes, after, end) === end
  );
}

function scanEvent(c: Cursor, scan: Scan): void {
  const { found, known, start } = scan;
  const { bytes, end } = c;
  const at = knownHeadEnd(known, bytes, start, end);
  if (at < 0) return scanBody(c, scan, false);
  if (readKnown(known, found, bytes, at, end)) return;
  c.at = at;
  scanBody(c, scan, true);
  keepKnown(known, found, bytes, at, end);
}

/**
 * Reads an event or an answer.
 *
 * @param isResumed the head was skipped, and the cursor is on the `delta` of the first choice.
 */
function scanBody(c: Cursor, scan: Scan, isResumed: boolean): void {
  const { found } = scan;
  let resumed = isResumed;
  let choiceCount = -1;
  for (let more = resumed || enterObject(c); more; more = nextKey(c)) {
    choiceCount = resumed ? scanChoices(c, scan, true) : scanMember(c, scan, choiceCount);
    resumed = false;
  }
  found.malformed = c.failed || skipBlanks(c.bytes, c.at, c.end) !== c.end;
  found.answering ||= choiceCount >= 0;
  found.usageOnly = choiceCount === 0 && scan.usageOnTop;
  found.errorSuspected ||= scan.errorWords && !found.answering && !scan.usageOnTop;
}

/**
 * Reads a top-level key and its value. Returns the number of choices if they were found so far, or
 * else -1.
 */
function scanMember(c: Cursor, scan: Scan, choiceCount: number): number {
  const { found } = scan;
  const { at } = c;
  let count = choiceCount;
  switch (c.bytes[c.keyStart]) {
    case 0x62: // the letter b: `base_resp`
      if (keyIs(c, "base_resp")) scanBaseResp(c, found);
      break;
    case 0x63: // the letter c: `choices`, `code`
      if (keyIs(c, "choices")) count = scanChoices(c, scan, false);
      else scan.errorWords ||= keyIs(c, "code");
      break;
    case 0x64: // the letter d: `data`, `detail`
      if (keyIs(c, "data")) found.answering ||= c.bytes[at] === openBracket;
      else scan.errorWords ||= keyIs(c, "detail");
      break;
    case 0x65: // the letter e: `error`, `errors` and the like
      if (keyIs(c, "error")) found.errorSuspected ||= isSomething(c);
      else scan.errorWords ||= ["errors", "error_msg", "error_code"].some((key) => keyIs(c, key));
      break;
    case 0x6d: // the letter m: `message`, `msg`
      scan.errorWords ||= keyIs(c, "message") || keyIs(c, "msg");
      break;
    case 0x6f: // the letter o: `object`
      found.errorSuspected ||= keyIs(c, "object") && isString(c, "error");
      break;
    case 0x73: // the letter s: `service_tier`
      if (keyIs(c, "service_tier")) scanTier(c, found);
      break;
    case 0x75: // the letter u: `usage`
      if (keyIs(c, "usage")) scan.usageOnTop = noteUsage(c, found);
      break;
    case 0x76: // the letter v: events of Writer's completions have only a `value`
      if (keyIs(c, "value")) pushText(c, found);
      break;
    case 0x78: // the letter x: `x_groq`
      if (keyIs(c, "x_groq") && !scan.usageOnTop) scanNestedUsage(c, found);
      break;
    default:
  }
  if (c.at === at) skipValue(c);
  return count;
}

// Each function below expects the cursor at a value. It moves past that value, or leaves the cursor
// where it is.

/**
 * Reads the list of choices. Returns how many there are; -1: the value is not a list.
 *
 * @param isResumed the head was skipped, and the cursor is on the `delta` of the first choice.
 */
function scanChoices(c: Cursor, scan: Scan, isResumed: boolean): number {
  if (!isResumed && c.bytes[c.at] !== openBracket) return -1;
  let count = 0;
  for (let more = isResumed || enterArray(c); more; more = nextElement(c)) {
    if (count === 0 && isResumed) scanChoice(c, scan, false, true);
    else if (c.bytes[c.at] === openBrace) scanChoice(c, scan, count === 0, false);
    else skipValue(c);
    count += 1;
  }
  return count;
}

function scanChoice(c: Cursor, scan: Scan, isFirst: boolean, isResumed: boolean): void {
  const { found } = scan;
  let index = isResumed ? scan.known.index : 0;
  let finished = 0;
  let resumed = isResumed;
  for (let more = resumed || enterObject(c); more; more = nextKey(c)) {
    const { at } = c;
    switch (resumed ? 0 : c.bytes[c.keyStart]) {
      case 0:
        scanOutput(c, found);
        break;
      case 0x64: // the letter d: `delta`
      case 0x6d: // the letter m: `message`
        if (!keyIs(c, scan.outputKey)) break;
        if (isFirst && finished === 0) noteHead(c, scan, index);
        scanOutput(c, found);
        break;
      case 0x65: // the letter e: `error`
        found.errorSuspected ||= keyIs(c, "error") && isSomething(c);
        break;
      case 0x66: // the letter f: a `finish_reason` of null or "" means that the choice goes on
        if (keyIs(c, "finish_reason") && c.bytes[at] === quote && isSomething(c)) finished = 1;
        found.errorSuspected ||= finished === 1 && isString(c, "error");
        break;
      case 0x69: // the letter i: `index`
        if (keyIs(c, "index")) index = readIndex(c);
        break;
      case 0x74: // the letter t: `text`
        if (keyIs(c, "text")) pushText(c, found);
        break;
      case 0x75: // the letter u: usage inside a choice, as old versions of Moonshot sent it
        if (keyIs(c, "usage") && found.usageStart < 0) noteUsage(c, found);
        break;
      default:
    }
    resumed = false;
    if (c.at === at) skipValue(c);
  }
  found.choices.push(index, finished);
}

/** Notes where the head ends, unless it tells something that later events may not have. */
function noteHead({ bytes, at }: Cursor, scan: Scan, index: number): void {
  const { found, known, start } = scan;
  if (scan.outputKey === "message") return;
  const tells = found.errorSuspected || found.usageStart >= 0 || scan.errorWords;
  if (tells || found.texts.length > 0 || found.choices.length > 0) forgetHead(known);
  else keepHead(known, bytes, start, at, index);
}

function scanTier(c: Cursor, scan: AnswerScan): void {
  const { at } = c;
  if (c.bytes[at] !== quote) return;
  skipValue(c);
  scan.tier = scanOpenAiTier(c.bytes, at + 1, c.at - 1);
}

function noteUsage(c: Cursor, scan: AnswerScan): boolean {
  if (c.bytes[c.at] !== openBrace) return false;
  const start = c.at;
  skipValue(c);
  if (c.failed) return false;
  scan.usageStart = start;
  scan.usageEnd = c.at;
  return true;
}

function scanNestedUsage(c: Cursor, scan: AnswerScan): void {
  if (c.bytes[c.at] !== openBrace) return;
  for (let more = enterObject(c); more; more = nextKey(c)) {
    const { at } = c;
    if (keyIs(c, "usage")) noteUsage(c, scan);
    if (c.at === at) skipValue(c);
  }
}

/** Notes an error status in MiniMax's `base_resp`, which every answer has; 0 means success. */
function scanBaseResp(c: Cursor, scan: AnswerScan): void {
  if (c.bytes[c.at] !== openBrace) return;
  for (let more = enterObject(c); more; more = nextKey(c)) {
    scan.errorSuspected ||= keyIs(c, "status_code") && c.bytes[c.at] !== 0x30;
    skipValue(c);
  }
}

/**
 * Whether the value says something: it is not null, not false, and not an empty text, list or
 * object.
 */
function isSomething(c: Cursor): boolean {
  const { bytes, at } = c;
  switch (bytes[at]) {
    case 0x6e: // null
    case 0x66: // false
      return false;
    case quote:
      return bytes[at + 1] !== quote;
    case openBrace:
    case openBracket:
      return bytes[skipBlanks(bytes, at + 1, c.end)] !== (bytes[at] ?? 0) + 2;
    default:
      return true;
  }
}

function isString(c: Cursor, text: string): boolean {
  const start = c.at + 1;
  const end = start + text.length;
  if (c.bytes[c.at] !== quote || end >= c.end || c.bytes[end] !== quote) return false;
  return isText(c.bytes, start, end, text);
}

function readIndex({ bytes, at, end }: Cursor): number {
  let index = 0;
  for (let next = at; next < end && index <= choiceIndexMax; next += 1) {
    const digit = (bytes[next] ?? 0) - 0x30;
    if (digit < 0 || digit > 9) break;
    index = index * 10 + digit;
  }
  return Math.min(index, choiceIndexMax);
}
