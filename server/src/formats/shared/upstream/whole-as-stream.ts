/** Parts of the code that writes whole answers as streams, for upstreams that send no stream. */

import type { Json, JsonObject } from "#base/json.ts";

/** The longest text in one event, in characters: the gateway lets events pass one by one. */
const pieceLengthMax = 4_096;

/** Cuts a text into pieces, none of which ends inside a character; one empty piece: it is empty. */
export function piecesOf(text: string): readonly string[] {
  const pieces: string[] = [];
  for (let at = 0; at < text.length;) {
    const wanted = at + pieceLengthMax;
    const code = text.charCodeAt(wanted - 1);
    const end = wanted < text.length && code >= 0xd800 && code < 0xdc00 ? wanted - 1 : wanted;
    pieces.push(text.slice(at, end));
    at = end;
  }
  return pieces.length === 0 ? [""] : pieces;
}

/** Writes an event without a name. */
export function dataEvent(payload: JsonObject): string {
  return `data: ${JSON.stringify(payload)}\n\n`;
}

/** Writes an event that has the name of its type. */
export function typedEvent(type: string, fields: JsonObject): string {
  return `event: ${type}\n${dataEvent({ type, ...fields })}`;
}

/** An object that is put together of the events of a stream. */
export type Growing = Record<string, Json>;

/** Takes over the fields that say something: later ones replace earlier ones. */
export function takeFields(into: Growing, fields: JsonObject): void {
  for (const [name, value] of Object.entries(fields)) {
    if (value !== null || into[name] === undefined) into[name] = value;
  }
}
