/** What a user opened by the command palette, newest first; this browser keeps it. */

/** Key in local storage. */
export const recentKey = "palette-recent";

/** Entries that are kept. */
const recentMax = 6;

export type RecentEntry = {
  readonly address: string;
  readonly label: string;
  readonly hint: string;
  /** Chooses the icon. */
  readonly kind: string;
};

/** Those of this user; what another user opened is nobody else's business. */
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
