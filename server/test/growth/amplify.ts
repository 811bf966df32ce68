/** Makes a JSON value as hard as its sender can make it, whatever it means. */

import type { Json, JsonObject } from "#base/json.ts";

type Amplified = { readonly name: string; readonly make: (bytes: number) => Json };

/** Fields whose texts say what a value is: with others, nothing behind them would be read. */
const words: ReadonlySet<string> = new Set([
  "author",
  "event",
  "finishReason",
  "finish_reason",
  "model",
  "object",
  "role",
  "status",
  "stop_reason",
  "type",
]);

const repeated =
  (piece: string) =>
  (bytes: number): string =>
    piece.repeat(bytes / piece.length);

/** Parts that differ, about eight bytes each. */
const joined =
  (separator: string) =>
  (bytes: number): string =>
    Array.from({ length: bytes / 8 }, (_, index) => `k${index}`).join(separator);

/** What texts are filled with. */
const fillings: Readonly<Record<string, (bytes: number) => string>> = {
  "one long word": repeated("a"),
  spaces: repeated(" "),
  "line breaks": repeated("\n"),
  escapes: repeated('\\"'),
  brackets: repeated('[{"'),
  tags: repeated("<think>"),
  "base64 and addresses": repeated("data:image/png;base64,aW1hZ2U=,http://a.b/c "),
  "different lines": joined("\n"),
  "different names": joined(","),
};

/** How deep a value nests that is still read, and one that is not. */
const [readDepth, unreadDepth] = [40, 2_000];

/** @param isWord whether the texts of a field stay; left out: those that say what a value is. */
export function amplify(
  sample: Json,
  isWord: (field: string) => boolean = (field) => words.has(field),
): readonly Amplified[] {
  const texts = Object.entries(fillings).map(([name, fill]) => ({
    name: `texts of ${name}`,
    make: (bytes: number) => {
      const count = countTexts(sample, isWord);
      return withTexts(sample, isWord, fill(bytes / Math.max(1, count)));
    },
  }));
  const lists = listPaths(sample).map((path) => ({
    name: `many of ${path.join(".") || "all"}`,
    make: (bytes: number) => at(sample, path, (list) => repeat(list, bytes)),
  }));
  const objects = objectPaths(sample)
    .slice(0, objectsMax)
    .map((path) => ({
      name: `many keys of ${path.join(".") || "all"}`,
      make: (bytes: number) => at(sample, path, (object) => withKeys(object, bytes)),
    }));
  return [
    ...texts,
    ...lists,
    ...objects,
    {
      name: "values that nest",
      make: (bytes) => at(sample, [], (object) => withNested(object, bytes, readDepth)),
    },
    {
      name: "values that nest beyond measure",
      make: (bytes) => at(sample, [], (object) => withNested(object, bytes, unreadDepth)),
    },
  ];
}

/** How many objects of a sample get many keys, and how many lists many elements, each on their own. */
const objectsMax = 4;
const listsMax = 8;

/** How many texts of a sample are filled on their own. */
const textsMax = 16;

/** Fills one text at a time, and empties the lists, so that nothing else is refused before it. */
export function amplifyEach(sample: Json): readonly Amplified[] {
  const bare = withoutElements(sample);
  const paths = pathsOf(bare, (value) => typeof value === "string").slice(0, textsMax);
  return paths.flatMap((path) =>
    Object.entries(fillings).map(([name, fill]) => ({
      name: `${path.join(".")} of ${name}`,
      make: (bytes: number) => at(bare, path, () => fill(bytes)),
    })),
  );
}

function withoutElements(value: Json): Json {
  if (Array.isArray(value)) return [];
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, each]) => [key, withoutElements(each)]),
  );
}

type Path = readonly (number | string)[];

function isObject(value: Json | undefined): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function entriesOf(value: Json): readonly (readonly [number | string, Json])[] {
  if (Array.isArray(value)) return value.map((each: Json, index) => [index, each] as const);
  return isObject(value) ? Object.entries(value) : [];
}

function pathsOf(value: Json, fits: (value: Json) => boolean, path: Path = []): Path[] {
  const below = entriesOf(value).flatMap(([key, each]) => pathsOf(each, fits, [...path, key]));
  return fits(value) ? [path, ...below] : below;
}

function listPaths(sample: Json): readonly Path[] {
  return pathsOf(sample, (value) => Array.isArray(value) && value.length > 0).slice(0, listsMax);
}

function objectPaths(sample: Json): readonly Path[] {
  return pathsOf(sample, isObject);
}

/** Returns the value with another one at the end of the path. */
function at(value: Json, path: Path, change: (value: Json) => Json): Json {
  const [key, ...rest] = path;
  if (key === undefined) return change(value);
  if (Array.isArray(value)) {
    return value.map((each: Json, index) => (index === key ? at(each, rest, change) : each));
  }
  if (!isObject(value)) return value;
  return { ...value, [key]: at(value[key] ?? null, rest, change) };
}

function repeat(list: Json, bytes: number): Json {
  if (!Array.isArray(list)) return list;
  const each = JSON.stringify(list).length;
  return Array.from({ length: Math.max(1, bytes / each) }, () => list as Json[]).flat();
}

function withKeys(object: Json, bytes: number): Json {
  const keys = Array.from({ length: bytes / 16 }, (_, index) => [`key_${index}`, index] as const);
  return { ...Object(object), ...Object.fromEntries(keys) } as JsonObject;
}

/** Adds as many nested values as take so many bytes. The deepest are parsed from text, made flat. */
function withNested(object: Json, bytes: number, depth: number): Json {
  const one = JSON.parse(`${'{"a":['.repeat(depth / 2)}1${"]}".repeat(depth / 2)}`) as Json;
  const count = Math.max(1, bytes / (depth * 4));
  const nested = Object.fromEntries(
    Array.from({ length: count }, (_, index) => [`n${index}`, one]),
  );
  return { ...Object(object), ...nested } as JsonObject;
}

function countTexts(value: Json, isWord: (field: string) => boolean, field = ""): number {
  if (typeof value === "string") return isWord(field) ? 0 : 1;
  return entriesOf(value).reduce(
    (sum, [key, each]) => sum + countTexts(each, isWord, typeof key === "string" ? key : field),
    0,
  );
}

function withTexts(
  value: Json,
  isWord: (field: string) => boolean,
  text: string,
  field = "",
): Json {
  if (typeof value === "string") return isWord(field) ? value : text;
  if (Array.isArray(value)) {
    return value.map((each: Json) => withTexts(each, isWord, text, field));
  }
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, each]) => [key, withTexts(each, isWord, text, key)]),
  );
}
