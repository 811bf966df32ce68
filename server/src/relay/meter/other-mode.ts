/**
 * Reads answers in the other mode than they were asked for: a stream to a call that asked for none,
 * and a whole answer to one that asked for a stream. Such an answer is paid for as any other.
 */

import { FrameError } from "#base/frames/frame.ts";
import type { JsonObject } from "#base/json.ts";
import { openSseReader } from "#base/sse.ts";
import type { Modality } from "#canonical/modality.ts";
import type { OtherMode } from "#formats/format.ts";
import { asObject, listOf, objectOf, parseWhole } from "#formats/shared/read-json.ts";
import { dataEvent } from "#formats/shared/upstream/whole-as-stream.ts";

const [openBrace, openBracket] = [0x7b, 0x5b];

/** Returns where the first byte stands that is no blank; the length of the bytes: there is none. */
function firstByte(bytes: Uint8Array): number {
  let at = bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? 3 : 0;
  while (at < bytes.length && isBlank(bytes[at] ?? 0)) at += 1;
  return at;
}

function isBlank(byte: number): boolean {
  return byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09;
}

/** How the body of an answer begins; `blank`: that cannot be seen yet. */
type Beginning = "blank" | "json" | "other" | "stream";

export function beginningOf(bytes: Uint8Array): Beginning {
  const at = firstByte(bytes);
  if (at === bytes.length) return "blank";
  const byte = bytes[at];
  if (byte === openBrace || byte === openBracket) return "json";
  return looksStreamed(bytes) ? "stream" : "other";
}

/** Whether bytes begin as a stream of server-sent events. */
export function looksStreamed(bytes: Uint8Array): boolean {
  const at = firstByte(bytes);
  const begin = new TextDecoder("latin1").decode(bytes.subarray(at, at + 6));
  return /^(?::|data:|event:|id:|retry:)/.test(begin);
}

/**
 * Returns the events of a stream that came as one JSON list, which is how Google's servers stream
 * where events are not asked for. Other bytes are returned as they are.
 */
export function listAsStream(bytes: Uint8Array): Uint8Array {
  if (bytes[firstByte(bytes)] !== openBracket) return bytes;
  const list = parseWhole(new TextDecoder().decode(bytes));
  if (!Array.isArray(list)) return bytes;
  return new TextEncoder().encode(
    listOf(list)
      .map((each) => dataEvent(objectOf(each)))
      .join(""),
  );
}

/** Writes a whole answer as a stream. Undefined: it is not JSON. */
export function asStream(
  { toStream }: OtherMode,
  bytes: Uint8Array,
  modality: Modality,
): Uint8Array | undefined {
  const listed = listAsStream(bytes);
  if (listed !== bytes) return listed;
  const answer = asObject(parseWhole(new TextDecoder().decode(bytes)));
  return answer === undefined ? undefined : new TextEncoder().encode(toStream(answer, modality));
}

/** Puts a stream together as a whole answer. Undefined: it is none. */
export function asWhole({ toWhole }: OtherMode, bytes: Uint8Array): Uint8Array | undefined {
  const answer = toWhole(payloadsOf(bytes));
  return answer === undefined ? undefined : new TextEncoder().encode(JSON.stringify(answer));
}

/** Returns what the events carry that are JSON; none: one of them is too long. */
function payloadsOf(bytes: Uint8Array): JsonObject[] {
  const reader = openSseReader();
  try {
    const frames = [...reader.push(bytes), ...reader.end()];
    return frames.flatMap(({ data }) => {
      const payload = asObject(parseWhole(data));
      return payload === undefined ? [] : [payload];
    });
  } catch (error) {
    if (error instanceof FrameError) return [];
    throw error;
  }
}
