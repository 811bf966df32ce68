/**
 * Finds where a body of known length, or one in chunks, ends in the bytes of its connection, because
 * the next request or answer may follow. Grammar of chunks: RFC 9112, section 7.1.
 */

/** What a reader of requests and one of answers do not have in common. */
export type BodyRules = {
  /** Matches the line that gives a chunk's length, with its line end. The first group has the digits. */
  readonly chunkLine: RegExp;
  /** The largest number of bytes of that line. Chunk extensions, which are ignored, need room. */
  readonly chunkLineBytesMax: number;
  /** The largest number of bytes and of fields behind a chunked body. */
  readonly trailerBytesMax: number;
  readonly trailerFieldsMax: number;
};

/** The largest number of hex digits of a chunk's length: 2^52 bytes exceed any real body. */
const chunkDigitsMax = 13;

/**
 * Where the reader is: in the bytes of the body, in a line or line end between chunks, in the
 * trailers, at the body's end, or at invalid bytes.
 */
type Phase = "bytes" | "chunk-line" | "chunk-end" | "trailers" | "done" | "failed";

export type BodyReader = {
  readonly rules: BodyRules;
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
  /**
   * Whether those bytes were one whole chunk with nothing but its length in front of it, so that they
   * can be passed on as they are.
   */
  isOneChunk: boolean;
};

export function newBodyReader(length: number | "chunked", rules: BodyRules): BodyReader {
  const isChunked = length === "chunked";
  return {
    rules,
    phase: isChunked ? "chunk-line" : length === 0 ? "done" : "bytes",
    isChunked,
    left: isChunked ? 0 : length,
    pending: null,
    trailerBytes: 0,
    trailerFields: 0,
    restAt: 0,
    isOneChunk: false,
  };
}

/**
 * Reads bytes of the connection. Returns those that are body, as one slice of the same memory; if
 * they become invalid, those in front of that. Afterwards `phase` and `restAt` of the reader are up to date.
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
  let pieces = 0;
  const isAtStart = reader.phase === "chunk-line" && reader.pending === null;
  reader.isOneChunk = true;
  while (at < bytes.length && reader.phase !== "done" && reader.phase !== "failed") {
    if (reader.phase !== "bytes") {
      at = feedLine(reader, bytes, at);
      continue;
    }
    const size = Math.min(reader.left, bytes.length - at);
    if (length === 0) from = at;
    else bytes.copy(bytes, from + length, at, at + size);
    length += size;
    pieces += 1;
    at += size;
    reader.left -= size;
    if (reader.left === 0) reader.phase = "chunk-end";
  }
  reader.restAt = at;
  if (!isAtStart || pieces !== 1 || reader.phase !== "chunk-line" || reader.pending !== null) {
    reader.isOneChunk = false;
  }
  return bytes.subarray(from, from + length);
}

const lineFeed = 0x0a;

/** Reads one line between chunks, or part of one. Returns the index of the next byte. */
function feedLine(reader: BodyReader, bytes: Buffer, at: number): number {
  if (reader.pending === null) {
    const next = feedPlainLine(reader, bytes, at);
    if (next > at) return next;
  }
  reader.isOneChunk = false;
  const end = bytes.indexOf(lineFeed, at);
  const piece = bytes.subarray(at, end < 0 ? bytes.length : end + 1);
  const line = reader.pending === null ? piece : Buffer.concat([reader.pending, piece]);
  const { chunkLineBytesMax, trailerBytesMax } = reader.rules;
  if (line.length > (reader.phase === "trailers" ? trailerBytesMax : chunkLineBytesMax)) {
    reader.phase = "failed";
    return bytes.length;
  }
  // Copied, because the body's chunks are moved about in the caller's memory.
  reader.pending = end < 0 ? Buffer.from(line) : null;
  if (end < 0) return bytes.length;
  reader.phase = readLine(reader, line.toString("latin1"));
  return end + 1;
}

/** Fields about the connection and the body's end, which must not come behind the body. */
const framingLine = /^(?:connection|content-length|transfer-encoding|upgrade):/i;
const trailerLine = /^[\w!#$%&'*+.^`|~-]+:[\t\x20-\x7e\x80-\xff]*\r\n$/;

const carriageReturn = 0x0d;
/** The largest number of hex digits that are read without a text. */
const plainDigitsMax = 8;

/**
 * Reads a line as nearly all of them are: the line end behind a chunk, or a length and nothing else.
 * A stream has two of them for each event, so no text is made of them. Returns the index of the next
 * byte; `at`: it is another line, or not all of it is there.
 */
function feedPlainLine(reader: BodyReader, bytes: Buffer, at: number): number {
  let end = at;
  let size = 0;
  if (reader.phase === "chunk-line") {
    for (let digit = hexDigit(bytes[end]); digit >= 0; digit = hexDigit(bytes[end])) {
      size = size * 16 + digit;
      end += 1;
    }
    if (end === at || end - at > plainDigitsMax) return at;
  } else if (reader.phase !== "chunk-end") return at;
  if (bytes[end] !== carriageReturn || bytes[end + 1] !== lineFeed) return at;
  if (reader.phase === "chunk-end") reader.phase = "chunk-line";
  else {
    reader.left = size;
    reader.phase = size === 0 ? "trailers" : "bytes";
  }
  return end + 2;
}

/** Returns the value of a hex digit; −1: it is none. */
function hexDigit(byte: number | undefined): number {
  if (byte === undefined) return -1;
  if (byte >= 0x30 && byte <= 0x39) return byte - 0x30;
  const letter = byte | 0x20;
  return letter >= 0x61 && letter <= 0x66 ? letter - 0x57 : -1;
}

function readLine(reader: BodyReader, line: string): Phase {
  const { rules } = reader;
  if (reader.phase === "chunk-end") return line === "\r\n" ? "chunk-line" : "failed";
  if (reader.phase === "chunk-line") {
    const digits = rules.chunkLine.exec(line)?.[1] ?? "";
    if (digits === "" || digits.length > chunkDigitsMax) return "failed";
    reader.left = Number.parseInt(digits, 16);
    return reader.left === 0 ? "trailers" : "bytes";
  }
  // Trailers are ignored; the empty line after them ends the body.
  if (line === "\r\n") return "done";
  reader.trailerBytes += line.length;
  reader.trailerFields += 1;
  const isMuch =
    reader.trailerBytes > rules.trailerBytesMax || reader.trailerFields > rules.trailerFieldsMax;
  const isOdd = isMuch || !trailerLine.test(line) || framingLine.test(line);
  return isOdd ? "failed" : "trailers";
}
