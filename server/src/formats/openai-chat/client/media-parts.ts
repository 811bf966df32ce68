/**
 * Finds images, audio and files in the bytes of a chat request. They are not priced by their bytes,
 * so the hold counts them separately.
 */

import {
  type Cursor,
  enterArray,
  enterObject,
  isText,
  keyIs,
  newCursor,
  nextElement,
  nextKey,
  openBrace,
  openBracket,
  quote,
  setCursor,
  skipValue,
} from "#base/json-cursor.ts";
import type { Span } from "#base/json-scan.ts";

/**
 * Audio and files are priced by their length, which is estimated by the length of their base64:
 * each further 256 kB counts as one more part. A minute of MP3 has about 1 MB and 600 tokens, a
 * page of PDF 100 kB and 1,500.
 */
const bytesPerPart = 256 * 1024;

/** Types of parts whose price does not depend on their bytes. */
const imageTypes = ["image_url", "input_image", "image"];

/**
 * Types of parts whose price depends on their bytes. Parts of a type in neither list count as text.
 */
const longTypes = [
  "input_audio",
  "audio_url",
  "file",
  "input_file",
  "document_url",
  "video",
  "video_url",
  "input_video",
];

type MediaParts = {
  /**
   * Number of media parts, for each of which a fixed number of tokens is held. Long ones count more
   * than once.
   */
  readonly count: number;
  /** Bytes of the request that are media, not text. */
  readonly byteCount: number;
  /** Positions of the media: start, end, start, end … */
  readonly spans: readonly number[];
};

export const noMedia: MediaParts = { count: 0, byteCount: 0, spans: [] };

/**
 * Every media part contains this text. In a request without it there is no need to search for
 * media.
 */
const typeKey = Buffer.from('"type"');

const cursor = newCursor();

/** Counts the media in the value of `messages`, which `scanObject` has checked. */
export function countMedia(bytes: Uint8Array, messages: Span): MediaParts {
  if (messages.kind !== "array") return noMedia;
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const first = text.indexOf(typeKey, messages.start);
  if (first < 0 || first >= messages.end) return noMedia;
  const found: Counted = { count: 0, byteCount: 0, spans: [] };
  setCursor(cursor, bytes, messages.start, messages.end);
  for (let more = enterArray(cursor); more; more = nextElement(cursor)) {
    if (bytes[cursor.at] === openBrace) countInMessage(cursor, found);
    else skipValue(cursor);
  }
  return found;
}

type Counted = { count: number; byteCount: number; readonly spans: number[] };

function countInMessage(c: Cursor, found: Counted): void {
  for (let more = enterObject(c); more; more = nextKey(c)) {
    if (!keyIs(c, "content") || c.bytes[c.at] !== openBracket) {
      skipValue(c);
      continue;
    }
    for (let part = enterArray(c); part; part = nextElement(c)) {
      if (c.bytes[c.at] === openBrace) countPart(c, found);
      else skipValue(c);
    }
  }
}

function countPart(c: Cursor, found: Counted): void {
  const start = c.at;
  let typeStart = 0;
  let typeEnd = 0;
  for (let more = enterObject(c); more; more = nextKey(c)) {
    const { at } = c;
    const isType = keyIs(c, "type") && c.bytes[at] === quote;
    skipValue(c);
    if (!isType) continue;
    typeStart = at + 1;
    typeEnd = c.at - 1;
  }
  const isOneOf = (types: readonly string[]) =>
    types.some((type) => isText(c.bytes, typeStart, typeEnd, type));
  const isImage = isOneOf(imageTypes);
  if (c.failed || (!isImage && !isOneOf(longTypes))) return;
  const byteCount = c.at - start;
  found.byteCount += byteCount;
  found.spans.push(start, c.at);
  found.count += isImage ? 1 : 1 + Math.floor(byteCount / bytesPerPart);
}
