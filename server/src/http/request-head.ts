/**
 * Reads the head of a request, strictly. A head that two parsers could read as different requests
 * is refused, because a proxy may send several clients' requests on one connection, and the bytes
 * behind the head may be another client's. Grammar: RFC 9112, sections 2 to 6.
 */

import type { BodyRules } from "#http1/body-reader.ts";
import { fieldLines, findField, keepsAlive, readLength, splitFields } from "#http1/fields.ts";

/** The largest number of bytes of a request line. */
export const requestLineBytesMax = 8 * 1024;
/** The largest number of bytes of a head, request line included. Real ones stay below 4 KB. */
export const headBytesMax = 16 * 1024;
/** The largest number of fields of a head. */
export const fieldsMax = 100;

/**
 * A chunk's length and its extensions, each `;name`, `;name=value` or `;name="value"`. Blanks
 * between them are refused: the grammar has them only for old senders, and other readers refuse
 * them too.
 */
const chunkLine =
  /^([0-9A-Fa-f]+)(?:;[\w!#$%&'*+.^`|~-]+(?:=(?:[\w!#$%&'*+.^`|~-]+|"(?:[\t\x20\x21\x23-\x5b\x5d-\x7e\x80-\xff]|\\[\t\x20-\x7e\x80-\xff])*"))?)*\r\n$/;

/** How the bodies of requests are read. Their trailers have the limits of heads. */
export const requestBodyRules: BodyRules = {
  chunkLine,
  chunkLineBytesMax: 256,
  trailerBytesMax: headBytesMax,
  trailerFieldsMax: fieldsMax,
};

export type RequestHead = {
  readonly method: string;
  /** Path and query as the client sent them, except that bytes beyond ASCII are percent-encoded. */
  readonly target: string;
  readonly minorVersion: 0 | 1;
  /** The `Host` field; empty: absent, or sent empty. */
  readonly host: string;
  /** Length of the body; `chunked`: known only at its end. */
  readonly body: number | "chunked";
  /** Whether the connection may carry another request after this one. */
  readonly keepsAlive: boolean;
  /** Whether the client waits for `100 Continue` before it sends the body. */
  readonly waitsForContinue: boolean;
  /**
   * Header fields: lower-case name, value, lower-case name, value …, in the order they were sent.
   */
  readonly fields: readonly string[];
};

/** The status that answers an invalid head. The connection is closed afterwards. */
export type HeadFault = 400 | 414 | 417 | 431 | 501 | 505;

/**
 * Methods that handlers may get; others are refused. `CONNECT` and `TRACE` are missing, because
 * they are for proxies.
 */
const methods: ReadonlySet<string> = new Set("DELETE GET HEAD OPTIONS PATCH POST PUT".split(" "));

const carriageReturn = 0x0d;
const lineFeed = 0x0a;

const requestLine = /^([!#$%&'*+.^_`|~\w-]+) ([\x21\x22\x24-\x7e\x80-\xff]+) HTTP\/(\d)\.(\d)$/;

/**
 * Characters of a host and port. A comma is not among them, so a repeated `Host` field, whose
 * values are joined by commas, is invalid.
 */
const hostText = /^[\w.~!$&'()*+;=%:[\]-]*$/;

type CutHead = {
  readonly head: RequestHead | HeadFault;
  /** Index at which the body begins. */
  readonly restAt: number;
};

/**
 * Cuts the head off the start of a connection's bytes; undefined: the head is incomplete. The
 * result does not depend on how many bytes follow.
 *
 * @param searched how many of these bytes an earlier call had, which returned undefined. They are
 * not searched again, because a head may come in thousands of packets.
 */
export function cutHead(bytes: Buffer, searched = 0): CutHead | undefined {
  const start = bytes.length - withoutLineEnds(bytes).length;
  // The end of the head may have begun in the last three bytes that were searched.
  const end = bytes.indexOf("\r\n\r\n", Math.max(start, searched - 3));
  const isLong = (end < 0 ? bytes.length : end) - start > headBytesMax;
  if (end >= 0 && !isLong) {
    return { head: readHead(bytes.toString("latin1", start, end)), restAt: end + 4 };
  }
  // A head with bare LF line ends is refused, because the CR LF that the server looks for would
  // never come.
  if (hasBareLineFeed(bytes, Math.max(start, searched), start + headBytesMax)) {
    return { head: 400, restAt: bytes.length };
  }
  if (!isLong) return undefined;
  const lineEnd = bytes.indexOf("\r\n", start) - start;
  const isLine = lineEnd < 0 || lineEnd > requestLineBytesMax;
  return { head: isLine ? 414 : 431, restAt: bytes.length };
}

/**
 * Removes empty lines at the start. Old clients send an additional line end after a body, before
 * the next request.
 */
export function withoutLineEnds(bytes: Buffer): Buffer {
  let start = 0;
  while (bytes[start] === carriageReturn && bytes[start + 1] === lineFeed) start += 2;
  return start === 0 ? bytes : bytes.subarray(start);
}

/** Whether a line feed without a carriage return in front of it is at `from` or behind, before `to`. */
function hasBareLineFeed(bytes: Buffer, from: number, to: number): boolean {
  let at = bytes.indexOf(lineFeed, from);
  while (at >= 0 && at < to) {
    if (bytes[at - 1] !== carriageReturn) return true;
    at = bytes.indexOf(lineFeed, at + 1);
  }
  return false;
}

/**
 * Reads a whole head.
 *
 * @param text the head without its last line end and the empty line, one character per byte.
 */
function readHead(text: string): RequestHead | HeadFault {
  const lineEnd = text.indexOf("\r\n");
  const line = lineEnd < 0 ? text : text.slice(0, lineEnd);
  const fields = lineEnd < 0 ? "" : text.slice(lineEnd);
  const match = requestLine.exec(line);
  if (match === null || !fieldLines.test(fields)) return 400;
  if (line.length > requestLineBytesMax) return 414;
  const [, method = "", address = "", major, minor] = match;
  if (major !== "1" || (minor !== "0" && minor !== "1")) return 505;
  if (!methods.has(method)) return 501;
  const target = readAddress(method, address);
  if (target === undefined) return 400;
  const list = splitFields(fields);
  if (list.length > 2 * fieldsMax) return 431;
  return readFields({ method, target, minorVersion: minor === "1" ? 1 : 0 }, list);
}

type Line = Pick<RequestHead, "method" | "minorVersion" | "target">;

function readFields(line: Line, fields: readonly string[]): RequestHead | HeadFault {
  const { minorVersion } = line;
  const isNew = minorVersion === 1;
  const host = findField(fields, "host");
  if (host === null ? isNew : !hostText.test(host)) return 400;
  const length = readLength(fields);
  if (length === undefined || (length === "chunked" && !isNew)) return 400;
  const expect = findField(fields, "expect");
  if (expect !== null && expect.toLowerCase() !== "100-continue") return 417;
  // A request to upgrade is answered like any other, but the connection is closed: the bytes behind
  // it may be of another protocol. For HTTP/2 they never are before the server has agreed (RFC 7540,
  // section 3.2), and some clients ask for it with every request.
  const upgrade = findField(fields, "upgrade");
  const hasUpgrade = upgrade !== null && upgrade.toLowerCase() !== "h2c";
  return {
    method: line.method,
    target: line.target,
    minorVersion,
    host: host ?? "",
    body: length ?? 0,
    keepsAlive: !hasUpgrade && keepsAlive(fields, minorVersion),
    waitsForContinue: expect !== null && isNew,
    fields,
  };
}

/** Returns the path and query of a request line's target; undefined: the target is invalid. */
function readAddress(method: string, address: string): string | undefined {
  const target = address.startsWith("/") ? address : pathOfWhole(method, address);
  return target === undefined || !/[\x80-\xff]/.test(target)
    ? target
    : target.replaceAll(/[\x80-\xff]/g, (byte) => encodeByte(byte.charCodeAt(0)));
}

/**
 * Returns the path and query of a target that is an absolute URL or `*`. Absolute URLs are meant
 * for proxies, but every server has to accept them.
 */
function pathOfWhole(method: string, address: string): string | undefined {
  if (address === "*") return method === "OPTIONS" ? address : undefined;
  const match = /^https?:\/\/(?<host>[^/?]+)(?<path>(?:[/?][^]*)?)$/i.exec(address);
  if (match === null || !hostText.test(match.groups?.["host"] ?? "")) return undefined;
  const path = match.groups?.["path"] ?? "";
  return path.startsWith("/") ? path : `/${path}`;
}

function encodeByte(byte: number): string {
  return `%${byte.toString(16).toUpperCase()}`;
}

/** Returns all header fields as pairs, in the order they were sent. */
export function listFields({ fields }: RequestHead): [name: string, value: string][] {
  const list: [string, string][] = [];
  for (let at = 0; at < fields.length; at += 2) {
    list.push([fields[at] ?? "", fields[at + 1] ?? ""]);
  }
  return list;
}
