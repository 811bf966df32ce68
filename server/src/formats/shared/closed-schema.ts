import type { Json, JsonObject } from "#base/json.ts";
import { asObject } from "./read-json.ts";

/**
 * Closes every object of a JSON Schema against further properties, as structured output of Anthropic
 * and strict tools of OpenAI require.
 */
export function closedSchema(schema: JsonObject): JsonObject {
  const closed: Record<string, Json> = {};
  for (const [key, value] of Object.entries(schema)) closed[key] = closeValue(value);
  if (schema["type"] === "object" || schema["properties"] !== undefined) {
    closed["additionalProperties"] = false;
  }
  return closed;
}

function closeValue(value: Json): Json {
  if (Array.isArray(value)) return value.map(closeValue);
  const object = asObject(value);
  return object === undefined ? value : closedSchema(object);
}
