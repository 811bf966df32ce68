/**
 * Tells whether a scan of JSON bytes passes a key of a list, so that only then the bytes are read for
 * what stands there.
 */

const tableSize = 4_096;

/** A list of keys: a mark for each, at the place of its hash. */
export type WatchedKeys = Uint8Array;

/** What the running scan watches for; null: nothing. */
let watched: WatchedKeys | null = null;
let isPassed = false;

/**
 * Prepares a list of keys, which must be ASCII. Whether a key is in it is answered by its hash: it
 * may be yes for another key, and is yes for one with an escape or a letter beyond ASCII.
 */
export function watchedKeys(keys: readonly string[]): WatchedKeys {
  const table = new Uint8Array(tableSize);
  for (const key of keys) {
    const bytes = new TextEncoder().encode(key);
    table[hashOf(bytes, 0, bytes.length)] = 1;
  }
  return table;
}

/** Notes from now on whether a key of the list is passed, at any depth and in any case. */
export function beginWatch(keys: WatchedKeys): void {
  watched = keys;
  isPassed = false;
}

/** Returns whether one of the keys was passed since `beginWatch`. */
export function endWatch(): boolean {
  const wasPassed = isPassed;
  watched = null;
  isPassed = false;
  return wasPassed;
}

/** To be called with the position of each key that a scan passes. */
export function passKey(bytes: Uint8Array, start: number, end: number): void {
  if (watched !== null && !isPassed) isPassed = mayBeIn(watched, bytes, start, end);
}

/** Whether the key at a position may be one of the list. */
export function mayBeIn(keys: WatchedKeys, bytes: Uint8Array, start: number, end: number): boolean {
  const hash = hashOf(bytes, start, end);
  return hash < 0 || keys[hash] === 1;
}

/** Returns -1 for a key that another parser may read as several. */
function hashOf(bytes: Uint8Array, start: number, end: number): number {
  let hash = 0;
  for (let at = start; at < end; at += 1) {
    const byte = bytes[at] ?? 0;
    if (byte === 0x5c || byte > 0x7e) return -1;
    hash = (hash * 31 + (byte | 0x20)) & (tableSize - 1);
  }
  return hash;
}
