/**
 * Reads the head of a request, strictly: what two readers could take for different requests is
 * refused, because what follows it on the connection may be another person's. Grammar: RFC 9112,
 * sections 2 to 6.
 */

import { fieldLines } from "#network/fields.ts";

/** Bytes of a request line; addresses are the only long thing in it. */
export const requestLineBytesMax = 8 * 1024;
/** Bytes of a head, request line included. Real ones stay below 4 KB. */
export const headBytesMax = 16 * 1024;
/** Fields of a head. */
export const fieldsMax = 100;

export type RequestHead = {
  readonly method: string;
  /** Path and query as they were sent, bytes beyond ASCII percent-encoded. */
  readonly target: string;
  readonly minorVersion: 0 | 1;
  /** The address it was sent to; empty: none, or none that says anything. */
  readonly host: string;
  /** Bytes of the body, or that it comes in chunks. */
  readonly body: number | "chunked";
  /** The connection may carry another request. */
  readonly keepsAlive: boolean;
  /** The body comes when it is asked for. */
  readonly waitsForContinue: boolean;
  /** Names in lower case and values in turn, in their order. */
  readonly fields: readonly string[];
};

/** Why there is no request; the connection ends with it. */
export type HeadFault = 400 | 414 | 417 | 431 | 501 | 505;

/** Methods that are answered, if only with a no; `CONNECT` and `TRACE` are for proxies. */
const methods: ReadonlySet<string> = new Set("DELETE GET HEAD OPTIONS PATCH POST PUT".split(" "));

const carriageReturn = 0x0d;
const lineFeed = 0x0a;

const requestLine = /^([!#$%&'*+.^_`|~\w-]+) ([\x21\x22\x24-\x7e\x80-\xff]+) HTTP\/(\d)\.(\d)$/;

/** What may stand in an address in front of the path. No comma: two of them are none. */
const hostText = /^[\w.~!$&'()*+;=%:[\]-]*$/;

export type CutHead = {
  readonly head: RequestHead | HeadFault;
  /** Where, in the bytes, the body begins. */
  readonly restAt: number;
};

/**
 * The head that bytes of a connection begin with; undefined: it is not whole yet. Which of these
 * it is does not depend on how many more bytes are there.
 */
export function cutHead(bytes: Buffer): CutHead | undefined {
  let start = 0;
  // Old clients end a body with a line too many.
  while (bytes[start] === carriageReturn && bytes[start + 1] === lineFeed) start += 2;
  const end = bytes.indexOf("\r\n\r\n", start);
  const isLong = (end < 0 ? bytes.length : end) - start > headBytesMax;
  if (end >= 0 && !isLong) {
    return { head: readHead(bytes.toString("latin1", start, end)), restAt: end + 4 };
  }
  const text = bytes.toString("latin1", start, Math.min(bytes.length, start + headBytesMax));
  // A client that ends lines otherwise would be waited for in vain.
  if (/(?:^|[^\r])\n/.test(text)) return { head: 400, restAt: bytes.length };
  if (!isLong) return undefined;
  const lineEnd = text.indexOf("\r\n");
  const isLine = lineEnd < 0 || lineEnd > requestLineBytesMax;
  return { head: isLine ? 414 : 431, restAt: bytes.length };
}

/** @param text the head without its last line end and the empty line, a byte a character. */
export function readHead(text: string): RequestHead | HeadFault {
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

/** @param text lines that are known to be fields, each with the line end in front of it. */
function splitFields(text: string): string[] {
  const list: string[] = [];
  for (let at = 0; at < text.length;) {
    const colon = text.indexOf(":", at);
    const lineEnd = text.indexOf("\r\n", colon);
    const end = lineEnd < 0 ? text.length : lineEnd;
    list.push(plainName(text.slice(at + 2, colon)), plainValue(text, colon + 1, end));
    at = end;
  }
  return list;
}

type Line = Pick<RequestHead, "method" | "minorVersion" | "target">;

function readFields(line: Line, fields: readonly string[]): RequestHead | HeadFault {
  const isNew = line.minorVersion === 1;
  const host = findField(fields, "host");
  if (host === null ? isNew : !hostText.test(host)) return 400;
  const body = readLength(line, fields);
  if (body === undefined) return 400;
  const expect = findField(fields, "expect");
  if (expect !== null && expect.toLowerCase() !== "100-continue") return 417;
  const words = findField(fields, "connection");
  // Nothing is upgraded. Whoever asked may have more to say in the other protocol.
  const hasUpgrade = findField(fields, "upgrade") !== null;
  return {
    method: line.method,
    target: line.target,
    minorVersion: line.minorVersion,
    host: host ?? "",
    body,
    keepsAlive: !hasUpgrade && keepsAlive(words, isNew),
    waitsForContinue: expect !== null && isNew,
    fields,
  };
}

/** Path and query; undefined: it is none. */
function readAddress(method: string, address: string): string | undefined {
  const target = address.startsWith("/") ? address : pathOfWhole(method, address);
  return target === undefined || !/[\x80-\xff]/.test(target)
    ? target
    : target.replaceAll(/[\x80-\xff]/g, (byte) => encodeByte(byte.charCodeAt(0)));
}

/** Whole addresses are for proxies, but every server has to take them. */
function pathOfWhole(method: string, address: string): string | undefined {
  if (address === "*") return method === "OPTIONS" ? address : undefined;
  const match = /^https?:\/\/[^/?@\\]+(?<path>\/.*|\?.*)?$/i.exec(address);
  if (match === null) return undefined;
  const path = match.groups?.["path"] ?? "/";
  return path.startsWith("/") ? path : `/${path}`;
}

function encodeByte(byte: number): string {
  return `%${byte.toString(16).toUpperCase()}`;
}

/** Undefined: nobody could be sure where the body ends, the classic way to smuggle a request. */
function readLength(
  { minorVersion }: Line,
  fields: readonly string[],
): RequestHead["body"] | undefined {
  const length = findField(fields, "content-length");
  const coding = findField(fields, "transfer-encoding");
  if (coding !== null) {
    const isClear = length === null && minorVersion === 1 && coding.toLowerCase() === "chunked";
    return isClear ? "chunked" : undefined;
  }
  if (length === null) return 0;
  return /^\d{1,15}$/.test(length) ? Number(length) : undefined;
}

function keepsAlive(words: string | null, isNew: boolean): boolean {
  if (words === null) return isNew;
  const options = words
    .toLowerCase()
    .split(",")
    .map((word) => word.trim());
  return !options.includes("close") && (isNew || options.includes("keep-alive"));
}

/**
 * The value of a field; null: it is not there. Of one that stands several times all values,
 * joined by commas, which no length and no host is.
 *
 * @param name in lower case.
 */
export function findField(fields: readonly string[], name: string): string | null {
  let found: string | null = null;
  for (let at = 0; at < fields.length; at += 2) {
    if (fields[at] !== name) continue;
    const value = fields[at + 1] ?? "";
    found = found === null ? value : `${found}, ${value}`;
  }
  return found;
}

/** All fields in their order. */
export function listFields({ fields }: RequestHead): [name: string, value: string][] {
  const list: [string, string][] = [];
  for (let at = 0; at < fields.length; at += 2) {
    list.push([fields[at] ?? "", fields[at + 1] ?? ""]);
  }
  return list;
}

/** Names are few, and finding one costs a tenth of putting it in lower case. */
const plainNames = new Map<string, string>();
/** Anybody may send names; these are the first that came. */
const plainNamesMax = 512;
const plainNameLengthMax = 40;

function plainName(name: string): string {
  const known = plainNames.get(name);
  if (known !== undefined) return known;
  const plain = name.toLowerCase();
  if (plainNames.size < plainNamesMax && name.length <= plainNameLengthMax) {
    plainNames.set(name, plain);
  }
  return plain;
}

const space = 32;
const tab = 9;

/** `trim` would take away more than the blanks that may stand around a value. */
function plainValue(text: string, from: number, to: number): string {
  let start = from;
  let end = to;
  while (start < end && isBlank(text.charCodeAt(start))) start += 1;
  while (end > start && isBlank(text.charCodeAt(end - 1))) end -= 1;
  return text.slice(start, end);
}

function isBlank(code: number): boolean {
  return code === space || code === tab;
}
