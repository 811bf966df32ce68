import { type JsonObject, parseExact } from "#base/json.ts";

/** Reads a body that the gateway itself has written, of which a part belongs elsewhere. */
export function readWritten(body: Uint8Array): JsonObject {
  // Safe cast: the gateway writes nothing but JSON objects.
  return parseExact(new TextDecoder().decode(body)) as JsonObject;
}

export function writeAgain(fields: JsonObject): Uint8Array {
  return new TextEncoder().encode(JSON.stringify(fields));
}
