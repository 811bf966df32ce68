/**
 * Writes the tokens that the gateway has counted into an answer in place of those that the upstream
 * told, so that a client is told what is charged. Every other byte stays.
 */

import type { Json, JsonObject } from "#base/json.ts";
import { scanObject } from "#base/json-scan.ts";
import type { Usage } from "#canonical/usage.ts";
import type { UsageWords } from "#formats/format.ts";
import { asObject, objectOf, parseJson } from "#formats/shared/read-json.ts";

const closeBrace = 0x7d;
const blankOrBrace: ReadonlySet<number | undefined> = new Set([0x20, 0x09, 0x0a, 0x0d, 0x7b]);

/** Returns a whole answer that tells these tokens; the same bytes if it is no JSON object. */
export function tellInAnswer(bytes: Uint8Array, words: UsageWords, usage: Usage): Uint8Array {
  const { errorAt, values } = scanObject(bytes, [words.field]);
  if (errorAt >= 0) return bytes;
  const span = values.get(words.field);
  if (span !== undefined) {
    const old = parseJson(textOf(bytes.subarray(span.start, span.end)));
    const told = JSON.stringify(renewed(old, words, usage));
    return joined(bytes.subarray(0, span.start), told, bytes.subarray(span.end));
  }
  const end = bytes.lastIndexOf(closeBrace);
  const told = `"${words.field}":${JSON.stringify(words.write(usage))}`;
  const isEmpty = bytes.subarray(0, end).every((byte) => blankOrBrace.has(byte));
  return joined(bytes.subarray(0, end), isEmpty ? told : `,${told}`, bytes.subarray(end));
}

/** Writes the counts, and keeps what the old object says in words, such as its service tier. */
function renewed(old: Json | undefined, words: UsageWords, usage: Usage): JsonObject {
  const kept = Object.entries(objectOf(old)).filter(([, value]) => typeof value === "string");
  return { ...Object.fromEntries(kept), ...words.write(usage) };
}

type Telling = {
  readonly usage: Usage;
  readonly model: string;
  /** Whether to add an event where none of them tells the tokens. */
  readonly adds: boolean;
};

/** Returns the last events of a stream, of which the last one with usage tells these tokens. */
export function tellInEvents(tail: Uint8Array, words: UsageWords, telling: Telling): Uint8Array {
  const events = textOf(tail).split(/(?<=\n\n|\r\n\r\n|\r\r)/);
  const parsed = events.map((event) => objectIn(dataOf(event)));
  let at = parsed.findLastIndex((event) => hasUsage(event, words));
  if (at < 0) at = parsed.findLastIndex((event) => event !== undefined && words.mayHave?.(event));
  const event = events[at];
  if (event !== undefined) {
    const data = dataOf(event);
    events[at] = event.replace(data, () => tellInData(data, words, telling.usage));
    return Buffer.from(events.join(""));
  }
  const added = words.event?.(words.write(telling.usage), telling.model);
  if (!telling.adds || added === undefined) return tail;
  const over = events.findIndex((text) => dataOf(text) === "[DONE]");
  const place = over < 0 ? events.length : over;
  return Buffer.from(events.toSpliced(place, 0, `data: ${JSON.stringify(added)}\n\n`).join(""));
}

/** A text that cannot be one is not parsed: a thousand errors take as long as a long answer. */
function objectIn(data: string): JsonObject | undefined {
  return data.startsWith("{") ? asObject(parseJson(data)) : undefined;
}

function hasUsage(event: JsonObject | undefined, { field, within }: UsageWords): boolean {
  const holder = within === undefined ? event : asObject(event?.[within]);
  return asObject(holder?.[field]) !== undefined;
}

function tellInData(data: string, words: UsageWords, usage: Usage): string {
  const bytes = Buffer.from(data);
  if (words.within === undefined) return textOf(tellInAnswer(bytes, words, usage));
  const span = scanObject(bytes, [words.within]).values.get(words.within);
  if (span === undefined) return data;
  const inner = textOf(tellInAnswer(bytes.subarray(span.start, span.end), words, usage));
  return textOf(joined(bytes.subarray(0, span.start), inner, bytes.subarray(span.end)));
}

/** Returns the data of an event that has one line of it; empty: it has none, or more. */
function dataOf(event: string): string {
  if (!event.includes("data:")) return "";
  const lines = event.split(/\r\n|\n|\r/).filter((line) => line.startsWith("data:"));
  return lines.length === 1 ? (lines[0] ?? "").slice("data:".length).trim() : "";
}

function textOf(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString();
}

function joined(before: Uint8Array, text: string, after: Uint8Array): Uint8Array {
  return Buffer.concat([before, Buffer.from(text), after]);
}
