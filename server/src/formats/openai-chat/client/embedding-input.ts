/**
 * Checks the input of an embeddings request element by element: texts, token numbers, or lists of
 * token numbers. Upstreams disagree on any other input, and some charge for it.
 */

import {
  type Cursor,
  enterArray,
  newCursor,
  nextElement,
  openBracket,
  quote,
  setCursor,
  skipValue,
} from "#base/json-cursor.ts";
import { readNumber, type Span } from "#base/json-scan.ts";

/**
 * `name` is the invalid element, such as `input[2]`. `problem` says what is wrong with it and
 * follows the name in the message.
 */
type ElementFault = { readonly name: string; readonly problem: string };

/** The kinds of elements. All elements of a list must be of one kind. */
type ElementKind = "list" | "number" | "other" | "text";

const cursor = newCursor();

/**
 * Finds the first invalid element of the input, which `scanObject` has checked as JSON. Undefined:
 * all are valid.
 */
export function findWrongElement(bytes: Uint8Array, input: Span): ElementFault | undefined {
  if (input.kind !== "array") return undefined;
  setCursor(cursor, bytes, input.start, input.end);
  let first: ElementKind | undefined;
  let index = 0;
  for (let more = enterArray(cursor); more; more = nextElement(cursor)) {
    const kind = kindHere(cursor);
    first ??= kind;
    const problem =
      kind === "other"
        ? "must be a text, a token number or a list of token numbers"
        : kind === first
          ? problemHere(cursor, kind)
          : "must be of the same kind as input[0]";
    if (problem !== undefined) return { name: `input[${index}]`, problem };
    index += 1;
  }
  return undefined;
}

function kindHere({ bytes, at }: Cursor): ElementKind {
  const first = bytes[at] ?? 0;
  if (first === quote) return "text";
  if (first === openBracket) return "list";
  return isNumber(first) ? "number" : "other";
}

const minus = 0x2d;
const digitZero = 0x30;
const digitNine = 0x39;

function isNumber(first: number): boolean {
  return first === minus || (first >= digitZero && first <= digitNine);
}

/** Moves past the element at the cursor. Returns what is wrong with it; undefined: it is valid. */
function problemHere(c: Cursor, kind: "list" | "number" | "text"): string | undefined {
  const start = c.at;
  if (kind === "list") return problemInList(c);
  skipValue(c);
  if (kind === "text") return c.at - start === emptyBytes ? "is empty" : undefined;
  const value = readNumber(c.bytes, { start, end: c.at, kind });
  const isToken = value !== undefined && Number.isSafeInteger(value) && value >= 0;
  return isToken ? undefined : "must be a token number: whole and not negative";
}

/** Length of an empty JSON string: two quotes. */
const emptyBytes = 2;

function problemInList(c: Cursor): string | undefined {
  let index = 0;
  for (let more = enterArray(c); more; more = nextElement(c)) {
    const kind = kindHere(c);
    const problem = kind === "number" ? problemHere(c, kind) : "must be a token number";
    if (problem !== undefined) return `has a wrong element: [${index}] ${problem}`;
    index += 1;
  }
  return index === 0 ? "is empty" : undefined;
}
