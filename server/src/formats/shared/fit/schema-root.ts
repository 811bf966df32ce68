import type { Json, JsonObject } from "#base/json.ts";
import { asObject, listOf, objectOf, textOf, textsOf } from "#formats/shared/read-json.ts";

/** A schema whose root is an object, as the input of a tool must be. */
type Root = {
  readonly schema: JsonObject;
  /** Whether it takes the same values as the one it was made of. */
  readonly isExact: boolean;
};

/** Words that upstreams refuse at the root of a tool's schema. */
const refusedWords = ["$ref", "allOf", "anyOf", "const", "enum", "not", "oneOf"] as const;

/** How many references are followed, so that definitions which refer to each other end. */
const followedMax = 64;

/**
 * Lowers the root of a tool's schema: what it says by references and alternatives becomes one list
 * of properties. What then takes more than before is not exact.
 */
export function lowerRoot(schema: JsonObject): Root {
  if (!refusedWords.some((word) => schema[word] !== undefined)) return { schema, isExact: true };
  const definitions = { ...objectOf(schema["$defs"]), ...objectOf(schema["definitions"]) };
  const lowering: Lowering = { definitions, left: followedMax, isExact: true };
  const parts = newParts();
  collect(schema, parts, lowering);
  const { $defs, definitions: older } = schema;
  const lowered = write(parts, lowering);
  return {
    schema: {
      ...lowered,
      ...($defs === undefined ? {} : { $defs }),
      ...(older === undefined ? {} : { definitions: older }),
    },
    isExact: lowering.isExact,
  };
}

type Lowering = { readonly definitions: JsonObject; left: number; isExact: boolean };

/** What a schema says, gathered of all its parts. */
type Parts = {
  readonly words: Map<string, { readonly value: Json; readonly json: string }>;
  readonly properties: Map<string, Said>;
  readonly required: Set<string>;
  /** How many parts allow no other properties, and how many have some. */
  closed: number;
  filled: number;
};

/** What is said of a property. */
type Said = {
  readonly first: Json;
  /** All that is said, by its JSON; null: nothing but the first, so that it need not be written. */
  all: Map<string, Json> | null;
};

function newParts(): Parts {
  const [words, properties, required] = [new Map(), new Map(), new Set<string>()];
  return { words, properties, required, closed: 0, filled: 0 };
}

/** Adds what a schema and all that it refers to say. */
function collect(given: JsonObject, parts: Parts, lowering: Lowering): void {
  const schema = followed(given, lowering);
  for (const [word, value] of Object.entries(schema)) collectWord(word, value, parts, lowering);
  for (const part of listOf(schema["allOf"])) collect(objectOf(part), parts, lowering);
  for (const word of ["anyOf", "oneOf"] as const) {
    const options = listOf(schema[word]).map((option) => followed(objectOf(option), lowering));
    collectAny(options.filter(takesObjects), parts, lowering);
  }
}

function collectWord(word: string, value: Json, parts: Parts, lowering: Lowering): void {
  switch (word) {
    case "$defs":
    case "$ref":
    case "allOf":
    case "anyOf":
    case "definitions":
    case "oneOf":
    case "type":
      return;
    case "const":
    case "enum":
    case "not":
      lowering.isExact = false;
      return;
    case "properties": {
      const properties = Object.entries(objectOf(value));
      if (properties.length > 0) parts.filled += 1;
      for (const [name, each] of properties) addProperty(parts, name, each);
      return;
    }
    case "required":
      for (const name of textsOf(value)) parts.required.add(name);
      return;
    case "additionalProperties":
      if (value === false) {
        parts.closed += 1;
        return;
      }
      break;
    default:
  }
  const json = JSON.stringify(value);
  const known = parts.words.get(word);
  if (known === undefined) parts.words.set(word, { value, json });
  else if (!silentWords.has(word) && known.json !== json) lowering.isExact = false;
}

/** Words that say nothing of what is taken. */
const silentWords: ReadonlySet<string> = new Set([
  "$comment",
  "$id",
  "$schema",
  "default",
  "description",
  "examples",
  "title",
]);

function addProperty({ properties }: Parts, name: string, value: Json): void {
  const known = properties.get(name);
  if (known === undefined) {
    properties.set(name, { first: value, all: null });
    return;
  }
  known.all ??= new Map([[JSON.stringify(known.first), known.first]]);
  known.all.set(JSON.stringify(value), value);
}

/** Writes out a reference at the root. */
function followed(given: JsonObject, lowering: Lowering): JsonObject {
  let schema = given;
  for (;;) {
    const reference = textOf(schema["$ref"]);
    if (reference === "") return schema;
    const name = reference.slice(reference.lastIndexOf("/") + 1);
    const { definitions } = lowering;
    const target = Object.hasOwn(definitions, name) ? asObject(definitions[name]) : undefined;
    lowering.left -= 1;
    const { $ref: _, ...rest } = schema;
    if (target === undefined || lowering.left < 0) {
      lowering.isExact = false;
      return rest;
    }
    schema = { ...target, ...rest };
  }
}

function takesObjects({ type }: JsonObject): boolean {
  return type === undefined || textsOf(type).includes("object");
}

/** Adds what several schemas have in common; alone, all that the only one says. */
function collectAny(options: readonly JsonObject[], parts: Parts, lowering: Lowering): void {
  const [only] = options;
  if (only === undefined) return;
  if (options.length === 1) {
    collect(only, parts, lowering);
    return;
  }
  lowering.isExact = false;
  const kinds = newParts();
  const counts = new Map<string, number>();
  for (const option of options) {
    const own = newParts();
    collect(option, own, lowering);
    for (const [name, said] of own.properties) addProperty(kinds, name, joined("allOf", said));
    for (const name of own.required) counts.set(name, (counts.get(name) ?? 0) + 1);
    if (own.closed > 0) kinds.closed += 1;
  }
  for (const [name, said] of kinds.properties) addProperty(parts, name, joined("anyOf", said));
  for (const [name, count] of counts) if (count === options.length) parts.required.add(name);
  if (kinds.closed === options.length) parts.closed += 1;
  if (kinds.properties.size > 0) parts.filled += 1;
}

/** Returns the only schema of a property, or all of them under a word. */
function joined(word: "allOf" | "anyOf", { first, all }: Said): Json {
  return all === null || all.size === 1 ? first : { [word]: [...all.values()] };
}

function write({ words, properties, required, closed, filled }: Parts, lowering: Lowering) {
  // Each part was closed against the properties of the others.
  if (closed > 0 && filled > 1) lowering.isExact = false;
  const said = [...properties].map(([name, each]) => [name, joined("allOf", each)] as const);
  const rest = [...words].map(([word, { value }]) => [word, value] as const);
  return {
    type: "object",
    ...Object.fromEntries(rest),
    ...(said.length === 0 ? {} : { properties: Object.fromEntries(said) }),
    ...(required.size === 0 ? {} : { required: [...required] }),
    ...(closed > 0 ? { additionalProperties: false } : {}),
  };
}
