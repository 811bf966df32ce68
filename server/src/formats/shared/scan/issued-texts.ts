/**
 * Finds the values of a few keys in the bytes of JSON by the native search, without parsing: texts
 * that only their issuer can read. Such a key may also stand in data of tools; nobody has issued
 * its value then.
 */

/** The largest number of texts that are read of one request or answer. */
const issuedMax = 500;

/** What upstreams say when they refuse signatures of others, or reasoning that has none. */
export const refusedSignature =
  /signature\W{0,2} in \W?(?:redacted_)?thinking|thinking\.signature: field required|\bdata\W{0,2} in \W?redacted_thinking|expected \W?thinking\W? or \W?redacted_thinking\W?, but found|thought.?signature/i;

/** Returns the bytes of a key, to be searched for. */
export function markOf(key: string): Buffer {
  return Buffer.from(`"${key}"`);
}

const colon = 0x3a;
const quote = 0x22;
const backslash = 0x5c;

/** Returns the value that stands last of those behind the marks; empty: there is none. */
export function lastIssued(bytes: Uint8Array, marks: readonly Buffer[]): string {
  const all = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  let last = "";
  let lastAt = -1;
  for (const mark of marks) {
    for (let at = all.lastIndexOf(mark); at > lastAt; at = before(all, mark, at)) {
      const text = valueBehind(all, at + mark.length);
      if (text === "") continue;
      last = text;
      lastAt = at;
    }
  }
  return last;
}

function before(bytes: Buffer, mark: Buffer, at: number): number {
  return at === 0 ? -1 : bytes.lastIndexOf(mark, at - 1);
}

/** Returns the values behind the marks, at most the last `issuedMax` of each. */
export function allIssued(bytes: Uint8Array, marks: readonly Buffer[]): readonly string[] {
  const all = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  const texts = new Set<string>();
  for (const mark of marks) {
    let left = issuedMax;
    for (let at = all.lastIndexOf(mark); at >= 0 && left > 0; at = before(all, mark, at)) {
      const text = valueBehind(all, at + mark.length);
      if (text !== "") texts.add(text);
      left -= 1;
    }
  }
  return [...texts];
}

/** Returns the text behind a key, without escapes that some programs write; empty: it is none. */
function valueBehind(bytes: Buffer, from: number): string {
  const start = skipBlanks(bytes, skipBlanks(bytes, from, colon), quote);
  const end = start < 0 ? -1 : bytes.indexOf(quote, start);
  return end < 0 ? "" : issuedText(bytes, start, end);
}

/** Returns a text of JSON, given by its position, as its issuer wrote it. */
export function issuedText(bytes: Buffer, start: number, end: number): string {
  const text = bytes.toString("latin1", start, end);
  if (!text.includes(String.fromCharCode(backslash))) return text;
  return text
    .replaceAll("\\/", "/")
    .replaceAll(/\\u00([0-9a-f]{2})/gi, (_, hex: string) =>
      String.fromCharCode(Number.parseInt(hex, 16)),
    );
}

/** Returns the place behind a byte that only blanks may precede; -1: something else is there. */
function skipBlanks(bytes: Buffer, from: number, wanted: number): number {
  if (from < 0) return -1;
  let at = from;
  while (bytes[at] === 0x20 || bytes[at] === 0x09 || bytes[at] === 0x0a || bytes[at] === 0x0d) {
    at += 1;
  }
  return bytes[at] === wanted ? at + 1 : -1;
}
