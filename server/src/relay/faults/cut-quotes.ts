/**
 * Removes from an upstream's message what it quotes of the client's request, before the message is
 * stored or logged: texts of calls are private, and an error often repeats a part of them.
 */

import { randomBytes } from "node:crypto";
import { type Json, parseForeign } from "#base/json.ts";

/** The shortest quotation that is removed, in characters. */
const quotedMin = 16;

/** Stands for what was removed. */
const removed = "[…]";

/** A longer request is not searched, because that would take too long: the whole message goes. */
const requestBytesMax = 1024 * 1024;

/** The longest message that is searched, in characters; the rest is cut off. */
const messageMax = 2_000;

/**
 * Removes every run of 16 characters or more that occurs in the request.
 *
 * @param request the body of the request; empty: it is not in memory any more.
 */
export function cutQuotes(message: string, request: Uint8Array): string {
  const text = message.slice(0, messageMax);
  if (text.length < quotedMin) return text;
  if (request.length === 0 || request.length > requestBytesMax) return removed;
  const quoted = findQuoted(text, textsOf(request));
  let left = "";
  for (let at = 0; at < text.length; at += 1) {
    if (quoted[at] === 0) left += text[at];
    else if (at === 0 || quoted[at - 1] === 0) left += removed;
  }
  return left;
}

/**
 * Finds the characters of the message that stand in a quotation: 1 at each of them. Each part of 16
 * characters of the texts is looked up by a hash that moves along with it (Karp and Rabin,
 * doi:10.1147/rd.312.0249), and what was found once is not searched again. So the time grows with
 * the texts alone, whatever repeats.
 */
function findQuoted(message: string, texts: readonly string[]): Uint8Array {
  const quoted = new Uint8Array(message.length);
  const { starts, counts } = partsOf(message);
  for (const text of texts) {
    let hash = 0;
    for (let at = 0; at < text.length; at += 1) {
      hash = (Math.imul(hash, factor) + even(text.charCodeAt(at))) | 0;
      const start = at + 1 - quotedMin;
      if (start < 0) continue;
      // Nearly all parts of a request are not quoted, so most are told apart by half of the hash.
      const found = counts[hash & 0xffff] === 0 ? undefined : starts.get(hash);
      if (found !== undefined && isSame(message, found[0] ?? 0, text, start)) {
        for (const from of found) quoted.fill(1, from, from + quotedMin);
        starts.delete(hash);
        counts[hash & 0xffff] = (counts[hash & 0xffff] ?? 0) - 1;
      }
      hash = (hash - Math.imul(even(text.charCodeAt(start)), leading)) | 0;
    }
  }
  return quoted;
}

/** Finds where the parts of the message stand, by their hash; different ones may share it. */
function partsOf(message: string) {
  const starts = new Map<number, number[]>();
  /** How many hashes there are for each of their lower halves. */
  const counts = new Uint16Array(0x1_0000);
  for (let start = 0; start + quotedMin <= message.length; start += 1) {
    let hash = 0;
    for (let at = start; at < start + quotedMin; at += 1) {
      hash = (Math.imul(hash, factor) + even(message.charCodeAt(at))) | 0;
    }
    const known = starts.get(hash);
    if (known !== undefined) known.push(start);
    else {
      starts.set(hash, [start]);
      counts[hash & 0xffff] = (counts[hash & 0xffff] ?? 0) + 1;
    }
  }
  return { starts, counts };
}

function isSame(one: string, oneStart: number, other: string, otherStart: number): boolean {
  for (let at = 0; at < quotedMin; at += 1) {
    if (even(one.charCodeAt(oneStart + at)) !== even(other.charCodeAt(otherStart + at))) {
      return false;
    }
  }
  return true;
}

/** Random, so that nobody can make texts whose parts share their hashes. */
const factor = (randomBytes(4).readUInt32LE() | 5) & ~2;

/** What the first character of a part counts in its hash. */
const leading = Array.from({ length: quotedMin - 1 }).reduce<number>(
  (power) => Math.imul(power, factor),
  1,
);

/**
 * Makes characters equal that upstreams and `scrubMessage` exchange: white space, control characters
 * and angle brackets. Every character stays one.
 */
function even(code: number): number {
  return blanks[code] === 1 ? space : code;
}

const space = 0x20;

/** 1 for each of those characters. */
const blanks = Uint8Array.from({ length: 0x1_0000 }, (_, code) =>
  /[\s\p{Cc}<>]/u.test(String.fromCharCode(code)) ? 1 : 0,
);

/**
 * Returns all texts of a request, also as they are written in JSON. The model's name is left out,
 * because the log names it anyway.
 */
function textsOf(request: Uint8Array): readonly string[] {
  const written = new TextDecoder().decode(request);
  try {
    const texts: string[] = [];
    collect(parseForeign(written), texts, true);
    return texts;
  } catch {
    return [written];
  }
}

function collect(value: Json, texts: string[], isTop: boolean): void {
  if (typeof value === "string") addText(value, texts);
  else if (Array.isArray(value)) for (const one of value) collect(one, texts, false);
  else if (typeof value === "object" && value !== null) {
    for (const [key, one] of Object.entries(value)) {
      if (!isTop || key !== "model") collect(one, texts, false);
    }
  }
}

/** The most characters that one of a text takes in JSON, where it has a quote at either end. */
const escapedMax = 6;

function addText(text: string, texts: string[]): void {
  if (text.length >= quotedMin) texts.push(text);
  if (text.length * escapedMax + 2 < quotedMin) return;
  // This form has the escapes, which an upstream may have quoted as they are.
  const written = JSON.stringify(text);
  if (written.length >= quotedMin) texts.push(written);
}
