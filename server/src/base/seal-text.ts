/** Compresses and seals the texts of calls, and the reverse. */

import { openBytes, sealBytes } from "#base/secrets.ts";

const noBytes = new Uint8Array();

/** @param context names the place of the text; only with the same context is it opened. */
export function sealText(key: Uint8Array, context: string, text: string): Uint8Array {
  return text === "" ? noBytes : sealBytes(key, context, Bun.zstdCompressSync(Buffer.from(text)));
}

/** @throws SecretError when the text was sealed for another place or with another key. */
export function unsealText(key: Uint8Array, context: string, sealed: Uint8Array): string {
  if (sealed.length === 0) return "";
  return Bun.zstdDecompressSync(openBytes(key, context, sealed)).toString();
}
