/** Reads and writes vectors, as numbers or as base64 of little-endian float32. */

import type { Json, JsonObject } from "#base/json.ts";
import { asObject, listOf, numberOf } from "#formats/shared/read-json.ts";

/** Returns a vector. Undefined: the value is none. */
export function vectorOf(value: Json | undefined): readonly number[] | undefined {
  if (typeof value === "string") return fromBase64(value);
  if (!Array.isArray(value)) return undefined;
  const numbers = value.map((each) => numberOf(each));
  return numbers.every((each) => each !== null) ? numbers : undefined;
}

/** Returns the vectors of a list, or of objects in it. Undefined: one of them is none. */
export function vectorsOf(
  list: Json | undefined,
  of: (each: Json) => Json | undefined = (each) => each,
): readonly (readonly number[])[] | undefined {
  const vectors = listOf(list).map((each) => vectorOf(of(each)));
  const isWhole = vectors.length > 0 && vectors.every((each) => each !== undefined);
  return isWhole ? vectors : undefined;
}

/** Sorts the objects of a list by the number in a field, as answers may come in another order. */
export function sortedBy(list: Json | undefined, field: string): readonly JsonObject[] {
  const objects = listOf(list).map((each) => asObject(each) ?? {});
  return objects.toSorted((a, b) => (numberOf(a[field]) ?? 0) - (numberOf(b[field]) ?? 0));
}

const floatBytes = 4;

function fromBase64(text: string): readonly number[] | undefined {
  const bytes = Buffer.from(text, "base64");
  if (bytes.length === 0 || bytes.length % floatBytes !== 0) return undefined;
  return Array.from({ length: bytes.length / floatBytes }, (_, at) =>
    bytes.readFloatLE(at * floatBytes),
  );
}

export function toBase64(vector: readonly number[]): string {
  const bytes = Buffer.alloc(vector.length * floatBytes);
  vector.forEach((value, at) => bytes.writeFloatLE(value, at * floatBytes));
  return bytes.toString("base64");
}
