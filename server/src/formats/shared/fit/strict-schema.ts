import type { Json, JsonObject } from "#base/json.ts";
import type { Losses } from "#formats/shared/losses.ts";
import { asObject, textsOf } from "#formats/shared/read-json.ts";

/** Words that OpenAI refuses in schemas that have to be followed. */
const refusedWords: ReadonlySet<string> = new Set([
  "allOf",
  "contains",
  "default",
  "dependentRequired",
  "dependentSchemas",
  "else",
  "if",
  "not",
  "oneOf",
  "patternProperties",
  "propertyNames",
  "then",
  "unevaluatedItems",
  "unevaluatedProperties",
  "uniqueItems",
]);

/** Bounds of OpenAI for such schemas. */
const depthMax = 10;
const propertiesMax = 5_000;

/**
 * Returns whether the schema has to be followed, as it can be sent: a schema that breaks the rules
 * for that would be refused, so it is sent without.
 *
 * @param strict null: the client did not say.
 */
export function strictOf(
  strict: boolean | null,
  schema: JsonObject | null,
  losses: Losses,
): boolean | null {
  if (strict !== true || fitsStrict(schema)) return strict;
  losses.add("strict");
  return false;
}

/** Whether a schema follows the rules: its objects are closed, and all their properties required. */
function fitsStrict(schema: JsonObject | null): boolean {
  if (schema === null) return true;
  if (schema["type"] !== "object" || schema["anyOf"] !== undefined) return false;
  const room = { properties: propertiesMax };
  return fits(schema, 0, room) && room.properties >= 0;
}

function fits(schema: JsonObject, depth: number, room: { properties: number }): boolean {
  const { properties, required, additionalProperties, items, anyOf } = schema;
  if (depth > depthMax || Object.keys(schema).some((word) => refusedWords.has(word))) return false;
  const fields = Object.entries(asObject(properties) ?? {});
  const isObject = properties !== undefined || textsOf(schema["type"]).includes("object");
  if (isObject) {
    const wanted = new Set(textsOf(required));
    if (additionalProperties !== false) return false;
    if (!fields.every(([name]) => wanted.has(name))) return false;
    room.properties -= fields.length;
  }
  const named = [...fields, ...entriesOf(schema["$defs"]), ...entriesOf(schema["definitions"])];
  const below: Json[] = [...named.map(([, each]) => each), ...(Array.isArray(anyOf) ? anyOf : [])];
  if (items !== undefined) below.push(items);
  return below.every((each) => {
    const next = asObject(each);
    return next !== undefined && fits(next, depth + 1, room);
  });
}

function entriesOf(value: Json | undefined): readonly (readonly [string, Json])[] {
  return Object.entries(asObject(value) ?? {});
}
