/** Writes JSON Schema in the dialect of older Gemini models, which refuse every word they do not know. */

import { type Json, type JsonObject, spellingOf } from "#base/json.ts";
import { asObject, listOf, objectOf, textOf, textsOf } from "#formats/shared/read-json.ts";

/** Models that refuse JSON Schema, and take the dialect only. */
const olderModel = /gemini-(1|2\.0|pro|exp)|gemma/;

export function takesJsonSchema(model: string): boolean {
  return !olderModel.test(model);
}

/** Words that are kept as they are. */
const keptWords = [
  "default",
  "description",
  "example",
  "format",
  "maxItems",
  "maxLength",
  "maxProperties",
  "maximum",
  "minItems",
  "minLength",
  "minProperties",
  "minimum",
  "nullable",
  "pattern",
  "propertyOrdering",
  "title",
] as const;

/** Formats of texts that the dialect knows; it refuses others. */
const textFormats: ReadonlySet<string> = new Set(["date-time", "enum"]);

/** How deep references are followed: a schema that refers to itself would never end. */
const depthMax = 12;

export function toDialect(schema: JsonObject): JsonObject {
  return convert(schema, { ...objectOf(schema["$defs"]), ...objectOf(schema["definitions"]) }, 0);
}

function convert(schema: JsonObject, definitions: JsonObject, depth: number): JsonObject {
  const reference = textOf(schema["$ref"]);
  if (reference !== "") {
    const target = asObject(definitions[reference.slice(reference.lastIndexOf("/") + 1)]);
    if (target === undefined || depth > depthMax) return { type: "OBJECT" };
    return convert({ ...target, ...without(schema, "$ref") }, definitions, depth + 1);
  }
  const all = listOf(schema["allOf"]);
  if (all.length > 0) {
    const merged = all.reduce<JsonObject>(
      (sum, part) => mergeSchemas(sum, resolve(objectOf(part), definitions)),
      without(schema, "allOf"),
    );
    return convert(merged, definitions, depth + 1);
  }
  return convertPlain(schema, definitions, depth);
}

function resolve(schema: JsonObject, definitions: JsonObject): JsonObject {
  const reference = textOf(schema["$ref"]);
  return reference === ""
    ? schema
    : objectOf(definitions[reference.slice(reference.lastIndexOf("/") + 1)]);
}

function mergeSchemas(one: JsonObject, other: JsonObject): JsonObject {
  const properties = { ...objectOf(one["properties"]), ...objectOf(other["properties"]) };
  const required = [...textsOf(one["required"]), ...textsOf(other["required"])];
  return {
    ...one,
    ...other,
    ...(Object.keys(properties).length === 0 ? {} : { properties }),
    ...(required.length === 0 ? {} : { required }),
  };
}

function without(schema: JsonObject, name: string): JsonObject {
  return Object.fromEntries(Object.entries(schema).filter(([key]) => key !== name));
}

function convertPlain(schema: JsonObject, definitions: JsonObject, depth: number): JsonObject {
  const converted: Record<string, Json> = {};
  for (const word of keptWords) {
    const value = schema[word];
    if (value !== undefined) converted[word] = value;
  }
  const below = (value: Json | undefined): JsonObject =>
    depth > depthMax ? { type: "OBJECT" } : convert(objectOf(value), definitions, depth + 1);

  const types = textsOf(schema["type"]);
  if (types.includes("null")) converted["nullable"] = true;
  const type = types.find((each) => each !== "null") ?? guessType(schema);
  if (type !== undefined) converted["type"] = type.toUpperCase();
  if (type !== "string" || !textFormats.has(textOf(schema["format"]))) {
    if (type === "string") delete converted["format"];
  }
  const values = schema["const"] === undefined ? schema["enum"] : [schema["const"]];
  if (Array.isArray(values)) converted["enum"] = values.map(spell);
  const options = [...listOf(schema["anyOf"]), ...listOf(schema["oneOf"])];
  const some = options.filter((each) => objectOf(each)["type"] !== "null");
  if (some.length < options.length) converted["nullable"] = true;
  const [only] = some;
  if (some.length === 1) Object.assign(converted, below(only));
  else if (some.length > 1) converted["anyOf"] = some.map(below);
  const properties = asObject(schema["properties"]);
  if (properties !== undefined) {
    const names = Object.entries(properties).map(([name, each]) => [name, below(each)] as const);
    converted["properties"] = Object.fromEntries(names);
    const required = textsOf(schema["required"]).filter((name) => properties[name] !== undefined);
    if (required.length > 0) converted["required"] = required;
  }
  if (schema["items"] !== undefined) converted["items"] = below(schema["items"]);
  else if (type === "array") converted["items"] = { type: "STRING" };
  return converted;
}

/** Lists of values are texts there. */
function spell(value: Json): string {
  return typeof value === "string" ? value : (spellingOf(value) ?? JSON.stringify(value));
}

/** The dialect wants a type on every node. */
function guessType(schema: JsonObject): string | undefined {
  if (schema["properties"] !== undefined) return "object";
  if (schema["items"] !== undefined) return "array";
  if (schema["enum"] !== undefined || schema["const"] !== undefined) return "string";
  return schema["anyOf"] === undefined && schema["oneOf"] === undefined ? "string" : undefined;
}
