/**
 * The tokens of the snapshot, found by the keyed hashes of their keys. They are kept in pages of
 * packed rows, which take a tenth of the memory of objects; of tokens that call, the objects are kept
 * as well. Where there are more tokens than `heldMax`, only those are kept that were asked for.
 */

import { indexRows } from "#base/memory/packed-rows.ts";
import type { TokenView } from "#ports/snapshot.ts";

export type PackedToken = {
  readonly id: number;
  /** By which it is found: that of its key, then that of the key which was replaced, if there is one. */
  readonly lookups: readonly string[];
  /** All that the relay knows of it; empty: the token was deleted. */
  readonly packed: string;
};

export type TokenIndex = {
  /** Returns undefined if there is no such token, and null if the database has to be asked. */
  find(lookup: string): TokenView | null | undefined;
  /** Takes over how tokens are now. */
  put(tokens: readonly PackedToken[]): void;
  /** Keeps a token that was read because it was asked for. */
  keep(token: PackedToken): void;
  /** Notes that no token has this hash, until one gets it. */
  noteAbsent(lookup: string): void;
  /** Begins to fill the index anew; until `done`, the present tokens are found. */
  refill(): Refill;
  /** Returns the ids of the tokens that are kept. */
  ids(): number[];
  /** Returns another number each time that tokens have changed in the database. */
  changes(): number;
  /** Whether every token is kept. */
  isWhole(): boolean;
};

type Refill = {
  /** Adds rows of `base/memory/packed-rows.ts`. */
  addPage(page: Uint8Array): void;
  add(tokens: readonly PackedToken[]): void;
  /** @param isWhole whether every token was added. */
  done(isWhole: boolean): void;
};

/** The most tokens that are all kept; of more, those that were asked for last. */
export const heldMax = 200_000;

/** How many objects are kept of tokens that call, and how many hashes that no token has. */
const viewsMax = 20_000;
const absentMax = 20_000;

/** The tokens that were loaded one by one: all that have changed, or all that are kept. */
type Kept = {
  /** By hash. */
  readonly texts: Map<string, string>;
  /** By id, the one that was put or opened last at the end. */
  readonly lookups: Map<number, readonly string[]>;
  /** Ids of which the pages tell nothing any more. */
  readonly changed: Set<number>;
};

const openKept = (): Kept => ({ texts: new Map(), lookups: new Map(), changed: new Set() });

/** @param open makes the token that is found by a hash from its text. */
export function openTokenIndex(
  open: (packed: string, lookup: string) => TokenView,
  most = heldMax,
): TokenIndex {
  const views = openViews();
  const absent = new Set<string>();
  let kept = openKept();
  /** Every token as it was when all were read. */
  let pages = indexRows([]);
  let whole = true;
  let changes = 0;

  function view(lookup: string, packed: string): TokenView {
    const opened = open(packed, lookup);
    views.add(lookup, opened);
    if (!whole) moveToEnd(kept, opened.id);
    return opened;
  }

  function replace(tokens: readonly PackedToken[]): void {
    for (const token of tokens) {
      const { id, lookups, packed } = token;
      views.remove(id);
      remove(kept, id);
      if (whole) kept.changed.add(id);
      for (const lookup of lookups) {
        if (packed !== "") absent.delete(lookup);
        else if (!whole) addAbsent(absent, lookup);
      }
      add(kept, token);
    }
    if (!whole) for (const id of dropOldest(kept, most)) views.remove(id);
  }

  return {
    find(lookup) {
      const known = views.find(lookup);
      if (known !== undefined) return known;
      const packed = kept.texts.get(lookup);
      if (packed !== undefined) return view(lookup, packed);
      if (!whole) return absent.has(lookup) ? undefined : null;
      const found = pages.find(lookup);
      if (found === undefined || kept.changed.has(found.id)) return undefined;
      return view(lookup, found.text);
    },
    put(tokens) {
      changes += 1;
      replace(tokens);
    },
    keep: (token) => replace([token]),
    noteAbsent: (lookup) => addAbsent(absent, lookup),
    refill() {
      const fresh = openKept();
      const added: Uint8Array[] = [];
      return {
        addPage: (page) => void added.push(page),
        add(tokens) {
          for (const token of tokens) add(fresh, token);
        },
        done(isWhole) {
          changes += 1;
          kept = fresh;
          pages = indexRows(added);
          whole = isWhole;
          views.clear();
          absent.clear();
        },
      };
    },
    ids: () => [...kept.lookups.keys()],
    changes: () => changes,
    isWhole: () => whole,
  };
}

function add({ texts, lookups }: Kept, token: PackedToken): void {
  if (token.packed === "") return;
  lookups.set(token.id, token.lookups);
  for (const lookup of token.lookups) texts.set(lookup, token.packed);
}

function remove({ texts, lookups, changed }: Kept, id: number): void {
  for (const lookup of lookups.get(id) ?? []) texts.delete(lookup);
  lookups.delete(id);
  changed.delete(id);
}

/** Opens the objects of tokens that call. */
function openViews() {
  const byLookup = new Map<string, TokenView>();
  const lookups = new Map<number, readonly string[]>();
  const clear = (): void => {
    byLookup.clear();
    lookups.clear();
  };
  return {
    clear,
    find: (lookup: string): TokenView | undefined => byLookup.get(lookup),
    add(lookup: string, view: TokenView): void {
      if (byLookup.size >= viewsMax) clear();
      byLookup.set(lookup, view);
      lookups.set(view.id, [...(lookups.get(view.id) ?? []), lookup]);
    },
    /** Removes what was opened of a token, by each of its keys. */
    remove(id: number): void {
      for (const lookup of lookups.get(id) ?? []) byLookup.delete(lookup);
      lookups.delete(id);
    },
  };
}

function moveToEnd({ lookups }: Kept, id: number): void {
  const own = lookups.get(id);
  if (own === undefined) return;
  lookups.delete(id);
  lookups.set(id, own);
}

/** Removes the tokens beyond the most that are kept. @returns their ids. */
function dropOldest(kept: Kept, most: number): number[] {
  const dropped: number[] = [];
  for (const id of kept.lookups.keys()) {
    if (kept.lookups.size <= most) break;
    remove(kept, id);
    dropped.push(id);
  }
  return dropped;
}

function addAbsent(absent: Set<string>, lookup: string): void {
  if (absent.size >= absentMax) absent.clear();
  absent.add(lookup);
}
