/**
 * Finds images, audio and files anywhere in a JSON body, by the fields in which formats carry their
 * bytes. They are not priced by their bytes, so the hold counts them separately.
 */

import {
  type Cursor,
  enterArray,
  enterObject,
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

/** Fields whose value is base64, or a data URL with it. */
const dataKeys = ["data", "file_data", "image_url", "url", "bytes"] as const;

/** A shorter value is a name or an address, or costs no more as text. */
const dataBytesMin = 512;

/** Longer media count more than once: their price grows with their length. */
const bytesPerPart = 256 * 1024;

type CountedMedia = {
  /** Number of media parts, for each of which a fixed number of tokens is held. */
  readonly count: number;
  /** Bytes of the request that are media, not text. */
  readonly byteCount: number;
  /** Positions of the media: start, end, start, end … */
  readonly spans: readonly number[];
};

type Counting = { count: number; byteCount: number; readonly spans: number[] };

const cursor = newCursor();

/** Counts the media in a body that is known to be valid JSON. */
export function countMedia(bytes: Uint8Array): CountedMedia {
  const found: Counting = { count: 0, byteCount: 0, spans: [] };
  if (bytes.length < dataBytesMin) return found;
  setCursor(cursor, bytes, 0, bytes.length);
  countIn(cursor, found);
  return found;
}

function countIn(c: Cursor, found: Counting): void {
  if (c.bytes[c.at] === openBracket) {
    for (let more = enterArray(c); more; more = nextElement(c)) countIn(c, found);
  } else if (c.bytes[c.at] === openBrace) {
    for (let more = enterObject(c); more; more = nextKey(c)) {
      const isData = c.bytes[c.at] === quote && dataKeys.some((key) => keyIs(c, key));
      if (isData) countData(c, found);
      else countIn(c, found);
    }
  } else skipValue(c);
}

function countData(c: Cursor, found: Counting): void {
  const start = c.at + 1;
  skipValue(c);
  const end = c.at - 1;
  if (end - start < dataBytesMin || !isBase64(c.bytes, start, end)) return;
  found.count += 1 + Math.floor((end - start) / bytesPerPart);
  found.byteCount += end - start;
  found.spans.push(start, end);
}

/** How many bytes at the end of a value are looked at. */
const tailBytes = 256;

/** Whether the value ends like base64. Text for the model has blanks or other characters. */
function isBase64(bytes: Uint8Array, start: number, end: number): boolean {
  for (let at = Math.max(start, end - tailBytes); at < end; at += 1) {
    const byte = bytes[at] ?? 0;
    const letter = byte | 0x20;
    const isKnown =
      (letter >= 0x61 && letter <= 0x7a) ||
      (byte >= 0x2d && byte <= 0x39) ||
      byte === 0x2b ||
      byte === 0x3d ||
      byte === 0x5f ||
      byte === 0x5c;
    if (!isKnown) return false;
  }
  return true;
}
