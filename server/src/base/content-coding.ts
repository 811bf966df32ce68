/** Content codings of HTTP bodies: RFC 9110, section 8.4.1. */

import type { Transform } from "node:stream";
import {
  brotliDecompress,
  createBrotliDecompress,
  createGunzip,
  createInflate,
  createInflateRaw,
  gunzip,
  inflate,
  inflateRaw,
} from "node:zlib";

/** A coding that `unpack` knows. */
export type ContentCoding = "br" | "deflate" | "gzip";

const known: Readonly<Record<string, ContentCoding>> = {
  br: "br",
  deflate: "deflate",
  gzip: "gzip",
  "x-gzip": "gzip",
};

/**
 * Further codings that IANA has registered (read 2026-11-23). A body with one of them is not what
 * it seems.
 */
const unpackable: ReadonlySet<string> = new Set([
  "aes128gcm",
  "compress",
  "dcb",
  "dcz",
  "exi",
  "pack200-gzip",
  "x-compress",
  "zstd",
]);

/**
 * Returns the coding that a `Content-Encoding` names; null: none. Programs also send values that
 * are no coding, such as `none` or `utf-8`, with a body that has none. `unknown`: a coding that
 * `unpack` does not know, or several: unpacking twice would multiply the ratio.
 */
export function readCoding(header: string | null): ContentCoding | "unknown" | null {
  if (header === null || header === "identity") return null;
  const names = header
    .toLowerCase()
    .split(",")
    .map((name) => name.trim())
    .filter((name) => Object.hasOwn(known, name) || unpackable.has(name));
  const [name] = names;
  if (name === undefined) return null;
  return (names.length === 1 ? known[name] : undefined) ?? "unknown";
}

/**
 * Unpacks a body on another thread.
 *
 * @returns `too-large`: it exceeds `bytesMax`; `broken`: it is not of this coding.
 */
export async function unpack(
  coding: ContentCoding,
  packed: Uint8Array,
  bytesMax: number,
): Promise<Buffer | "broken" | "too-large"> {
  const maxOutputLength = Math.max(1, bytesMax);
  return await new Promise((resolve) => {
    const unpacked = (error: Error | null, bytes: Buffer): void => {
      if (error === null) resolve(bytes);
      else {
        const isLarge = "code" in error && error.code === "ERR_BUFFER_TOO_LARGE";
        resolve(isLarge ? "too-large" : "broken");
      }
    };
    switch (coding) {
      case "br":
        brotliDecompress(packed, { maxOutputLength }, unpacked);
        break;
      case "deflate":
        if (hasZlibHeader(packed)) inflate(packed, { maxOutputLength }, unpacked);
        else inflateRaw(packed, { maxOutputLength }, unpacked);
        break;
      case "gzip":
        gunzip(packed, { maxOutputLength }, unpacked);
    }
  });
}

/**
 * Opens a stream that unpacks a body piece by piece, on another thread. It works no further ahead
 * of its reader than its buffer.
 *
 * @param first the first bytes of the body.
 */
export function openUnpacking(coding: ContentCoding, first: Uint8Array): Transform {
  switch (coding) {
    case "br":
      return createBrotliDecompress();
    case "deflate":
      return hasZlibHeader(first) ? createInflate() : createInflateRaw();
    case "gzip":
      return createGunzip();
  }
}

/**
 * Whether `deflate` has the zlib header that the standard asks for; some programs leave it out. Its
 * two bytes, as one number, are a multiple of 31 (RFC 1950, section 2.2).
 */
function hasZlibHeader(packed: Uint8Array): boolean {
  const [first = 0, second = 0] = packed;
  return (first & 0x0f) === 8 && ((first << 8) | second) % 31 === 0;
}
