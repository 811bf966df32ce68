/** The pages that a pager offers. */

/** A page, or a gap between pages. */
type PageStep = number | "gap";

/** At most seven: the first, the last, the current one and its neighbours. */
export function pageSteps(page: number, pages: number): readonly PageStep[] {
  if (pages <= 7) return Array.from({ length: pages }, (_, index) => index + 1);
  const start = Math.min(Math.max(page - 1, 3), pages - 4);
  const middle = [start, start + 1, start + 2];
  return [1, start > 3 ? "gap" : 2, ...middle, start + 2 < pages - 2 ? "gap" : pages - 1, pages];
}

/** The page that shows the first row of `page` when pages become `nextSize` long. */
export function pageAfterResize(page: number, size: number, nextSize: number): number {
  return Math.floor(((page - 1) * size) / nextSize) + 1;
}

/** The page to step back to from an empty one; null: stay. */
export function pageBefore(page: number, size: number, total: number | null): number | null {
  if (page <= 1) return null;
  if (total === null) return page - 1;
  const last = Math.max(1, Math.ceil(total / size));
  // The total is wrong: it counts rows on this page, although the page is empty.
  return last < page ? last : page - 1;
}
