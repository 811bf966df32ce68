/**
 * Removes from an upstream's message what it quotes of the client's request, before the message is
 * stored or logged: texts of calls are private, and an error often repeats a part of them.
 */

/** The shortest quotation that is removed, in characters. */
const quotedMin = 16;

/** Stands for what was removed. */
const removed = "[…]";

/** A longer request is not searched, because that would take too long: the whole message goes. */
const requestBytesMax = 1024 * 1024;

/** The longest message that is searched, in characters; the rest is cut off. */
const messageMax = 2_000;

/**
 * Removes every run of 16 characters or more that occurs in the request.
 *
 * @param request the body of the request; empty: it is not in memory any more.
 */
export function cutQuotes(message: string, request: Uint8Array): string {
  const text = message.slice(0, messageMax);
  if (text.length < quotedMin) return text;
  if (request.length === 0 || request.length > requestBytesMax) return removed;
  const places = findPlaces(even(text), even(textsOf(request)));
  if (places.length === 0) return text;
  let left = "";
  let from = 0;
  for (const { start, end } of places) {
    left += text.slice(from, start) + removed;
    from = end;
  }
  return left + text.slice(from);
}

type Place = { readonly start: number; end: number };

/** Finds the runs of the message that occur in the request, in order; none of them overlap. */
function findPlaces(message: string, request: string): Place[] {
  const parts = new Map<string, number[]>();
  for (let at = 0; at + quotedMin <= message.length; at += 1) {
    const part = message.slice(at, at + quotedMin);
    const known = parts.get(part);
    if (known === undefined) parts.set(part, [at]);
    else known.push(at);
  }
  const found = new Set<number>();
  // Nearly all parts of a request are not quoted, so most are told apart by two characters.
  const beginnings = new Uint8Array(0x1_0000);
  for (const part of parts.keys()) beginnings[beginningOf(part, 0)] = 1;
  for (let at = 0; at + quotedMin <= request.length; at += 1) {
    if (beginnings[beginningOf(request, at)] !== 1) continue;
    for (const place of parts.get(request.slice(at, at + quotedMin)) ?? []) found.add(place);
  }
  const places: Place[] = [];
  for (const start of [...found].toSorted((a, b) => a - b)) {
    const last = places.at(-1);
    if (last !== undefined && start <= last.end) last.end = start + quotedMin;
    else places.push({ start, end: start + quotedMin });
  }
  return places;
}

function beginningOf(text: string, at: number): number {
  return (text.charCodeAt(at) * 257 + text.charCodeAt(at + 1)) & 0xffff;
}

/**
 * Makes characters equal that upstreams and `scrubMessage` exchange: white space, control characters
 * and angle brackets. Every character stays one.
 */
function even(text: string): string {
  return text.replaceAll(/[\s\p{Cc}<>]/gu, " ");
}

/**
 * Returns all texts of a request, also as they are written in JSON. The model's name is left out,
 * because the log names it anyway.
 */
function textsOf(request: Uint8Array): string {
  const written = new TextDecoder().decode(request);
  try {
    const body: unknown = JSON.parse(written);
    const texts: string[] = [];
    collect(body, texts, true);
    // The second form has the escapes, which an upstream may have quoted as they are.
    return texts.map((text) => `${text}\u0001${JSON.stringify(text)}`).join("\u0001");
  } catch {
    return written;
  }
}

function collect(value: unknown, texts: string[], isTop: boolean): void {
  if (typeof value === "string") texts.push(value);
  else if (Array.isArray(value)) for (const one of value) collect(one, texts, false);
  else if (typeof value === "object" && value !== null) {
    for (const [key, one] of Object.entries(value)) {
      if (!isTop || key !== "model") collect(one, texts, false);
    }
  }
}
