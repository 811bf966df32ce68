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

/** How deep a schema is written; what is deeper takes any object. */
const depthMax = 12;

/** The most bytes that the references of one request may add, written out. */
const referredBytesMax = 64 * 1024;

/** Writes the schemas of one request in the dialect, which has no references: they are written out. */
export type Dialect = {
  /** A reference inside of what it refers to stands for any object there: it would never end. */
  write(schema: JsonObject): JsonObject;
  /** Whether the references would take too much room, so that the schemas are incomplete. */
  isTooLarge(): boolean;
};

export function openDialect(): Dialect {
  const room = { left: referredBytesMax };
  return {
    write(schema) {
      const definitions = { ...objectOf(schema["$defs"]), ...objectOf(schema["definitions"]) };
      return convert(schema, { definitions, sizes: new Map(), open: new Set(), room }, 0);
    },
    isTooLarge: () => room.left < 0,
  };
}

type References = {
  readonly definitions: JsonObject;
  /** The bytes of the definitions that are referred to, by their names. */
  readonly sizes: Map<string, number>;
  /** The names of the definitions that are being written. */
  readonly open: Set<string>;
  readonly room: { left: number };
};

const anyObject: JsonObject = { type: "OBJECT" };

function convert(schema: JsonObject, references: References, depth: number): JsonObject {
  if (depth > depthMax) return anyObject;
  const name = referenceOf(schema);
  if (name !== "") {
    const target = follow(name, references);
    if (target === undefined) return anyObject;
    references.open.add(name);
    const written = convert({ ...target, ...without(schema, "$ref") }, references, depth + 1);
    references.open.delete(name);
    return written;
  }
  const all = listOf(schema["allOf"]);
  return all.length > 0
    ? convertAll(schema, all, references, depth)
    : convertPlain(schema, references, depth);
}

/** Returns the name of the definition that the schema refers to; empty: it refers to none. */
function referenceOf(schema: JsonObject): string {
  const reference = textOf(schema["$ref"]);
  return reference.slice(reference.lastIndexOf("/") + 1);
}

/** Returns what a reference stands for; undefined: it cannot be written out. */
function follow(
  name: string,
  { definitions, sizes, open, room }: References,
): JsonObject | undefined {
  const target = Object.hasOwn(definitions, name) ? asObject(definitions[name]) : undefined;
  if (target === undefined || open.has(name)) return undefined;
  const size = sizes.get(name) ?? JSON.stringify(target).length;
  sizes.set(name, size);
  room.left -= size;
  return room.left < 0 ? undefined : target;
}

/** Converts a schema that has all the properties of others. */
function convertAll(
  schema: JsonObject,
  all: readonly Json[],
  references: References,
  depth: number,
): JsonObject {
  const words = new Map(Object.entries(without(schema, "allOf")));
  const properties = new Map(Object.entries(objectOf(schema["properties"])));
  const required = [...textsOf(schema["required"])];
  const opened: string[] = [];
  for (const part of all) {
    const given = objectOf(part);
    const name = referenceOf(given);
    const resolved = name === "" ? given : (follow(name, references) ?? {});
    if (name !== "" && !references.open.has(name)) opened.push(name);
    for (const [word, value] of Object.entries(resolved)) words.set(word, value);
    for (const [key, each] of Object.entries(objectOf(resolved["properties"]))) {
      properties.set(key, each);
    }
    for (const key of textsOf(resolved["required"])) required.push(key);
  }
  if (properties.size > 0) words.set("properties", Object.fromEntries(properties));
  if (required.length > 0) words.set("required", required);
  for (const name of opened) references.open.add(name);
  const written = convert(Object.fromEntries(words), references, depth + 1);
  for (const name of opened) references.open.delete(name);
  return written;
}

function without(schema: JsonObject, name: string): JsonObject {
  return Object.fromEntries(Object.entries(schema).filter(([key]) => key !== name));
}

function convertPlain(schema: JsonObject, references: References, depth: number): JsonObject {
  const converted: Record<string, Json> = {};
  for (const word of keptWords) {
    const value = schema[word];
    if (value !== undefined) converted[word] = value;
  }
  const below = (value: Json | undefined): JsonObject =>
    convert(objectOf(value), references, depth + 1);

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
