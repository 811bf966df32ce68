/**
 * Prepares the text of a call for storing: replaces pictures, sound and files by markers, removes
 * keys and other credentials, and cuts what is too long.
 */

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

/** Credentials in the usual forms. */
const credentials = [
  /\b(?:sk|pk|rk|ak|gsk|xai|hf|ghp|gho|ghs|ghu|glpat|xox[abprs])[-_][\w-]{8,}/g,
  /\bgithub_pat_\w{20,}/g,
  /\bAIza[\w-]{20,}/g,
  /\b(?:AKIA|ASIA)[A-Z0-9]{16}\b/g,
  /\beyJ[\w-]{10,}\.[\w-]{10,}\.[\w-]*/g,
  /-----BEGIN [A-Z ]*PRIVATE KEY-----[\s\S]*?(?:-----END [A-Z ]*PRIVATE KEY-----|$)/g,
  /(?<=\bBearer\s+)[^\s"'\\]{6,}/gi,
  /(?<=\b(?:authorization|x-api-key|api[-_]key)\s*[:=]\s*["']?(?:basic\s+)?)[^\s"'\\,;]{6,}/gi,
];

const dataUrl = /data:([\w.+-]+\/[\w.+-]+)(?:;[\w=.+-]+)*;base64,([A-Za-z0-9+/=_-]*)/g;
const base64Run = new RegExp(`[A-Za-z0-9+/_-]{${base64RunMin},}={0,2}`, "g");

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
function parseObject(text: string): object | undefined {
  if (text.length > jsonMax || !/^\s*[[{]/.test(text)) return undefined;
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null ? value : undefined;
  } catch {
    return undefined;
  }
}

function cleanValue(value: unknown, field = ""): unknown {
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

function cleanPlain(text: string): string {
  const withoutFiles = text
    .replaceAll(dataUrl, (_, type: string, data: string) => `[${type}, ${decoded(data)} bytes]`)
    .replaceAll(base64Run, (run) => `[binary, ${decoded(run)} bytes]`);
  return credentials.reduce((left, pattern) => left.replaceAll(pattern, removed), withoutFiles);
}

/** Returns how many bytes a base64 text stands for. */
function decoded(base64: string): number {
  return Math.floor((base64.replace(/=+$/, "").length * 3) / 4);
}

/** Returns the beginning of the text, without a part of a character at its end. */
function cut(bytes: Buffer, bytesMax: number): string {
  let end = bytesMax;
  // In UTF-8 every byte of a character but its first begins with the bits 10.
  while (end > 0 && ((bytes[end] ?? 0) & 0xc0) === 0x80) end -= 1;
  return bytes.subarray(0, end).toString();
}
