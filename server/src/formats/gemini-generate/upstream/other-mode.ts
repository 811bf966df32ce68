/** Writes whole answers of generateContent as streams, and puts such streams together. */

import type { Json, JsonObject } from "#base/json.ts";
import type { OtherMode } from "#formats/format.ts";
import { listOf, numberOf, objectOf, textOf } from "#formats/shared/read-json.ts";
import {
  dataEvent,
  type Growing,
  piecesOf,
  takeFields,
} from "#formats/shared/upstream/whole-as-stream.ts";

function toStream(answer: JsonObject): string {
  const { candidates, usageMetadata: _, ...head } = answer;
  let written = "";
  for (const [at, each] of listOf(candidates).entries()) {
    const { content, index = at } = objectOf(each);
    const { parts, role = "model" } = objectOf(content);
    for (const part of listOf(parts).flatMap(partPieces)) {
      written += dataEvent({ ...head, candidates: [{ index, content: { role, parts: [part] } }] });
    }
  }
  const ends = listOf(candidates).map((each, at) => {
    const { content, ...candidate } = objectOf(each);
    const { role = "model" } = objectOf(content);
    return { index: at, ...candidate, content: { role, parts: [{ text: "" }] } };
  });
  const last = candidates === undefined ? answer : { ...answer, candidates: ends };
  return written + dataEvent(last);
}

/** A signature belongs to all of its text, and stands beside the last piece. */
function partPieces(each: Json): JsonObject[] {
  const part = objectOf(each);
  const { text, thought, ...rest } = part;
  if (typeof text !== "string") return [part];
  const kind = thought === undefined ? {} : { thought };
  const pieces = piecesOf(text);
  return pieces.map((piece, at) => {
    const said = { text: piece, ...kind };
    return at === pieces.length - 1 ? { ...said, ...rest } : said;
  });
}

/** What was read of a candidate. */
type Candidate = { readonly fields: Growing; readonly parts: Growing[]; role: string };

function toWhole(events: readonly JsonObject[]): JsonObject | undefined {
  const head: Growing = {};
  const candidates = new Map<number, Candidate>();
  for (const { candidates: listed, ...fields } of events) {
    takeFields(head, fields);
    for (const each of listOf(listed)) {
      const { content, ...rest } = objectOf(each);
      const index = numberOf(rest["index"]) ?? 0;
      const known = candidates.get(index) ?? { fields: {}, parts: [], role: "model" };
      candidates.set(index, known);
      takeFields(known.fields, rest);
      const { parts, role } = objectOf(content);
      known.role = textOf(role) || known.role;
      for (const part of listOf(parts)) addPart(known.parts, objectOf(part));
    }
  }
  if (candidates.size === 0) return events.length === 0 ? undefined : head;
  const made = [...candidates].map(([index, { fields, parts, role }]) => ({
    content: { role, parts },
    ...fields,
    index,
  }));
  return { ...head, candidates: made.toSorted((one, other) => one.index - other.index) };
}

/** Adds a part. A text goes on with the text before it, unless that has ended with a signature. */
function addPart(parts: Growing[], part: JsonObject): void {
  const last = parts.at(-1);
  const { text, thought, ...rest } = part;
  const isEmpty = text === "" && Object.keys(rest).length === 0;
  const isSame =
    typeof text === "string" &&
    typeof last?.["text"] === "string" &&
    last["thought"] === thought &&
    last["thoughtSignature"] === undefined;
  if (isSame) {
    last["text"] = textOf(last["text"]) + text;
    takeFields(last, rest);
  } else if (!isEmpty) parts.push({ ...part });
}

/** A server may answer with a stream where none was asked for, or the other way round. */
export const otherMode: OtherMode = { toStream, toWhole };
