/** The newest page of the log in the live tail: newer rows come on top, old ones drop off. */

import type { Log, OwnLog } from "@tollgate/contract/logs.ts";
import { type LogView, viewOf } from "./log-view.ts";

export type LogPage = {
  readonly items: readonly LogView[];
  readonly total: number;
  /** The highest id seen; 0: none. Newer rows have higher ids. */
  readonly newestId: number;
};

type Found = { readonly items: readonly (Log | OwnLog)[]; readonly total: number };

export function pageOf({ items, total }: Found): LogPage {
  return { items: items.map(viewOf), total, newestId: newestOf(items, 0) };
}

/** `found`: rows with an id above `newestId`; if there are many, the newest of them. */
export function mergeNewer(page: LogPage, found: Found, size: number): LogPage {
  const known = new Set(page.items.map(({ id }) => id));
  const added = found.items
    .filter(({ id }) => !known.has(id))
    .map((row) => ({ ...viewOf(row), isNew: true }));
  const before = page.items.map((row) => (row.isNew ? { ...row, isNew: false } : row));
  const items = [...added, ...before].sort(newestFirst).slice(0, size);
  // Rows written late with an old time, such as imported ones, belong to a later page.
  const isOnTop = added.length > 0 && items.some(({ isNew }) => isNew);
  return {
    items: isOnTop ? items : page.items,
    total: isOnTop ? page.total + Math.max(found.total, added.length) : page.total,
    newestId: newestOf(found.items, page.newestId),
  };
}

/** Compares two rows in the server's order: newest first. */
function newestFirst(a: LogView, b: LogView): number {
  return b.created_at - a.created_at || b.id - a.id;
}

function newestOf(rows: readonly { readonly id: number }[], least: number): number {
  return rows.reduce((newest, { id }) => Math.max(newest, id), least);
}
