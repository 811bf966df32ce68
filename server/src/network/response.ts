/**
 * Reads HTTP/1.1 responses, strictly. An answer whose end two parsers could see in different places
 * is refused, because the bytes behind it on the connection are another call's answer. Grammar: RFC
 * 9112, sections 2 to 7.
 */

import { type BodyReader, type BodyRules, feedBody, newBodyReader } from "#http1/body-reader.ts";
import { limitFields, limitsIn, type ToldLimits } from "./told-limits.ts";
import { fieldLines, findField, keepsAlive, readLength, splitFields } from "#http1/fields.ts";

/**
 * The largest number of bytes of a head, and of the trailers behind a chunked body. Real heads stay
 * below 8 KB.
 */
export const headBytesMax = 64 * 1024;
/** The largest number of interim (`1xx`) heads before the final one. */
export const interimHeadsMax = 32;

/**
 * How bodies are read. The line that gives a chunk's length is read with less care than that of a
 * request: old servers have blanks in it, and what stands behind the length cannot hide an end.
 */
const bodyRules: BodyRules = {
  chunkLine: /^([0-9A-Fa-f]+)[\t ]*(?:;[\t\x20-\x7e\x80-\xff]*)?\r\n$/,
  chunkLineBytesMax: 1_024,
  trailerBytesMax: headBytesMax,
  trailerFieldsMax: Infinity,
};

export type ResponseHead = {
  readonly status: number;
  /** The `content-type` in lower case, without parameters; empty: none. */
  readonly mediaType: string;
  /** The `content-type` as it came; empty: none. */
  readonly contentType: string;
  /** The `content-encoding` in lower case; empty: none, or `identity`. */
  readonly contentEncoding: string;
  readonly retryAfter: string | null;
  /** The id that the upstream gave the request; empty: it told none. */
  readonly requestId: string;
  /** What it says of the limits of the key that was used; null: nothing. */
  readonly toldLimits: ToldLimits | null;
  /** The `content-length`; null: absent. */
  readonly contentLength: number | null;
  /** With status 101: all fields, as `splitFields` returns them. */
  readonly upgrade?: readonly string[];
};

/**
 * Where the reader is: before the head's end, in a body that says where it ends, in one that ends
 * with the connection, at the answer's end, or at invalid bytes.
 */
type Phase = "head" | "body" | "until-close" | "done" | "failed";

export type ResponseReader = {
  phase: Phase;
  head: ResponseHead | null;
  /** Whether the connection can carry another call after this answer. */
  reusable: boolean;
  /** Reads the body; null: there is none, or it ends with the connection. */
  body: BodyReader | null;
  /** The beginning of a head whose end has not arrived. */
  pending: Buffer | null;
  interims: number;
  /** Whether the request asked for an upgrade, so that status 101 may come. */
  upgrades: boolean;
};

export function newResponseReader(): ResponseReader {
  return {
    phase: "head",
    head: null,
    reusable: false,
    body: null,
    pending: null,
    interims: 0,
    upgrades: false,
  };
}

/** Prepares a reader for the next answer on its connection. */
export function resetResponseReader(reader: ResponseReader): void {
  reader.phase = "head";
  reader.head = null;
  reader.reusable = false;
  reader.body = null;
  reader.pending = null;
  reader.interims = 0;
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
    case "body":
      return feedOn(reader, rest);
    case "done":
      // The upstream sent bytes beyond the answer, so the connection cannot be trusted with another
      // call.
      if (rest.length > 0) reader.reusable = false;
      return noBytes;
    case "failed":
    case "head":
      return noBytes;
  }
}

/** Ends reading because the upstream closed its side. Returns whether the answer is complete. */
export function close(reader: ResponseReader): boolean {
  if (reader.phase === "until-close") reader.phase = "done";
  return reader.phase === "done";
}

function feedOn(reader: ResponseReader, bytes: Buffer): Buffer {
  const { body } = reader;
  if (body === null) return noBytes;
  const part = feedBody(body, bytes);
  if (body.phase === "failed") reader.phase = "failed";
  if (body.phase === "done") {
    reader.phase = "done";
    if (body.restAt < bytes.length) reader.reusable = false;
  }
  return part;
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
    if (status === 101) readUpgrade(reader, fields);
    return;
  }
  const list = splitFields(fields, lengthsRead);
  const length = readLength(list);
  const encoding = findField(list, "content-encoding")?.toLowerCase() ?? "";
  const contentType = findField(list, "content-type") ?? "";
  reader.head = {
    status,
    mediaType: mediaTypeOf(contentType),
    contentType,
    contentEncoding: encoding === "identity" ? "" : encoding,
    retryAfter: findField(list, "retry-after"),
    requestId: requestIdIn(list),
    toldLimits: limitsIn(list),
    contentLength: typeof length === "number" ? length : null,
  };
  reader.reusable = keepsAlive(list, match[1] === "1" ? 1 : 0);
  reader.phase = bodyPhase(reader, status, length);
}

/**
 * Reads a head with status 101. What follows is no HTTP: it is passed on as a body that ends with
 * the connection.
 */
function readUpgrade(reader: ResponseReader, fields: string): void {
  if (!reader.upgrades) {
    reader.phase = "failed";
    return;
  }
  const none = { mediaType: "", contentType: "", contentEncoding: "" };
  const unsaid = { retryAfter: null, requestId: "", toldLimits: null, contentLength: null };
  reader.head = { status: 101, ...none, ...unsaid, upgrade: splitFields(fields) };
  reader.phase = "until-close";
}

/** The fields in which vendors tell the id of a request, such as Anthropic and Amazon. */
const idFields = ["x-request-id", "request-id", "x-amzn-requestid"] as const;

/** The longest id that is read; a longer text is none. */
const idLengthMax = 200;

function requestIdIn(list: readonly string[]): string {
  for (const name of idFields) {
    const id = findField(list, name);
    if (id !== null) return id.length > idLengthMax ? "" : id;
  }
  return "";
}

/** The lengths of the names of all fields that are read; upstreams send many others. */
const lengthsRead: ReadonlySet<number> = new Set(
  [
    "connection",
    "content-encoding",
    "content-length",
    "content-type",
    "retry-after",
    ...idFields,
    ...limitFields,
    "transfer-encoding",
  ].map((name) => name.length),
);

const statusLine = /^HTTP\/1\.([01]) ([1-5]\d\d)(?: [\t\x20-\x7e\x80-\xff]*)?$/;

function mediaTypeOf(contentType: string): string {
  const end = contentType.indexOf(";");
  return (end < 0 ? contentType : contentType.slice(0, end)).trim().toLowerCase();
}

function bodyPhase(
  reader: ResponseReader,
  status: number,
  length: ReturnType<typeof readLength>,
): Phase {
  if (length === undefined) return "failed";
  if (status === 204 || status === 304 || length === 0) return "done";
  if (length === null) {
    reader.reusable = false;
    return "until-close";
  }
  reader.body = newBodyReader(length, bodyRules);
  return "body";
}
