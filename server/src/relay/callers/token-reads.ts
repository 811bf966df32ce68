/** Reads tokens that the snapshot does not keep from the database, when they are asked for. */

import type { TokenView } from "#ports/snapshot.ts";
import type { PackedToken, TokenIndex } from "./token-index.ts";

/** How many keys are looked for at the same time; an attacker who invents more has to wait. */
const readsMax = 200;

/**
 * Returns a function that finds a token by the hash of its key, in the database if need be;
 * undefined: there is none.
 *
 * @param read finds it in the database; undefined: there is none.
 * @param busy makes the error of a read beyond `readsMax`.
 */
export function openTokenReads(
  index: TokenIndex,
  read: (lookup: string) => Promise<PackedToken | undefined>,
  busy: () => Error,
): (lookup: string) => Promise<TokenView | undefined> {
  const running = new Map<string, Promise<void>>();

  /** Reads a token into the index, unless it may have changed while it was read. */
  async function load(lookup: string): Promise<void> {
    for (let isKept = false; !isKept;) {
      const changes = index.changes();
      const found = await read(lookup);
      if (changes !== index.changes()) continue;
      isKept = true;
      if (found === undefined) index.noteAbsent(lookup);
      else index.keep(found);
    }
  }

  return async (lookup) => {
    for (;;) {
      const known = index.find(lookup);
      if (known !== null) return known;
      const before = running.get(lookup);
      if (before === undefined && running.size >= readsMax) throw busy();
      const reading = before ?? load(lookup).finally(() => running.delete(lookup));
      running.set(lookup, reading);
      await reading;
    }
  };
}
