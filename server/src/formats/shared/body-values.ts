/** Reads single values of a request's body from its bytes, and joins texts of it. */

import { readEffort } from "./reasoning.ts";
import type { Json } from "#base/json.ts";
import { skipBlanks } from "#base/json-cursor.ts";
import { readBoolean, readString, scanObject, type Span } from "#base/json-scan.ts";

/** The longest model name, in UTF-16 code units. */
const modelLengthMax = 255;

/** Whether a text can be the name of a model. */
export function isModelName(text: string): boolean {
  if (text.length > modelLengthMax) return false;
  return isPlainText(text) || !/[\p{Cc}\p{Cs}\u2028\u2029]/u.test(text);
}

/** Whether all characters are printable ASCII, as in nearly every name. */
function isPlainText(text: string): boolean {
  for (let at = 0; at < text.length; at += 1) {
    const unit = text.charCodeAt(at);
    if (unit < 0x20 || unit > 0x7e) return false;
  }
  return true;
}

/** Whether a value is empty: null, or an empty text, list or object. */
export function isEmpty(bytes: Uint8Array, { start, end, kind }: Span): boolean {
  if (kind === "null") return true;
  if (kind === "string") return end - start === 2;
  const isList = kind === "array" || kind === "object";
  return isList && skipBlanks(bytes, start + 1, end) === end - 1;
}

/** Reads a boolean. Null: the field is absent. */
export function readFlag(bytes: Uint8Array, span: Span | undefined): boolean | null | "invalid" {
  if (span === undefined || span.kind === "null") return null;
  return readBoolean(bytes, span) ?? "invalid";
}

/**
 * Reads the word for how much the model is to think; empty: there is none, or none that a format
 * knows. Log rows keep it, which may not keep any text of a client.
 * @param path the fields that lead to it, of which the first is among the values.
 */
export function effortWord(
  bytes: Uint8Array,
  values: ReadonlyMap<string, Span>,
  path: readonly string[],
): string {
  let span = values.get(path[0] ?? "");
  for (let at = 1; at < path.length && span !== undefined; at += 1) {
    if (span.kind !== "object") return "";
    span = scanObject(bytes, path.slice(at, at + 1), span).values.get(path[at] ?? "");
  }
  if (span?.kind !== "string") return "";
  const word = readString(bytes, span) ?? "";
  return readEffort(word) === null ? "" : word;
}

/** Puts a text in front of instructions that are a text; any other value counts as none. */
export function joinInstructions(text: string, own: Json | undefined): string {
  return typeof own === "string" && own !== "" ? `${text}\n\n${own}` : text;
}
