/**
 * Prepares the text of a call for storing: replaces pictures, sound and files by markers, removes
 * keys and other credentials, and cuts what is too long. The texts are anybody's, so every search
 * takes time that grows with the text alone.
 */

import { type Json, parseForeign } from "#base/json.ts";

/** The longest text that is read as JSON, in characters. A longer one is cleaned as plain text. */
const jsonMax = 32 * 1024 * 1024;

/** A run of this many base64 characters is taken for a file and not for text. */
const base64RunMin = 256;

/** A list of more numbers than this is an embedding, of which only the length is stored. */
const numbersMax = 32;

const removed = "***";

/** Fields whose values are credentials, whatever they look like. Compared without `-` and `_`. */
const secretFields: ReadonlySet<string> = new Set([
  "accesstoken",
  "apikey",
  "authorization",
  "clientsecret",
  "password",
  "privatekey",
  "proxyauthorization",
  "refreshtoken",
  "secret",
  "secretkey",
  "xapikey",
  "xgoogapikey",
]);

/** Credentials in the usual forms. Each expression has a greatest length, or ends with what repeats. */
const credentials = [
  /\b(?:sk|pk|rk|ak|gsk|xai|hf|ghp|gho|ghs|ghu|glpat|xox[abprs])[-_][\w-]{8,}/g,
  /\bgithub_pat_\w{20,}/g,
  /\bAIza[\w-]{20,}/g,
  /\b(?:AKIA|ASIA)[A-Z0-9]{16}\b/g,
];

/** Credentials behind a word that says what they are, which stays. */
const namedCredentials = [
  /\b(Bearer\s{1,100})[^\s"'\\]{6,}/gi,
  /\b((?:authorization|x-api-key|api[-_]key)\s{0,100}[:=]\s{0,100}["']?(?:basic\s{1,100})?)[^\s"'\\,;]{6,}/gi,
];

/** The beginning of a private key in PEM, where a line of dashes begins; its end likewise. */
const pemBegin = /-----BEGIN [A-Z ]{0,64}PRIVATE KEY-----/g;
const pemEnd = /-----END [A-Z ]{0,64}PRIVATE KEY-----/g;

const dataUrl =
  /data:([\w.+-]{1,64}\/[\w.+-]{1,128})(?:;[\w=.+-]{1,64}){0,8};base64,[A-Za-z0-9+/=_-]*/g;

type CleanText = {
  readonly text: string;
  /** Bytes of the whole text, before it was cut. */
  readonly wholeBytes: number;
};

/** @param bytesMax the largest number of bytes of the result. */
export function cleanText(given: string, bytesMax: number): CleanText {
  const text = cleanWhole(given).toWellFormed();
  const bytes = Buffer.from(text);
  return { text: bytes.length <= bytesMax ? text : cut(bytes, bytesMax), wholeBytes: bytes.length };
}

function cleanWhole(text: string): string {
  const value = parseObject(text);
  return value === undefined ? cleanPlain(text) : JSON.stringify(cleanValue(value));
}

/** Parses the text of a JSON object or array; undefined for anything else. */
function parseObject(text: string): Json | undefined {
  if (text.length > jsonMax || !/^\s*[[{]/.test(text)) return undefined;
  try {
    const value = parseForeign(text);
    return typeof value === "object" && value !== null ? value : undefined;
  } catch {
    return undefined;
  }
}

function cleanValue(value: Json, field = ""): Json {
  if (typeof value === "string") return isSecret(field) ? removed : cleanString(value);
  if (Array.isArray(value)) {
    const isEmbedding = value.length > numbersMax && value.every((one) => typeof one === "number");
    return isEmbedding ? `[${value.length} numbers]` : value.map((one) => cleanValue(one, field));
  }
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, cleanValue(one, key)]));
}

function isSecret(field: string): boolean {
  return secretFields.has(field.replaceAll(/[-_]/g, "").toLowerCase());
}

/**
 * Cleans one text of a JSON document. The text may be a JSON document too, as the arguments of a
 * tool call are.
 */
function cleanString(text: string): string {
  const inside = parseObject(text);
  return inside === undefined ? cleanPlain(text) : JSON.stringify(cleanValue(inside));
}

/**
 * The steps by which a text is cleaned, in their order; `server/test/growth/` measures each by texts
 * that are as hard as anybody can make them.
 */
export const cleaningSteps: readonly ((text: string) => string)[] = [
  withoutFiles,
  markRuns,
  withoutCredentials,
  withoutTokens,
  withoutPems,
  withoutNamedCredentials,
];

function cleanPlain(text: string): string {
  return cleaningSteps.reduce((left, step) => step(left), text);
}

function withoutFiles(text: string): string {
  return text.replaceAll(dataUrl, (url, type: string) => {
    const data = url.slice(url.indexOf(",") + 1);
    return `[${type}, ${decoded(data)} bytes]`;
  });
}

function withoutCredentials(text: string): string {
  return credentials.reduce((left, pattern) => left.replaceAll(pattern, removed), text);
}

function withoutNamedCredentials(text: string): string {
  return namedCredentials.reduce((left, pattern) => left.replaceAll(pattern, `$1${removed}`), text);
}

/** Replaces long runs of base64 characters by a marker. */
function markRuns(text: string): string {
  let left = "";
  let from = 0;
  for (let at = 0; at < text.length; at += 1) {
    const start = at;
    while (isOf(inBase64, text, at)) at += 1;
    if (at - start < base64RunMin) continue;
    for (let padding = 0; padding < 2 && text[at] === "="; padding += 1) at += 1;
    left += `${text.slice(from, start)}[binary, ${decoded(text.slice(start, at))} bytes]`;
    from = at;
    // The loop goes on at the next character, which may begin a run, too.
    at -= 1;
  }
  return from === 0 ? text : left + text.slice(from);
}

/** The least length of the first two parts of a JSON Web Token. */
const tokenPartMin = 10;

/** Removes JSON Web Tokens: three parts with dots between them, of which the first begins with `eyJ`. */
function withoutTokens(text: string): string {
  let left = "";
  let from = 0;
  let searched = 0;
  for (;;) {
    const start = text.indexOf("eyJ", searched);
    if (start < 0) return from === 0 ? text : left + text.slice(from);
    searched = start + 1;
    if (isOf(inWord, text, start - 1)) continue;
    const first = runEnd(inToken, text, start);
    const second = text[first] === "." ? runEnd(inToken, text, first + 1) : first;
    const isToken =
      text[second] === "." &&
      second > first &&
      first - start >= "eyJ".length + tokenPartMin &&
      second - first > tokenPartMin;
    // None that begins later in the same run is one, either.
    searched = first;
    if (!isToken) continue;
    searched = runEnd(inToken, text, second + 1);
    left += text.slice(from, start) + removed;
    from = searched;
  }
}

function withoutPems(text: string): string {
  let left = "";
  let from = 0;
  for (;;) {
    pemBegin.lastIndex = from;
    const begin = pemBegin.exec(text);
    if (begin === null) return from === 0 ? text : left + text.slice(from);
    pemEnd.lastIndex = pemBegin.lastIndex;
    const end = pemEnd.exec(text);
    left += text.slice(from, begin.index) + removed;
    if (end === null) return left;
    from = pemEnd.lastIndex;
  }
}

/** 1 for each code of a character of the set. */
type CharacterSet = Uint8Array;

function openSet(pattern: RegExp): CharacterSet {
  return Uint8Array.from({ length: 128 }, (_, code) =>
    pattern.test(String.fromCharCode(code)) ? 1 : 0,
  );
}

const inBase64 = openSet(/[A-Za-z0-9+/_-]/);
const inToken = openSet(/[\w-]/);
const inWord = openSet(/\w/);

function isOf(set: CharacterSet, text: string, at: number): boolean {
  return set[text.charCodeAt(at)] === 1;
}

function runEnd(set: CharacterSet, text: string, from: number): number {
  let at = from;
  while (isOf(set, text, at)) at += 1;
  return at;
}

/** Returns how many bytes a base64 text stands for. */
function decoded(base64: string): number {
  let { length } = base64;
  while (base64[length - 1] === "=") length -= 1;
  return Math.floor((length * 3) / 4);
}

/** Returns the beginning of the text, without a part of a character at its end. */
function cut(bytes: Buffer, bytesMax: number): string {
  let end = bytesMax;
  // In UTF-8 every byte of a character but its first begins with the bits 10.
  while (end > 0 && ((bytes[end] ?? 0) & 0xc0) === 0x80) end -= 1;
  return bytes.subarray(0, end).toString();
}
