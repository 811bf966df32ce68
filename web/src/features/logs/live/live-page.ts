/**
 * The first page of the log while the live tail is on: newer rows are added at the top, and as many
 * older ones removed at the end.
 */

import type { Log, OwnLog } from "@tollgate/contract/endpoints/logs.ts";
import { type LogView, viewOf } from "#features/logs/log-view.ts";
import type { LogSearch } from "#features/logs/logs.search.ts";

export type LogPage = {
  readonly items: readonly LogView[];
  readonly total: number;
  /** The highest id that was read; 0: no row was read yet. Rows written later have higher ids. */
  readonly newestId: number;
};

type Found = { readonly items: readonly (Log | OwnLog)[]; readonly total: number };

export function pageOf({ items, total }: Found): LogPage {
  return { items: items.map(viewOf), total, newestId: newestOf(items, 0) };
}

/**
 * Adds rows that were read later.
 *
 * @param found rows with ids above `newestId`; if there are too many, only the newest.
 */
export function mergeNewer(page: LogPage, found: Found, size: number): LogPage {
  const known = new Set(page.items.map(({ id }) => id));
  const added = found.items
    .filter(({ id }) => !known.has(id))
    .map((row) => ({ ...viewOf(row), isNew: true }));
  const before = page.items.map((row) => (row.isNew ? { ...row, isNew: false } : row));
  const items = [...added, ...before].sort(newestFirst).slice(0, size);
  // An older row may be written late, for example by an import. It belongs to another page and is
  // not added here.
  const isOnTop = added.length > 0 && items.some(({ isNew }) => isNew);
  return {
    items: isOnTop ? items : page.items,
    total: isOnTop ? page.total + Math.max(found.total, added.length) : page.total,
    newestId: newestOf(found.items, page.newestId),
  };
}

/** Compares rows for the order that the server uses: newest first. */
function newestFirst(a: LogView, b: LogView): number {
  return b.created_at - a.created_at || b.id - a.id;
}

function newestOf(rows: readonly { readonly id: number }[], least: number): number {
  return rows.reduce((newest, { id }) => Math.max(newest, id), least);
}

export type LiveState = "broken" | "ended" | "hidden" | "off" | "on" | "page";

/**
 * Tells whether the live tail runs and, if not, why.
 * @param isVisible whether the browser shows this tab.
 * @param nowSeconds the present time in Unix seconds.
 */
export function liveState(
  { live, page, end, sort }: Pick<LogSearch, "end" | "live" | "page" | "sort">,
  isVisible: boolean,
  nowSeconds: number,
): LiveState {
  if (live === 0) return "off";
  // A list that is sorted by cost has its new rows anywhere.
  if (sort !== "") return "page";
  // New rows can appear only on the first page, and only in a time range that has not ended.
  if (page !== 1) return "page";
  if (end !== 0 && end < nowSeconds) return "ended";
  return isVisible ? "on" : "hidden";
}
