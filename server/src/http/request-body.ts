/**
 * Finds where a request's body ends in the bytes of its connection, because the next request may
 * follow. Grammar of chunks: RFC 9112, section 7.1.
 */

import { fieldsMax, headBytesMax } from "./request-head.ts";

/**
 * The largest number of bytes of the line that gives a chunk's length. It has room for chunk
 * extensions, which are ignored.
 */
const chunkLineBytesMax = 256;
/** The largest number of hex digits of a chunk's length: 2^52 bytes exceed any real body. */
const chunkDigitsMax = 13;

/**
 * Where the reader is: in the bytes of the body, in a line or line end between chunks, in the
 * trailers, at the body's end, or at invalid bytes.
 */
type Phase = "bytes" | "chunk-line" | "chunk-end" | "trailers" | "done" | "failed";

export type BodyReader = {
  phase: Phase;
  readonly isChunked: boolean;
  /** How many bytes of the body, or of the current chunk, are still to come. */
  left: number;
  /** The beginning of a line whose end has not arrived. */
  pending: Buffer | null;
  trailerBytes: number;
  trailerFields: number;
  /**
   * Index of the first byte that does not belong to the body, in the bytes last passed to
   * `feedBody`.
   */
  restAt: number;
};

export function newBodyReader(length: number | "chunked"): BodyReader {
  const isChunked = length === "chunked";
  return {
    phase: isChunked ? "chunk-line" : length === 0 ? "done" : "bytes",
    isChunked,
    left: isChunked ? 0 : length,
    pending: null,
    trailerBytes: 0,
    trailerFields: 0,
    restAt: 0,
  };
}

/**
 * Reads bytes of the connection. Returns those that are body, as one slice of the same memory; none
 * if they are invalid. Afterwards `phase` and `restAt` of the reader are up to date.
 */
export function feedBody(reader: BodyReader, bytes: Buffer): Buffer {
  if (reader.isChunked) return feedChunks(reader, bytes);
  const size = Math.min(reader.left, bytes.length);
  reader.left -= size;
  reader.restAt = size;
  if (reader.left === 0) reader.phase = "done";
  return size === bytes.length ? bytes : bytes.subarray(0, size);
}

/** Removes the chunk framing by moving the chunks in these bytes together, in place. */
function feedChunks(reader: BodyReader, bytes: Buffer): Buffer {
  let at = 0;
  let from = 0;
  let length = 0;
  while (at < bytes.length && reader.phase !== "done" && reader.phase !== "failed") {
    if (reader.phase !== "bytes") {
      at = feedLine(reader, bytes, at);
      continue;
    }
    const size = Math.min(reader.left, bytes.length - at);
    if (length === 0) from = at;
    else bytes.copy(bytes, from + length, at, at + size);
    length += size;
    at += size;
    reader.left -= size;
    if (reader.left === 0) reader.phase = "chunk-end";
  }
  reader.restAt = at;
  return bytes.subarray(from, reader.phase === "failed" ? from : from + length);
}

const lineFeed = 0x0a;

/** Reads one line between chunks, or part of one. Returns the index of the next byte. */
function feedLine(reader: BodyReader, bytes: Buffer, at: number): number {
  const end = bytes.indexOf(lineFeed, at);
  const piece = bytes.subarray(at, end < 0 ? bytes.length : end + 1);
  const line = reader.pending === null ? piece : Buffer.concat([reader.pending, piece]);
  const isTrailer = reader.phase === "trailers";
  if (line.length > (isTrailer ? headBytesMax : chunkLineBytesMax)) {
    reader.phase = "failed";
    return bytes.length;
  }
  // Copied, because the body's chunks are moved about in the caller's memory.
  reader.pending = end < 0 ? Buffer.from(line) : null;
  if (end < 0) return bytes.length;
  reader.phase = readLine(reader, line.toString("latin1"));
  return end + 1;
}

/**
 * A chunk's length and its extensions, each `;name`, `;name=value` or `;name="value"`. Blanks
 * between them are refused: the grammar has them only for old senders, and other readers refuse
 * them too.
 */
const chunkLine =
  /^([0-9A-Fa-f]+)(?:;[\w!#$%&'*+.^`|~-]+(?:=(?:[\w!#$%&'*+.^`|~-]+|"(?:[\t\x20\x21\x23-\x5b\x5d-\x7e\x80-\xff]|\\[\t\x20-\x7e\x80-\xff])*"))?)*\r\n$/;
/** Fields about the connection and the body's end, which must not come behind the body. */
const framingLine = /^(?:connection|content-length|transfer-encoding|upgrade):/i;
const trailerLine = /^[\w!#$%&'*+.^`|~-]+:[\t\x20-\x7e\x80-\xff]*\r\n$/;

function readLine(reader: BodyReader, line: string): Phase {
  if (reader.phase === "chunk-end") return line === "\r\n" ? "chunk-line" : "failed";
  if (reader.phase === "chunk-line") {
    const digits = chunkLine.exec(line)?.[1] ?? "";
    if (digits === "" || digits.length > chunkDigitsMax) return "failed";
    reader.left = Number.parseInt(digits, 16);
    return reader.left === 0 ? "trailers" : "bytes";
  }
  // Trailers are ignored; the empty line after them ends the body.
  if (line === "\r\n") return "done";
  reader.trailerBytes += line.length;
  reader.trailerFields += 1;
  const isMuch = reader.trailerBytes > headBytesMax || reader.trailerFields > fieldsMax;
  const isOdd = isMuch || !trailerLine.test(line) || framingLine.test(line);
  return isOdd ? "failed" : "trailers";
}
