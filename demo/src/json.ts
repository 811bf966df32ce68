/** JSON values. */
export type Json = null | boolean | number | string | readonly Json[] | JsonObject;
export type JsonObject = { readonly [key: string]: Json };

export function parseObject(text: string): JsonObject | undefined {
  try {
    // Safe cast: JSON.parse returns what `Json` describes.
    const value = JSON.parse(text) as Json;
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** Parses a list; what is none is an empty one. */
export function parseList(text: string): readonly Json[] {
  const list = parseObject(`{"list":${text}}`)?.["list"];
  return isArray(list) ? list : [];
}

export function isObject(value: Json | undefined): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** `Array.isArray` for readonly arrays, which the built-in function does not narrow. */
export function isArray(value: Json | undefined): value is readonly Json[] {
  return Array.isArray(value);
}

/** Returns the objects of a list; anything else is left out. */
export function objectsOf(value: Json | undefined): readonly JsonObject[] {
  return isArray(value) ? value.filter(isObject) : [];
}
