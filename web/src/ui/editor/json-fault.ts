/** Finds the place where a text stops being valid JSON. */

export type JsonFault = {
  /** The line number, from 1. */
  readonly line: number;
  readonly column: number;
  /** The position in UTF-16 units from the start. */
  readonly offset: number;
  readonly kind: "end" | "unexpected" | "string" | "duplicate";
};

type Found = Pick<JsonFault, "offset" | "kind">;

/**
 * The deepest nesting that this search follows; `JSON.parse` decides whether a deeper text is
 * valid.
 */
const depthMax = 200;

/**
 * Finds the first fault of a text; null: it has none. A key that is repeated in one object is a
 * fault, too, because `JSON.parse` silently takes the last one.
 */
export function findJsonFault(text: string): JsonFault | null {
  const scan: Scan = { text, at: 0, duplicate: null };
  const fault = isJson(text) ? (readValue(scan, 0), scan.duplicate) : readWhole(scan);
  return fault === null ? null : { ...placeOf(text, fault.offset), ...fault };
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

type Scan = { readonly text: string; at: number; duplicate: Found | null };

function readWhole(scan: Scan): Found {
  const fault = readValue(scan, 0);
  if (fault !== null) return fault;
  skipSpace(scan);
  // `JSON.parse` refuses the text, but no fault was found in its first value. So more text follows
  // that value, or it is nested too deeply.
  return { offset: Math.min(scan.at, scan.text.length), kind: "unexpected" };
}

function readValue(scan: Scan, depth: number): Found | null {
  skipSpace(scan);
  if (depth > depthMax) return { offset: scan.at, kind: "unexpected" };
  const first = scan.text[scan.at];
  if (first === undefined) return { offset: scan.at, kind: "end" };
  if (first === "{") return readList(scan, depth, "}", new Map());
  if (first === "[") return readList(scan, depth, "]", null);
  if (first === '"') return readString(scan);
  const word = /^(?:true|false|null|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?)(?![\w.])/.exec(
    scan.text.slice(scan.at, scan.at + 400),
  );
  if (word === null) return { offset: scan.at, kind: "unexpected" };
  scan.at += word[0].length;
  return null;
}

/**
 * Reads an array or, if `keys` is given, an object; `keys` collects the object's keys with their
 * positions.
 */
function readList(
  scan: Scan,
  depth: number,
  close: "}" | "]",
  keys: Map<string, number> | null,
): Found | null {
  scan.at += 1;
  skipSpace(scan);
  if (scan.text[scan.at] === close) {
    scan.at += 1;
    return null;
  }
  for (;;) {
    const fault = (keys === null ? null : readKey(scan, keys)) ?? readValue(scan, depth + 1);
    if (fault !== null) return fault;
    skipSpace(scan);
    const next = scan.text[scan.at];
    if (next === undefined) return { offset: scan.at, kind: "end" };
    if (next !== close && next !== ",") return { offset: scan.at, kind: "unexpected" };
    scan.at += 1;
    if (next === close) return null;
  }
}

function readKey(scan: Scan, keys: Map<string, number>): Found | null {
  skipSpace(scan);
  const start = scan.at;
  if (scan.text[start] === undefined) return { offset: start, kind: "end" };
  if (scan.text[start] !== '"') return { offset: start, kind: "unexpected" };
  const fault = readString(scan);
  if (fault !== null) return fault;
  const key = scan.text.slice(start, scan.at);
  if (keys.has(key)) scan.duplicate ??= { offset: start, kind: "duplicate" };
  keys.set(key, start);
  skipSpace(scan);
  const colon = scan.text[scan.at];
  if (colon === undefined) return { offset: scan.at, kind: "end" };
  if (colon !== ":") return { offset: scan.at, kind: "unexpected" };
  scan.at += 1;
  return null;
}

function readString(scan: Scan): Found | null {
  const start = scan.at;
  for (let at = start + 1; at < scan.text.length; at += 1) {
    const character = scan.text[at] ?? "";
    if (character === '"') {
      scan.at = at + 1;
      return isJson(scan.text.slice(start, at + 1)) ? null : { offset: start, kind: "string" };
    }
    if (character === "\\") at += 1;
    // A line break or other control character inside a string: its closing quote is missing.
    else if (character < " ") return { offset: start, kind: "string" };
  }
  return { offset: start, kind: "string" };
}

function skipSpace(scan: Scan): void {
  while (/[ \t\r\n]/.test(scan.text[scan.at] ?? "")) scan.at += 1;
}

function placeOf(text: string, offset: number): { line: number; column: number } {
  const before = text.slice(0, offset).split("\n");
  return { line: before.length, column: (before.at(-1)?.length ?? 0) + 1 };
}
