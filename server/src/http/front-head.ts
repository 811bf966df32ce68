/**
 * Reads the head of a request, strictly: what two readers could take for different requests is
 * refused, because what follows it on the connection may be another person's. Grammar: RFC 9112,
 * sections 2 to 6.
 */

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
  /** All fields, each with the line end in front of it. */
  readonly fields: string;
  /** `fields` in lower case. */
  readonly names: string;
};

/** Why there is no request; the connection ends with it. */
export type HeadFault = 400 | 414 | 417 | 431 | 501 | 505;

/** Methods that are answered, if only with a no; `CONNECT` and `TRACE` are for proxies. */
const methods: ReadonlySet<string> = new Set("DELETE GET HEAD OPTIONS PATCH POST PUT".split(" "));

const carriageReturn = 0x0d;
const lineFeed = 0x0a;

const requestLine = /^([!#$%&'*+.^_`|~\w-]+) ([\x21\x22\x24-\x7e\x80-\xff]+) HTTP\/(\d)\.(\d)$/;

/**
 * Lines that all readers take for the same fields: no blank in front of the colon, none folded
 * into the one before, no control characters, no line end but CR LF.
 */
const fieldLines = /^(?:\r\n[\w!#$%&'*+.^`|~-]+:[\t\x20-\x7e\x80-\xff]*)*$/;

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
  if (hasManyFields(fields)) return 431;
  const [, method = "", address = "", major, minor] = match;
  if (major !== "1" || (minor !== "0" && minor !== "1")) return 505;
  if (!methods.has(method)) return 501;
  const target = readAddress(method, address);
  if (target === undefined) return 400;
  return readFields({ method, target, minorVersion: minor === "1" ? 1 : 0 }, fields);
}

type Line = Pick<RequestHead, "method" | "minorVersion" | "target">;

function readFields(line: Line, fields: string): RequestHead | HeadFault {
  const names = fields.toLowerCase();
  const isNew = line.minorVersion === 1;
  const host = findField(fields, names, "host");
  if (host === null ? isNew : !hostText.test(host)) return 400;
  const body = readLength(line, fields, names);
  if (body === undefined) return 400;
  const expect = findField(fields, names, "expect");
  if (expect !== null && expect.toLowerCase() !== "100-continue") return 417;
  const words = (findField(fields, names, "connection") ?? "").toLowerCase();
  // Nothing is upgraded. Whoever asked may have more to say in the other protocol.
  const hasUpgrade = names.includes("\r\nupgrade:");
  return {
    method: line.method,
    target: line.target,
    minorVersion: line.minorVersion,
    host: host ?? "",
    body,
    keepsAlive: !hasUpgrade && keepsAlive(words, isNew),
    waitsForContinue: expect !== null && isNew,
    fields,
    names,
  };
}

function hasManyFields(fields: string): boolean {
  let count = 0;
  for (let at = fields.indexOf("\r\n"); at >= 0; at = fields.indexOf("\r\n", at + 2)) count += 1;
  return count > fieldsMax;
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
  fields: string,
  names: string,
): RequestHead["body"] | undefined {
  const length = findField(fields, names, "content-length");
  const coding = findField(fields, names, "transfer-encoding");
  if (coding !== null) {
    const isClear = length === null && minorVersion === 1 && coding.toLowerCase() === "chunked";
    return isClear ? "chunked" : undefined;
  }
  if (length === null) return 0;
  return /^\d{1,15}$/.test(length) ? Number(length) : undefined;
}

function keepsAlive(words: string, isNew: boolean): boolean {
  if (words === "") return isNew;
  const options = words.split(",").map((word) => word.trim());
  return !options.includes("close") && (isNew || options.includes("keep-alive"));
}

/**
 * The value of a field; null: it is not there. Of one that stands several times all values,
 * joined by commas, which no length and no host is.
 *
 * @param names `fields` in lower case, as `name` is.
 */
export function findField(fields: string, names: string, name: string): string | null {
  const key = `\r\n${name}:`;
  let at = names.indexOf(key);
  if (at < 0) return null;
  let value = valueAt(fields, at + key.length);
  for (;;) {
    at = names.indexOf(key, at + key.length);
    if (at < 0) return value;
    value = `${value}, ${valueAt(fields, at + key.length)}`;
  }
}

/** All fields in their order, names in lower case. */
export function listFields({ fields, names }: RequestHead): [name: string, value: string][] {
  const list: [string, string][] = [];
  for (let at = 0; at < fields.length; at = endOfLine(fields, at + 2)) {
    const colon = fields.indexOf(":", at);
    list.push([names.slice(at + 2, colon), valueAt(fields, colon + 1)]);
  }
  return list;
}

function endOfLine(fields: string, at: number): number {
  const end = fields.indexOf("\r\n", at);
  return end < 0 ? fields.length : end;
}

const space = 32;
const tab = 9;

/** `trim` would take away more than the blanks that may stand around a value. */
function valueAt(fields: string, at: number): string {
  let start = at;
  let end = endOfLine(fields, at);
  while (start < end && isBlank(fields.charCodeAt(start))) start += 1;
  while (end > start && isBlank(fields.charCodeAt(end - 1))) end -= 1;
  return fields.slice(start, end);
}

function isBlank(code: number): boolean {
  return code === space || code === tab;
}
