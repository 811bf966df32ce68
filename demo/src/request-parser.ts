/** Parses HTTP/1.1 requests. Source: RFC 9112. Pure. */

export type DemoRequest = {
  readonly method: string;
  /** The path without its query. */
  readonly path: string;
  readonly query: string;
  /** The value of a header, by lower-case name. */
  readonly header: FindHeader;
  readonly body: string;
  /** Whether the client expects the connection to stay open. */
  readonly keepAlive: boolean;
  /** Whether the client understands chunks and interim heads. */
  readonly http11: boolean;
};

type FindHeader = (name: string) => string | undefined;

type Parsed =
  | { readonly kind: "request"; readonly request: DemoRequest; readonly consumedBytes: number }
  /**
   * The request is incomplete; parsing it again is of no use until at least `neededBytes` have
   * arrived.
   */
  | {
      readonly kind: "incomplete";
      readonly neededBytes: number;
      readonly expectsContinue: boolean;
    }
  | { readonly kind: "malformed"; readonly status: number; readonly reason: string };

const headBytesMax = 64 * 1024;
const bodyBytesMax = 64 * 1024 * 1024;

/** Parses the request at the start of `bytes`. The bytes after it belong to the next request. */
export function parseRequest(bytes: Buffer): Parsed {
  const headEnd = bytes.indexOf("\r\n\r\n");
  if (headEnd < 0 ? bytes.length > headBytesMax : headEnd > headBytesMax) {
    return malformed(431, "the head is too large");
  }
  if (headEnd < 0) return incomplete(bytes.length + 1, false);
  const head = bytes.toString("latin1", 0, headEnd);
  const requestLine = /^([A-Z]+) (\S+) HTTP\/1\.([01])(?:\r\n|$)/.exec(head);
  if (requestLine === null) return malformed(400, "not a request line of HTTP/1");
  const lowerHead = head.toLowerCase();
  const header: FindHeader = (name) => findHeader(head, lowerHead, name);
  const body = readBody(bytes, headEnd + 4, header);
  if (body.kind !== "body") return body;

  const [, method = "", target = "", minor] = requestLine;
  const queryAt = target.indexOf("?");
  const connection = header("connection")?.toLowerCase();
  const http11 = minor === "1";
  return {
    kind: "request",
    consumedBytes: body.end,
    request: {
      method,
      path: queryAt < 0 ? target : target.slice(0, queryAt),
      query: queryAt < 0 ? "" : target.slice(queryAt + 1),
      header,
      body: body.text,
      keepAlive: http11 ? connection !== "close" : connection === "keep-alive",
      http11,
    },
  };
}

/**
 * Returns the value of a header, the first one if it is repeated. Searches the text, because only
 * four of a call's dozen headers are ever read.
 */
function findHeader(head: string, lowerHead: string, name: string): string | undefined {
  const at = lowerHead.indexOf(`\r\n${name}:`);
  if (at < 0) return undefined;
  const start = at + name.length + 3;
  const end = head.indexOf("\r\n", start);
  return head.slice(start, end < 0 ? head.length : end).trim();
}

type Body = { readonly kind: "body"; readonly text: string; readonly end: number };

function readBody(
  bytes: Buffer,
  start: number,
  header: FindHeader,
): Body | Exclude<Parsed, { kind: "request" }> {
  const expectsContinue = header("expect")?.toLowerCase() === "100-continue";
  const coding = header("transfer-encoding")?.toLowerCase();
  if (coding === "chunked") return readChunks(bytes, start, expectsContinue);
  if (coding !== undefined) return malformed(501, "a transfer coding that is not chunked");
  const lengthText = header("content-length") ?? "0";
  if (!/^\d{1,15}$/.test(lengthText)) return malformed(400, "a Content-Length that is no number");
  const end = start + Number(lengthText);
  if (end - start > bodyBytesMax) return malformed(413, "the body is too large");
  if (bytes.length < end) return incomplete(end, expectsContinue);
  return { kind: "body", text: bytes.toString("utf8", start, end), end };
}

/**
 * Reads a chunked body and skips its trailers. An incomplete body is read again from its start when
 * more bytes have arrived.
 */
function readChunks(
  bytes: Buffer,
  start: number,
  expectsContinue: boolean,
): Body | Exclude<Parsed, { kind: "request" }> {
  const contents: Buffer[] = [];
  let total = 0;
  let at = start;
  for (;;) {
    const lineEnd = bytes.indexOf("\r\n", at);
    if (lineEnd < 0) return incomplete(bytes.length + 1, expectsContinue);
    const sizeText = bytes.toString("latin1", at, lineEnd).split(";")[0]?.trim() ?? "";
    if (!/^[0-9a-fA-F]{1,8}$/.test(sizeText)) return malformed(400, "a chunk without a size");
    const size = Number.parseInt(sizeText, 16);
    total += size;
    if (total > bodyBytesMax) return malformed(413, "the body is too large");
    at = lineEnd + 2;
    if (size === 0) break;
    if (bytes.length < at + size + 2) return incomplete(at + size + 2, expectsContinue);
    contents.push(bytes.subarray(at, at + size));
    at += size + 2;
  }
  for (;;) {
    const lineEnd = bytes.indexOf("\r\n", at);
    if (lineEnd < 0) return incomplete(bytes.length + 1, expectsContinue);
    const empty = lineEnd === at;
    at = lineEnd + 2;
    if (empty) return { kind: "body", text: Buffer.concat(contents).toString("utf8"), end: at };
  }
}

function incomplete(
  neededBytes: number,
  expectsContinue: boolean,
): Parsed & { kind: "incomplete" } {
  return { kind: "incomplete", neededBytes, expectsContinue };
}

function malformed(status: number, reason: string): Parsed & { kind: "malformed" } {
  return { kind: "malformed", status, reason };
}
