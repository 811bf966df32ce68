import type { Json, JsonObject } from "#base/json.ts";
import { asObject } from "./read-json.ts";

/** Writes the types of Gemini's schema dialect, which are in capitals, as JSON Schema has them. */
export function lowerSchema(schema: JsonObject): JsonObject {
  const lowered: Record<string, Json> = {};
  for (const [key, value] of Object.entries(schema)) {
    const isName = key === "type" && typeof value === "string";
    lowered[key] = isName ? value.toLowerCase() : lowerValue(value);
  }
  return lowered;
}

function lowerValue(value: Json): Json {
  if (Array.isArray(value)) return value.map(lowerValue);
  const object = asObject(value);
  return object === undefined ? value : lowerSchema(object);
}
