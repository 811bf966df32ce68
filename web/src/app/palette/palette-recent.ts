/** The entries that a user opened in the command palette, newest first, stored in this browser. */

import { storageKey } from "#page/base-path.ts";

/** Key in local storage for the recent entries. */
export const recentKey = storageKey("palette-recent");

/** The largest number of stored entries. */
const recentMax = 6;

export type RecentEntry = {
  readonly address: string;
  readonly label: string;
  readonly hint: string;
  /** The kind of entry, which determines the icon. */
  readonly kind: string;
};

/**
 * Reads the recent entries of this user. Those that another user of the same browser left are not
 * returned, because they are private.
 */
export function readRecent(userId: number): readonly RecentEntry[] {
  try {
    const kept: unknown = JSON.parse(localStorage.getItem(recentKey) ?? "null");
    if (typeof kept !== "object" || kept === null) return [];
    const { user, entries }: { user?: unknown; entries?: unknown } = kept;
    return user === userId && Array.isArray(entries) ? entries.filter(isEntry) : [];
  } catch {
    return [];
  }
}

function isEntry(value: unknown): value is RecentEntry {
  if (typeof value !== "object" || value === null) return false;
  const { address, label, hint, kind }: { [Name in keyof RecentEntry]?: unknown } = value;
  return [address, label, hint, kind].every((text) => typeof text === "string");
}

export function keepRecent(userId: number, entry: RecentEntry): void {
  const others = readRecent(userId).filter(({ address }) => address !== entry.address);
  const entries = [entry, ...others].slice(0, recentMax);
  localStorage.setItem(recentKey, JSON.stringify({ user: userId, entries }));
}

export function forgetRecent(): void {
  localStorage.removeItem(recentKey);
}
