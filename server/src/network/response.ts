/**
 * Reads HTTP/1.1 responses, strictly. An answer whose end two parsers could see in different places
 * is refused, because the bytes behind it on the connection are another call's answer. Grammar: RFC
 * 9112, sections 2 to 7.
 */

import { fieldLines } from "./fields.ts";

/**
 * The largest number of bytes of a head, and of the trailers behind a chunked body. Real heads stay
 * below 8 KB.
 */
export const headBytesMax = 64 * 1024;
/** The largest number of interim (`1xx`) heads before the final one. */
export const interimHeadsMax = 32;
/** The largest number of bytes of the line that gives a chunk's length. */
const chunkLineMax = 1_024;
/** The largest number of hex digits of a chunk's length: 2^52 bytes exceed any real answer. */
const chunkDigitsMax = 13;

export type ResponseHead = {
  readonly status: number;
  /** The `content-type` in lower case, without parameters; empty: none. */
  readonly mediaType: string;
  /** The `content-encoding`; empty: the body is not compressed. */
  readonly contentEncoding: string;
  readonly retryAfter: string | null;
  /** The `content-length`; null: absent. */
  readonly contentLength: number | null;
};

/**
 * Where the reader is: before the head's end, in the body (in bytes of known length, up to the
 * connection's end, or in one of the parts of a chunked body), at the answer's end, or at invalid
 * bytes.
 */
type Phase =
  | "head"
  | "sized"
  | "until-close"
  | "chunk-line"
  | "chunk"
  | "chunk-end"
  | "trailers"
  | "done"
  | "failed";

export type ResponseReader = {
  phase: Phase;
  head: ResponseHead | null;
  /** Whether the connection can carry another call after this answer. */
  reusable: boolean;
  /** How many bytes of the body, or of the current chunk, are still to come. */
  left: number;
  /** The beginning of a head, line or trailer whose end has not arrived. */
  pending: Buffer | null;
  interims: number;
};

export function newResponseReader(): ResponseReader {
  return { phase: "head", head: null, reusable: false, left: 0, pending: null, interims: 0 };
}

const noBytes = Buffer.alloc(0);

/**
 * Reads bytes of an answer. Returns those that are body, as one slice of the same memory.
 * Afterwards `phase` and `head` of the reader are up to date.
 */
export function feed(reader: ResponseReader, bytes: Buffer): Buffer {
  let rest = bytes;
  if (reader.phase === "head") {
    rest = feedHead(reader, bytes);
    if (rest.length === 0) return noBytes;
  }
  switch (reader.phase) {
    case "until-close":
      return rest;
    case "sized":
      return feedSized(reader, rest);
    case "done":
      // The upstream sent bytes beyond the answer, so the connection cannot be trusted with another
      // call.
      if (rest.length > 0) reader.reusable = false;
      return noBytes;
    case "failed":
    case "head":
      return noBytes;
    case "chunk":
    case "chunk-end":
    case "chunk-line":
    case "trailers":
      return feedChunks(reader, rest);
  }
}

/** Ends reading because the upstream closed its side. Returns whether the answer is complete. */
export function close(reader: ResponseReader): boolean {
  if (reader.phase === "until-close") reader.phase = "done";
  return reader.phase === "done";
}

function feedSized(reader: ResponseReader, bytes: Buffer): Buffer {
  if (bytes.length < reader.left) {
    reader.left -= bytes.length;
    return bytes;
  }
  const body = bytes.subarray(0, reader.left);
  if (bytes.length > reader.left) reader.reusable = false;
  reader.left = 0;
  reader.phase = "done";
  return body;
}

/** Removes the chunk framing by moving the chunks in these bytes together, in place. */
function feedChunks(reader: ResponseReader, bytes: Buffer): Buffer {
  let at = 0;
  let from = 0;
  let to = 0;
  while (at < bytes.length && reader.phase !== "done" && reader.phase !== "failed") {
    if (reader.phase !== "chunk") {
      at = feedLine(reader, bytes, at);
      continue;
    }
    const size = Math.min(reader.left, bytes.length - at);
    if (to === 0) from = at;
    else bytes.copy(bytes, from + to, at, at + size);
    to += size;
    at += size;
    reader.left -= size;
    if (reader.left === 0) reader.phase = "chunk-end";
  }
  if (reader.phase === "done" && at < bytes.length) reader.reusable = false;
  return bytes.subarray(from, from + to);
}

const lineFeed = 0x0a;
const carriageReturn = 0x0d;

/** Reads one line between chunks, or part of one. Returns the index of the next byte. */
function feedLine(reader: ResponseReader, bytes: Buffer, at: number): number {
  const end = bytes.indexOf(lineFeed, at);
  const piece = bytes.subarray(at, end < 0 ? bytes.length : end + 1);
  const line = reader.pending === null ? piece : Buffer.concat([reader.pending, piece]);
  const max = reader.phase === "trailers" ? headBytesMax : chunkLineMax;
  if (line.length > max) reader.phase = "failed";
  // Copied, because the body's chunks are moved about in the caller's memory.
  reader.pending = end < 0 ? Buffer.from(line) : null;
  if (end >= 0 && reader.phase !== "failed") readLine(reader, line);
  return end < 0 ? bytes.length : end + 1;
}

function readLine(reader: ResponseReader, line: Buffer): void {
  const isCrLf = line.length >= 2 && line[line.length - 2] === carriageReturn;
  const isEmpty = line.length === 2;
  if (!isCrLf) {
    reader.phase = "failed";
    return;
  }
  switch (reader.phase) {
    case "chunk-end":
      reader.phase = isEmpty ? "chunk-line" : "failed";
      return;
    case "chunk-line": {
      const size = chunkSize(line);
      reader.phase = size < 0 ? "failed" : size === 0 ? "trailers" : "chunk";
      reader.left = size;
      return;
    }
    default:
      // Trailers are ignored; the empty line after them ends the answer.
      if (isEmpty) reader.phase = "done";
  }
}

/**
 * Returns the length of a chunk from its line; −1: not a valid length. Chunk extensions, behind a
 * `;`, are ignored.
 */
function chunkSize(line: Buffer): number {
  const text = line.toString("latin1", 0, line.length - 2);
  const digits = /^[0-9A-Fa-f]+(?=[ \t]*(?:;|$))/.exec(text)?.[0] ?? "";
  return digits === "" || digits.length > chunkDigitsMax ? -1 : Number.parseInt(digits, 16);
}

/** Reads bytes of the head. Returns the bytes behind the head, possibly none. */
function feedHead(reader: ResponseReader, bytes: Buffer): Buffer {
  let rest = reader.pending === null ? bytes : Buffer.concat([reader.pending, bytes]);
  reader.pending = null;
  for (;;) {
    const end = rest.indexOf("\r\n\r\n");
    // Whether the head has bare LF line ends. The CR LF that the loop looks for would then never
    // come.
    const isOdd = end < 0 && rest.includes("\n\n");
    if (end > headBytesMax || (end < 0 && rest.length > headBytesMax) || isOdd) {
      reader.phase = "failed";
      return noBytes;
    }
    if (end < 0) {
      reader.pending = Buffer.from(rest);
      return noBytes;
    }
    readHead(reader, rest.toString("latin1", 0, end));
    rest = rest.subarray(end + 4);
    if (reader.phase !== "head") return rest;
    reader.interims += 1;
    if (reader.interims > interimHeadsMax) reader.phase = "failed";
    if (reader.phase === "failed" || rest.length === 0) return noBytes;
  }
}

/**
 * Reads a whole head, except for its last line end in `text`. An interim (`1xx`) head leaves
 * `phase` unchanged.
 */
function readHead(reader: ResponseReader, text: string): void {
  const lineEnd = text.indexOf("\r\n");
  const match = statusLine.exec(lineEnd < 0 ? text : text.slice(0, lineEnd));
  const fields = lineEnd < 0 ? "" : text.slice(lineEnd);
  if (match === null || !fieldLines.test(fields)) {
    reader.phase = "failed";
    return;
  }
  const status = Number(match[2]);
  if (status < 200) {
    // Status 101 would be an upgrade, which the gateway never requests.
    if (status === 101) reader.phase = "failed";
    return;
  }
  const names = fields.toLowerCase();
  const length = readLength(findField(fields, names, "content-length"));
  const encoding = findField(fields, names, "content-encoding")?.toLowerCase() ?? "";
  const words = findField(fields, names, "connection")?.toLowerCase() ?? "";
  reader.head = {
    status,
    mediaType: mediaTypeOf(findField(fields, names, "content-type") ?? ""),
    contentEncoding: encoding === "identity" ? "" : encoding,
    retryAfter: findField(fields, names, "retry-after"),
    contentLength: length === "invalid" ? null : length,
  };
  reader.reusable = match[1] === "1" ? !words.includes("close") : words.includes("keep-alive");
  const transfer = findField(fields, names, "transfer-encoding");
  reader.phase = bodyPhase(reader, status, length, transfer);
}

const statusLine = /^HTTP\/1\.([01]) ([1-5]\d\d)(?: [\t\x20-\x7e\x80-\xff]*)?$/;

/**
 * Returns the value of a field; null: absent. The values of a repeated field are joined by commas,
 * so a repeated length is invalid.
 *
 * @param names the text `fields` in lower case; `name` is in lower case, too.
 */
function findField(fields: string, names: string, name: string): string | null {
  const key = `\r\n${name}:`;
  let at = names.indexOf(key);
  if (at < 0) return null;
  let value = "";
  for (; at >= 0; at = names.indexOf(key, at + 1)) {
    const start = at + key.length;
    const end = fields.indexOf("\r\n", start);
    const one = fields.slice(start, end < 0 ? fields.length : end).trim();
    value = value === "" ? one : `${value},${one}`;
  }
  return value;
}

function mediaTypeOf(contentType: string): string {
  const end = contentType.indexOf(";");
  return (end < 0 ? contentType : contentType.slice(0, end)).trim().toLowerCase();
}

function bodyPhase(
  reader: ResponseReader,
  status: number,
  length: number | "invalid" | null,
  encoding: string | null,
): Phase {
  // An answer with two different framings, or an unclear length, is the classic way to smuggle a
  // response.
  if (length === "invalid" || (encoding !== null && length !== null)) return "failed";
  if (status === 204 || status === 304) return "done";
  if (encoding !== null) return encoding.toLowerCase() === "chunked" ? "chunk-line" : "failed";
  if (length !== null) {
    reader.left = length;
    return length === 0 ? "done" : "sized";
  }
  reader.reusable = false;
  return "until-close";
}

function readLength(text: string | null): number | "invalid" | null {
  if (text === null) return null;
  return /^\d{1,15}$/.test(text) ? Number(text) : "invalid";
}
