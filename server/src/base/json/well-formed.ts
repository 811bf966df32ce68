import { type Json, spellingOf } from "#base/json.ts";

/**
 * Writes a value as JSON without halves of surrogate pairs, which clients cut texts into, and which
 * strict upstreams refuse: each becomes the character that stands for what is unknown.
 */
export function wellFormedJson(value: object): string {
  const text = JSON.stringify(value);
  // Halves are the only characters from there on that are written as escapes.
  return text.includes("\\ud") ? JSON.stringify(value, mend) : text;
}

function mend(_: string, value: Json): Json {
  if (typeof value === "string") return value.toWellFormed();
  if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
  if (spellingOf(value) !== undefined) return value;
  const keys = Object.keys(value);
  if (keys.every((key) => key.isWellFormed())) return value;
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key.toWellFormed(), each]));
}
