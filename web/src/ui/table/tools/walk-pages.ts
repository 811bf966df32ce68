/** Every row that a list's filters leave, page after page. */

import type { FetchPage } from "#ui/table/column.ts";

/** Rows of a page: the server's limit. */
const walkedSize = 100;

/** Milliseconds before a page is read again after 429, and how often. */
const busyPauseMs = 5_000;
const busyTriesMax = 24;

export type Walk<Row> = {
  readonly fetchPage: FetchPage<Row>;
  readonly rowId: (row: Row) => string;
  /** The largest number of rows to read. */
  readonly limit: number;
  readonly signal: AbortSignal;
  /** New rows; `total`: of all pages, null: unknown. */
  readonly onRows: (rows: readonly Row[], total: number | null) => void;
  /** For tests. */
  readonly pauseMs?: number;
};

/**
 * Rows that are added or removed meanwhile move others to another page; no row comes twice.
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

/** Status 429. */
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
