/**
 * Header fields of HTTP/1.1, which requests and responses have in common. Grammar: RFC 9112,
 * section 5.
 */

/**
 * Matches header fields that every HTTP parser reads alike: no blank before the colon, no folded
 * lines, no control characters, only CR LF as line end. Each field begins with its line end.
 */
export const fieldLines = /^(?:\r\n[\w!#$%&'*+.^`|~-]+:[\t\x20-\x7e\x80-\xff]*)*$/;

/**
 * Splits header fields into lower-case name, value, lower-case name, value …, in their order.
 *
 * @param text what `fieldLines` matches.
 * @param lengths lengths of the names that somebody will look for; fields whose names have other
 * lengths are left out, which is faster. Null: all fields are wanted.
 */
export function splitFields(text: string, lengths: ReadonlySet<number> | null = null): string[] {
  const list: string[] = [];
  for (let at = 0; at < text.length;) {
    const colon = text.indexOf(":", at);
    const lineEnd = text.indexOf("\r\n", colon);
    const end = lineEnd < 0 ? text.length : lineEnd;
    if (lengths === null || lengths.has(colon - at - 2)) {
      list.push(plainName(text.slice(at + 2, colon)), plainValue(text, colon + 1, end));
    }
    at = end;
  }
  return list;
}

/**
 * Returns the value of a field; null: absent. The values of a repeated field are joined by commas,
 * so a repeated length or host is invalid, even if one of them is empty.
 *
 * @param fields what `splitFields` returned.
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

/**
 * Returns the fields whose names begin so: name, value, name, value …; null: there are none.
 *
 * @param fields what `splitFields` returned.
 * @param prefix in lower case.
 */
export function fieldsStarting(
  fields: readonly string[],
  prefix: string,
): readonly string[] | null {
  let found: string[] | null = null;
  for (let at = 0; at < fields.length; at += 2) {
    const name = fields[at] ?? "";
    if (!name.startsWith(prefix)) continue;
    found ??= [];
    found.push(name, fields[at + 1] ?? "");
  }
  return found;
}

/**
 * Returns what the fields say about the length of the body; null: nothing. `chunked`: it is known
 * only at the body's end. Undefined: the end is ambiguous, the classic way to smuggle a request or
 * an answer.
 */
export function readLength(fields: readonly string[]): number | "chunked" | null | undefined {
  const length = findField(fields, "content-length");
  const coding = findField(fields, "transfer-encoding");
  if (coding !== null) {
    return length === null && coding.toLowerCase() === "chunked" ? "chunked" : undefined;
  }
  if (length === null) return null;
  return /^\d{1,15}$/.test(length) ? Number(length) : undefined;
}

/** Whether the connection may carry another request, according to version and `connection` field. */
export function keepsAlive(fields: readonly string[], minorVersion: 0 | 1): boolean {
  const words = findField(fields, "connection");
  if (words === null) return minorVersion === 1;
  const options = words
    .toLowerCase()
    .split(",")
    .map((word) => word.trim());
  return !options.includes("close") && (minorVersion === 1 || options.includes("keep-alive"));
}

/**
 * Cache of lower-case names. Few names are in use, and a lookup takes a tenth of the time of
 * lower-casing.
 */
const plainNames = new Map<string, string>();
/** How many names are cached: only the first ones, because anybody can send any name. */
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

/** Removes the blanks that may surround a value. `trim` would remove other characters as well. */
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
