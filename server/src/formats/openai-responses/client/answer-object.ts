/** Finds the object of an answer in the bytes that the client gets. */

import { readBoolean, readString, scanObject, type Span } from "#base/json-scan.ts";

type AnswerObject = {
  /** Empty: it has none. */
  readonly id: string;
  /** Whether it says that the upstream keeps it. Undefined: it does not say. */
  readonly store: boolean | undefined;
  /** Where its items stand. Undefined: it has none. */
  readonly output: Span | undefined;
  /** Where it stands in the bytes. */
  readonly start: number;
  readonly end: number;
};

/** @param isStream whether the bytes are the last events of a stream. */
export function findAnswer(bytes: Uint8Array, isStream: boolean): AnswerObject | undefined {
  const found = isStream ? lastResponse(bytes) : { start: 0, end: bytes.length };
  if (found === undefined) return undefined;
  const { start, end } = found;
  const { errorAt, values } = scanObject(bytes, ["id", "output", "store"], { start, end });
  if (errorAt >= 0) return undefined;
  const [id, store] = [values.get("id"), values.get("store")];
  return {
    id: id === undefined ? "" : (readString(bytes, id) ?? ""),
    output: values.get("output"),
    store: store === undefined ? undefined : readBoolean(bytes, store),
    start,
    end,
  };
}

const lineFeed = 0x0a;
const dataField = Buffer.from("data:");

/** Finds the object of the answer in the last event that has one. */
function lastResponse(bytes: Uint8Array): Pick<Span, "end" | "start"> | undefined {
  let found: Span | undefined;
  for (let at = 0; at < bytes.length;) {
    const feed = bytes.indexOf(lineFeed, at);
    const end = feed < 0 ? bytes.length : feed;
    const start = at + dataField.length;
    if (dataField.equals(bytes.subarray(at, start))) {
      found = scanObject(bytes, ["response"], { start, end }).values.get("response") ?? found;
    }
    at = end + 1;
  }
  return found;
}
