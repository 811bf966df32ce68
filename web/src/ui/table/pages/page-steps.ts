/** Which pages a pager offers, and where it leads after a change. */

/** A page number, or a gap between page numbers. */
type PageStep = number | "gap";

/**
 * Returns what a pager shows, at most seven entries: the first page, the last, the current one and
 * its neighbours, and gaps.
 */
export function pageSteps(page: number, pages: number): readonly PageStep[] {
  if (pages <= 7) return Array.from({ length: pages }, (_, index) => index + 1);
  const start = Math.min(Math.max(page - 1, 3), pages - 4);
  const middle = [start, start + 1, start + 2];
  return [1, start > 3 ? "gap" : 2, ...middle, start + 2 < pages - 2 ? "gap" : pages - 1, pages];
}

/**
 * Returns the page that contains the first row of `page` when the page size changes to `nextSize`.
 */
export function pageAfterResize(page: number, size: number, nextSize: number): number {
  return Math.floor(((page - 1) * size) / nextSize) + 1;
}

/** Returns the page to go back to from an empty page; null: stay. */
export function pageBefore(page: number, size: number, total: number | null): number | null {
  if (page <= 1) return null;
  if (total === null) return page - 1;
  const last = Math.max(1, Math.ceil(total / size));
  // The server's total counts rows on this page although the page is empty, so the total is wrong
  // and the list goes back one page.
  return last < page ? last : page - 1;
}
