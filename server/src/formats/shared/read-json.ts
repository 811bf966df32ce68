/**
 * Reads fields of JSON from a client or upstream. A field of another type than expected counts as
 * absent, because servers send null, "" and wrong types for fields that they do not use.
 */

import type { Json, JsonObject } from "#base/json.ts";

type Value = Json | undefined;

/** Returns an object without fields if the value is no object. */
export function objectOf(value: Value): JsonObject {
  return asObject(value) ?? nothing;
}

export function asObject(value: Value): JsonObject | undefined {
  return typeof value === "object" && value !== null && !isList(value) ? value : undefined;
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

/** Parses JSON text. Undefined: it is not JSON. */
export function parseJson(text: string): Value {
  try {
    // Safe cast: `JSON.parse` makes nothing but JSON values.
    return JSON.parse(text) as Json;
  } catch {
    return undefined;
  }
}

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
