/**
 * Keeps the beginning of an answer's text while the answer passes, and a running estimate of its
 * output tokens. Both serve to count the output if the upstream reports no usage.
 */

import { freeBytes } from "#base/free-bytes.ts";
import { weighText } from "#base/text-weight.ts";

/**
 * The longest text kept for counting, in bytes of JSON string text. The tokens of a longer output
 * are estimated.
 */
export const keptTextMax = 64 * 1024;

const roomMin = 1_024;

/**
 * A run of this many base64 characters in an unscanned event is taken for an image. Such an event
 * is too long to scan and may contain text or images, and an image must not be paid for by its
 * bytes.
 */
const base64RunMin = 512;

/**
 * Estimates the tokens of output that was not scanned and may contain images. Returns sixteenths of
 * a token.
 */
export function weighUnscanned(bytes: Uint8Array, start: number, end: number): number {
  let weight = 0;
  let runStart = start;
  for (let at = start; at <= end; at += 1) {
    if (at < end && isBase64(bytes[at] ?? 0)) continue;
    if (at - runStart < base64RunMin) weight += weighText(bytes, runStart, Math.min(at + 1, end));
    runStart = at + 1;
  }
  return weight;
}

function isBase64(byte: number): boolean {
  const letter = byte | 0x20;
  return (
    (letter >= 0x61 && letter <= 0x7a) ||
    (byte >= 0x2f && byte <= 0x39) || // slash and digits
    byte === 0x2b ||
    byte === 0x3d
  );
}

export type KeptOutput = {
  /** Estimate of the output's tokens so far, in sixteenths of a token. */
  readonly weight: number;
  /** Number of bytes of output so far, as JSON string text. */
  readonly byteCount: number;
  /**
   * Adds output: `texts` are positions in the bytes (start, end, start, end …), `weight` the
   * estimate of their tokens.
   */
  add(bytes: Uint8Array, texts: readonly number[], weight: number): void;
  /** Adds output that could not be scanned, so its text is not kept. */
  addUnread(byteCount: number, weight: number): void;
  /** Replaces the estimate so far by another one, in sixteenths of a token. */
  correct(weight: number): void;
  /** Returns the beginning of the output. `truncated`: the output was longer than the text kept. */
  read(): { readonly text: string; readonly truncated: boolean };
};

export function openKeptOutput(): KeptOutput {
  const kept = { weight: 0, byteCount: 0, add, addUnread, correct, read };
  let room = new Uint8Array(0);
  let length = 0;
  let truncated = false;

  function add(bytes: Uint8Array, texts: readonly number[], weight: number): void {
    kept.weight += weight;
    for (let at = 0; at < texts.length; at += 2) keep(bytes, texts[at] ?? 0, texts[at + 1] ?? 0);
  }

  function keep(bytes: Uint8Array, start: number, end: number): void {
    const after = length + end - start;
    kept.byteCount += end - start;
    truncated ||= after > keptTextMax;
    if (truncated) return;
    if (after > room.length) {
      const bigger = new Uint8Array(Math.max(roomMin, Math.min(2 * after, keptTextMax)));
      bigger.set(room.subarray(0, length));
      freeBytes(room);
      room = bigger;
    }
    // Pieces of output are usually one word long; for a few dozen bytes a loop is cheaper than a
    // view.
    if (end - start > 64) room.set(bytes.subarray(start, end), length);
    else for (let at = start; at < end; at += 1) room[length + at - start] = bytes[at] ?? 0;
    length = after;
  }

  function addUnread(byteCount: number, weight: number): void {
    kept.weight += weight;
    kept.byteCount += byteCount;
    truncated ||= byteCount > 0;
  }

  function correct(weight: number): void {
    kept.weight = weight;
  }

  function read(): { readonly text: string; readonly truncated: boolean } {
    return { text: unescape(room.subarray(0, length)), truncated };
  }

  return kept;
}

/** Returns which share of the output, from 0 to 1, these bytes are. */
export function shareOf(bytes: number, { byteCount }: Pick<KeptOutput, "byteCount">): number {
  return byteCount === 0 ? 0 : bytes / byteCount;
}

const decoder = new TextDecoder("utf-8", { ignoreBOM: true });

/**
 * Decodes the inside of a JSON string; returns it undecoded if the upstream sent invalid escapes.
 */
function unescape(bytes: Uint8Array): string {
  const text = decoder.decode(bytes);
  try {
    return String(JSON.parse(`"${text}"`));
  } catch {
    return text;
  }
}
