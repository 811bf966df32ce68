const backslash = 0x5c;

/** How many backslashes are found by the native search before the bytes are counted in words. */
const searchedMax = 64;

/**
 * Whether there are more than so many backslashes in the bytes of a JSON text. A parser takes longer
 * for an escape than for any number of letters before it. Reads at most all bytes once, four at a time.
 */
export function hasMoreEscapes(bytes: Uint8Array, most: number): boolean {
  if (bytes.length <= most) return false;
  let at = -1;
  // Most texts have few of them, or none.
  for (let count = 0; count < searchedMax; count += 1) {
    at = bytes.indexOf(backslash, at + 1);
    if (at < 0) return false;
  }
  return countIn(bytes, at + 1) > most - searchedMax;
}

/** Counts the backslashes from an index on. */
function countIn(bytes: Uint8Array, start: number): number {
  let at = start;
  let count = 0;
  while (at < bytes.length && (bytes.byteOffset + at) % 4 !== 0) {
    if (bytes[at] === backslash) count += 1;
    at += 1;
  }
  const words = new Int32Array(bytes.buffer, bytes.byteOffset + at, (bytes.length - at) >> 2);
  for (let index = 0; index < words.length; index += 1) {
    // A byte becomes 0 if it is a backslash. Its highest bit is then set, and no other bit is.
    const word = (words[index] ?? 0) ^ 0x5c5c5c5c;
    const hits = ~(((word & 0x7f7f7f7f) + 0x7f7f7f7f) | word | 0x7f7f7f7f);
    // Adds the four bits up in the highest byte.
    if (hits !== 0) count += Math.imul(hits >>> 7, 0x01010101) >>> 24;
  }
  for (at += words.length * 4; at < bytes.length; at += 1) {
    if (bytes[at] === backslash) count += 1;
  }
  return count;
}
