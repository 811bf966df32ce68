/**
 * Finds which conversation a call belongs to: by the mark that its client gives it, or else by the
 * bytes at its beginning. Nobody's conversation is another user's.
 */

import { readString, scanObject, type Span } from "#base/json-scan.ts";
import type { Fields } from "#http/client-request.ts";
import {
  conversationSpans,
  headFields,
  markFields,
  turnFields,
} from "#formats/shared/scan/conversation-spans.ts";
import type { Plan } from "#relay/plan.ts";
import { toolNames } from "./tool-names.ts";

/**
 * A conversation and which of its turns a call is, in one number, so that a call needs no object for
 * it: the conversation, a multiple of 4, and in the last two bits one of `turns`. 0: none.
 */
export type Turn = number;

const turns = {
  later: 0,
  /** The first one; its client has named the conversation, so that its place is known. */
  named: 1,
  /** The first one, of a conversation that only its beginning identifies. */
  unnamed: 2,
} as const;

/** Returns the conversation of a turn; 0: none. */
export function conversationIn(turn: Turn): number {
  return turn - (turn % 4);
}

export function isFirst(turn: Turn): boolean {
  return turn % 4 !== turns.later;
}

/** Whether the channel is drawn as for a call that belongs to no conversation. */
export function isDrawn(turn: Turn): boolean {
  return turn === 0 || turn % 4 === turns.unnamed;
}

/** Headers in which clients name the conversation, the surest first. */
const markHeaders = ["x-session-id", "x-session-affinity", "session_id"];
/** The fields whose marks are the same in each turn. */
const lastingFields = markFields.filter((name) => name !== "previous_response_id");
/** How many bytes of a conversation's messages identify it, from the first one of the user. */
const beginningBytes = 4_096;
const twoTo32 = 2 ** 32;
/** The bits of a conversation beyond 32: with the two of the turn, all fit an exact number. */
const highBits = 0x7_ffff;

/**
 * Finds the conversation of a request. 0: it belongs to none that is known. Where its place makes no
 * difference, only a mark tells which it is, and nothing of the body is searched.
 */
export function turnOf(
  { places }: Pick<Plan, "places">,
  headers: Fields,
  userId: number,
  bytes: Uint8Array,
): Turn {
  return places ? findTurn(headers, userId, bytes) : markedTurn(headers, userId, bytes);
}

/**
 * Returns the tools whose results a turn brings, as a row of the log has them; empty: none. It must
 * follow `turnOf`, and forgets where in the body things stand.
 */
export function toolNamesOf(turn: Turn, bytes: Uint8Array): string {
  const isKnown = turn !== 0 && conversationSpans.bytes === bytes && startOf("tools") >= 0;
  // A body is not kept for its spans.
  conversationSpans.bytes = null;
  const at = isKnown ? turnsAt() : -1;
  if (at < 0) return "";
  const start = conversationSpans.starts[at] ?? 0;
  const end = conversationSpans.ends[at] ?? start;
  const names = toolNames(Buffer.from(bytes.buffer, bytes.byteOffset + start, end - start));
  return names.length === 0 ? "" : JSON.stringify(names);
}

function markedTurn(headers: Fields, userId: number, bytes: Uint8Array): Turn {
  const mark = markIn(headers, conversationSpans.bytes === bytes ? bytes : null, lastingFields);
  return mark === "" ? 0 : conversationOf(mark, userId);
}

function findTurn(headers: Fields, userId: number, bytes: Uint8Array): Turn {
  // Another request was read since, or the bytes were written anew.
  if (conversationSpans.bytes !== bytes) scanObject(bytes, [], { noted: conversationSpans });
  const mark = markIn(headers, bytes);
  const answerAt = findAnswer(bytes);
  const isLater = answerAt >= 0 || startOf("previous_response_id") >= 0;
  if (mark !== "") return conversationOf(mark, userId) + (isLater ? turns.later : turns.named);
  const conversation = conversationAt(bytes, answerAt, userId);
  return conversation + (isLater ? turns.later : turns.unnamed);
}

/** Returns the conversation that a user names by a mark. */
export function conversationOf(mark: string, userId: number): number {
  const seed = userId >>> 0;
  return joined(hashOfText(mark, seed), hashOfText(mark, ~seed >>> 0));
}

/** Returns a multiple of 4 that is not 0. */
function joined(low: number, high: number): number {
  return ((high & highBits) * twoTo32 + (low || 1)) * 4;
}

/**
 * Finds the text by which the client names the conversation; empty: it does not.
 *
 * @param bytes the body that was scanned last; null: only the headers are known.
 */
function markIn(headers: Fields, bytes: Uint8Array | null, fields = markFields): string {
  for (const name of markHeaders) {
    const value = headers.get(name);
    if (value !== null && value !== "") return value;
  }
  if (bytes === null) return "";
  for (const name of fields) {
    const start = startOf(name);
    if (start < 0) continue;
    const end = conversationSpans.ends[conversationSpans.names.indexOf(name)] ?? start;
    const text =
      name === "metadata"
        ? sessionIn(bytes, start, end)
        : readString(bytes, { start, end, kind: kindAt(bytes, start) });
    if (text !== undefined && text !== "") return text;
  }
  return "";
}

function kindAt(bytes: Uint8Array, start: number): Span["kind"] {
  return bytes[start] === 0x22 ? "string" : "null";
}

/** Finds the session in the id that Claude Code gives its user; empty: there is none. */
function sessionIn(bytes: Uint8Array, start: number, end: number): string {
  if (bytes[start] !== 0x7b) return "";
  const span = scanObject(bytes, ["user_id"], { start, end }).values.get("user_id");
  const id = span === undefined ? undefined : readString(bytes, span);
  if (id === undefined) return "";
  // Earlier versions: user_…_account_…_session_…; later ones write an object into the text.
  if (!id.startsWith("{")) {
    const at = id.lastIndexOf(sessionWord);
    return at < 0 ? "" : id.slice(at + sessionWord.length);
  }
  const inner = Buffer.from(id);
  const session = scanObject(inner, ["session_id"]).values.get("session_id");
  return session === undefined ? "" : (readString(inner, session) ?? "");
}

const sessionWord = "session_";

function startOf(name: string): number {
  return conversationSpans.starts[conversationSpans.names.indexOf(name)] ?? -1;
}

/** What stands in the messages of each format before, or in, the first answer of a model. */
const answerWords: Readonly<Record<string, readonly Buffer[]>> = {
  messages: [Buffer.from('"assistant"')],
  input: [
    '"assistant"',
    '"function_call"',
    '"custom_tool_call"',
    '"reasoning"',
    // A turn that goes on by an id has the results of tools alone.
    '"function_call_output"',
    '"custom_tool_call_output"',
  ].map((word) => Buffer.from(word)),
  contents: [Buffer.from('"model"')],
};

const userWord = Buffer.from('"user"');

/** Returns where the first answer stands among the messages; -1: there is none. */
function findAnswer(bytes: Uint8Array): number {
  const at = turnsAt();
  if (at < 0) return -1;
  const start = conversationSpans.starts[at] ?? -1;
  const end = conversationSpans.ends[at] ?? start;
  let first = -1;
  for (const word of answerWords[conversationSpans.names[at] ?? ""] ?? []) {
    const found = indexIn(bytes, word, start);
    if (found >= 0 && found < end && (first < 0 || found < first)) first = found;
  }
  return first;
}

/** Returns the place of the field with the messages among those that are noted; -1: none. */
function turnsAt(): number {
  for (const name of turnFields) {
    const at = conversationSpans.names.indexOf(name);
    if ((conversationSpans.starts[at] ?? -1) >= 0) return at;
  }
  return -1;
}

/** The native search of `Buffer`, of bytes that may not be one. */
function indexIn(bytes: Uint8Array, word: Buffer, from: number): number {
  return Buffer.prototype.indexOf.call(bytes, word, from);
}

/**
 * Finds the conversation by what its prompt begins with: instructions, tools, and the messages as far
 * as the first answer, which are the same in each turn.
 */
function conversationAt(bytes: Uint8Array, answerAt: number, userId: number): number {
  beginHashes(userId >>> 0);
  for (const name of headFields) {
    const start = startOf(name);
    if (start < 0) continue;
    addToHashes(bytes, start, conversationSpans.ends[conversationSpans.names.indexOf(name)] ?? 0);
  }
  const at = turnsAt();
  if (at >= 0) {
    const start = conversationSpans.starts[at] ?? 0;
    const end = answerAt >= 0 ? answerAt : (conversationSpans.ends[at] ?? start) - 1;
    const user = indexIn(bytes, userWord, start);
    // Some formats have the instructions among the messages: they are the same for many.
    const from = user >= 0 && user < end ? user : start;
    const to = Math.min(end, from + beginningBytes);
    addToHashes(bytes, start, Math.max(start, to));
  }
  return joined(hashes.low, hashes.high);
}

/** The two hashes of the prompt that is being read, so that a call needs no object for them. */
const hashes = { low: 0, high: 0 };

function beginHashes(seed: number): void {
  hashes.low = seed;
  hashes.high = ~seed >>> 0;
}

/** Up to how many bytes are hashed one by one: the native hash needs a view of them. */
const steppedBytes = 256;

function addToHashes(bytes: Uint8Array, start: number, end: number): void {
  if (end - start > steppedBytes) {
    const part = bytes.subarray(start, end);
    hashes.low = Bun.hash.xxHash32(part, hashes.low);
    hashes.high = Bun.hash.xxHash32(part, hashes.high);
    return;
  }
  let low = hashes.low ^ 0x811c9dc5;
  let high = hashes.high ^ 0x811c9dc5;
  for (let at = start; at < end; at += 1) {
    const byte = bytes[at] ?? 0;
    low = Math.imul(low ^ byte, 0x01000193);
    high = Math.imul(high ^ byte, 0x01000193);
  }
  hashes.low = low >>> 0;
  hashes.high = high >>> 0;
}

function hashOfText(text: string, seed: number): number {
  return Bun.hash.xxHash32(text, seed);
}
