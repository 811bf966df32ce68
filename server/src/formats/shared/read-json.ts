/**
 * Reads fields of JSON from a client or upstream. A field of another type than expected counts as
 * absent, because servers send null, "" and wrong types for fields that they do not use.
 */

import { type Json, type JsonObject, parseExact, parseMoved, spellingOf } from "#base/json.ts";

type Value = Json | undefined;

/** Returns an object without fields if the value is no object. */
export function objectOf(value: Value): JsonObject {
  return asObject(value) ?? nothing;
}

export function asObject(value: Value): JsonObject | undefined {
  if (typeof value !== "object" || value === null || isList(value)) return undefined;
  // A number as it was spelled looks like an object.
  return value["rawJSON"] !== undefined && spellingOf(value) !== undefined ? undefined : value;
}

/** Returns an empty list if the value is no list. */
export function listOf(value: Value): readonly Json[] {
  return isList(value) ? value : [];
}

/** Returns an empty text if the value is no text. */
export function textOf(value: Value): string {
  return typeof value === "string" ? value : "";
}

/** Returns null if the value is no finite number. */
export function numberOf(value: Value): number | null {
  return typeof value === "number" && Number.isFinite(value) ? value : null;
}

/** Returns null if the value is no boolean. */
export function flagOf(value: Value): boolean | null {
  return typeof value === "boolean" ? value : null;
}

/** Returns the texts of a list, or of a single text. */
export function textsOf(value: Value): readonly string[] {
  if (typeof value === "string") return [value];
  return listOf(value).filter((each) => typeof each === "string");
}

/**
 * Parses JSON text. Undefined: it is not JSON. Numbers in arguments of calls and in schemas keep
 * their spelling, and are only for being written again.
 */
export function parseJson(text: string): Value {
  try {
    return parseMoved(text, isMoved);
  } catch {
    return undefined;
  }
}

/** The same for bytes. @throws SyntaxError when they are not JSON. */
export function parseBody(bytes: Uint8Array): Json {
  return parseMoved(new TextDecoder().decode(bytes), isMoved);
}

/** Parses JSON text that is only moved: every number keeps its spelling. Undefined: it is not JSON. */
export function parseWhole(text: string): Value {
  try {
    return parseExact(text);
  } catch {
    return undefined;
  }
}

/** Keys of objects that clients, models and tools make, and that the gateway only moves. */
const movedKeys: ReadonlySet<string> = new Set([
  "args",
  "arguments",
  "functionResponse",
  "function_response",
  "input",
  "inputSchema",
  "input_schema",
  "json",
  "parameters",
  "parametersJsonSchema",
  "parameters_json_schema",
  "responseJsonSchema",
  "responseSchema",
  "response_json_schema",
  "response_schema",
  "schema",
]);

const isMoved = (key: string): boolean => movedKeys.has(key);

/** Removes fields that are undefined, so that they are not sent. */
export function defined(fields: Readonly<Record<string, Value>>): JsonObject {
  const kept: Record<string, Json> = {};
  for (const [name, value] of Object.entries(fields)) if (value !== undefined) kept[name] = value;
  return kept;
}

function isList(value: Value): value is readonly Json[] {
  return Array.isArray(value);
}

const nothing: JsonObject = {};
