/** Reads all rows that match a list's filters, page after page. */

import type { FetchPage } from "#ui/table/column.ts";

/** The number of rows that are read at once: the largest page size that the server accepts. */
const walkedSize = 100;

/**
 * After the status 429 (too many requests): milliseconds before the page is read again, and how
 * often that is tried.
 */
const busyPauseMs = 5_000;
const busyTriesMax = 24;

export type Walk<Row> = {
  readonly fetchPage: FetchPage<Row>;
  readonly rowId: (row: Row) => string;
  /** The largest number of rows to read. */
  readonly limit: number;
  readonly signal: AbortSignal;
  /**
   * Called with the new rows of each page; `total` is the number of rows of all pages, null:
   * unknown.
   */
  readonly onRows: (rows: readonly Row[], total: number | null) => void;
  /** Replaces `busyPauseMs` in tests. */
  readonly pauseMs?: number;
};

/**
 * Reads the pages one after the other. If rows are added or removed meanwhile, others move to
 * another page; a row that was already read is not given to `onRows` again.
 *
 * @returns false: there are more rows than the limit.
 * @throws the failure of a page, or the signal's reason.
 */
export async function walkPages<Row>(walk: Walk<Row>): Promise<boolean> {
  const { rowId, limit, signal, onRows } = walk;
  const seen = new Set<string>();
  for (let page = 1; page <= Math.ceil(limit / walkedSize); page += 1) {
    const { items, total, capped = false } = await readPage(walk, page);
    signal.throwIfAborted();
    const fresh = items.filter((row) => !seen.has(rowId(row))).slice(0, limit - seen.size);
    for (const row of fresh) seen.add(rowId(row));
    onRows(fresh, capped ? null : total);
    const isCounted = total !== null && !capped && page * walkedSize >= total;
    if (items.length < walkedSize || isCounted) return true;
  }
  return false;
}

async function readPage<Row>(
  { fetchPage, signal, pauseMs = busyPauseMs }: Walk<Row>,
  page: number,
) {
  for (let tries = 1; ; tries += 1) {
    try {
      return await fetchPage({ page, size: walkedSize }, signal);
    } catch (error) {
      signal.throwIfAborted();
      if (!isTooMany(error) || tries === busyTriesMax) throw error;
      await pause(pauseMs, signal);
    }
  }
}

/** Whether the server answered with status 429, too many requests. */
function isTooMany(error: unknown): boolean {
  return error instanceof Error && "status" in error && error.status === 429;
}

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const stop = () => {
      clearTimeout(timer);
      reject(signal.reason);
    };
    const timer = setTimeout(() => {
      signal.removeEventListener("abort", stop);
      resolve();
    }, ms);
    signal.addEventListener("abort", stop, { once: true });
  });
}
