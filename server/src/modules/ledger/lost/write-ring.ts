/**
 * What the last confirmed writes of this node have left in the database, in memory, to be compared
 * with a database that went back.
 */

import type { Written } from "#db/written.ts";

/** The rows that one write has left. */
export type ConfirmedWrite = {
  /** When the database confirmed it, in Unix milliseconds. */
  readonly atMs: number;
  readonly written: readonly Written[];
};

export type WriteRing = {
  note(written: readonly Written[]): void;
  /** Returns what is kept, oldest first. */
  list(): readonly ConfirmedWrite[];
  /** Forgets writes that are known to be missing, so that they are told once. */
  forget(writes: readonly ConfirmedWrite[]): void;
};

/** The most writes that are kept, and for how long, in milliseconds. */
const keptMax = 2_000;
const keptMs = 3_600_000;

/** The longest name of a row that is kept, in characters. */
const whatMax = 120;

/** @param now returns Unix milliseconds. */
export function openWriteRing(now: () => number): WriteRing {
  let kept: ConfirmedWrite[] = [];
  return {
    note(written) {
      const atMs = now();
      kept.push({ atMs, written: written.map(shorten) });
      if (kept.length < keptMax * 2 && (kept[0]?.atMs ?? atMs) > atMs - keptMs * 2) return;
      kept = kept.slice(-keptMax).filter((one) => one.atMs > atMs - keptMs);
    },
    list: () => [...kept],
    forget(writes) {
      const gone = new Set(writes);
      kept = kept.filter((one) => !gone.has(one));
    },
  };
}

function shorten(written: Written): Written {
  // A cause is what its entry is found by.
  if (written.kind === "entry") return written;
  return { ...written, what: written.what.slice(0, whatMax) };
}

/** The longest name of a write, in characters. */
const nameMax = 300;

/** Names a write for people. */
export function nameOf({ atMs, written }: ConfirmedWrite): string {
  const rows = written.map(({ kind, what }) => `${kind} ${what}`);
  return `${new Date(atMs).toISOString()} ${rows.join(", ")}`.slice(0, nameMax);
}
