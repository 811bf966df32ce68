import { useEffect, useEffectEvent, useState } from "react";
import type { ListQuery } from "#ui/table/column.ts";
import type { ListSearch, SetListSearch } from "#ui/table/list-search.ts";

/** A list beside which a record is open, and that record. */
export type Peek<Row> = {
  /** The open record; undefined: it is not on this page. */
  readonly row: Row | undefined;
  /** The number of the record in the whole list, from 1; null: it is not on this page. */
  readonly place: number | null;
  /** Whether the rows of another page are being read, to show its first or last record. */
  readonly isTurning: boolean;
  /** Show the next or the previous record; undefined: there is none. */
  readonly next: (() => void) | undefined;
  readonly previous: (() => void) | undefined;
  readonly close: () => void;
};

/**
 * A page that is being turned to, the record it is turned from, and which of its own records to
 * show.
 */
type Turn = { readonly peek: string; readonly to: number; readonly end: "first" | "last" };

/**
 * Walks through the records of a list in its order, also from page to page. The address holds the
 * record; the first one adds an entry to the browser's history, further ones replace it.
 */
export function usePeek<Row>(props: {
  readonly search: ListSearch;
  readonly onSearch: SetListSearch;
  readonly query: ListQuery<Row>;
  readonly rowId: (row: Row) => string;
}): Peek<Row> {
  const { search, onSearch, query, rowId } = props;
  const { peek, page, size } = search;
  const { data } = query;
  const [turn, setTurn] = useState<Turn | null>(null);
  const items = data?.items ?? [];
  const index = items.findIndex((row) => rowId(row) === peek);
  // A record that has left the page, as new rows of a live list push it out, stays open.
  const [kept, keep] = useState<Row>();
  const found = items[index];
  if (found !== undefined && found !== kept) keep(found);
  const row = found ?? (kept !== undefined && rowId(kept) === peek ? kept : undefined);

  const show = (next: Row | undefined, patch: { readonly page?: number } = {}) => {
    if (next !== undefined) onSearch({ ...patch, peek: rowId(next) }, { replace: true });
  };
  const turnTo = (to: number, end: Turn["end"]) => {
    setTurn({ peek, to, end });
    onSearch({ page: to }, { replace: true });
  };
  const isAsked = turn !== null && turn.peek === peek && turn.to === page;
  const hasRows = data !== undefined && (items.length > 0 || !query.isFetching);
  const hasArrived = isAsked && hasRows && query.isPlaceholderData !== true;
  const arrive = useEffectEvent(() => show(turn?.end === "last" ? items.at(-1) : items[0]));
  useEffect(() => {
    if (hasArrived) arrive();
  }, [hasArrived]);

  const isLast = index === items.length - 1;
  const hasPages = items.length <= size;
  const next =
    index < 0 || !isLast
      ? items[index + 1] && (() => show(items[index + 1]))
      : hasPages && hasPageAfter(search, query)
        ? () => turnTo(page + 1, "first")
        : undefined;
  const previous =
    index > 0
      ? () => show(items[index - 1])
      : index === 0 && hasPages && page > 1
        ? () => turnTo(page - 1, "last")
        : undefined;
  return {
    row,
    place: index < 0 ? null : (hasPages ? (page - 1) * size : 0) + index + 1,
    isTurning: isAsked && !hasArrived,
    next: isAsked ? undefined : next,
    previous: isAsked ? undefined : previous,
    close: () => onSearch({ peek: "" }),
  };
}

function hasPageAfter({ page, size }: ListSearch, { data }: ListQuery<unknown>): boolean {
  const { items = [], total = null, capped = false } = data ?? {};
  return total === null || capped ? items.length >= size : page * size < total;
}
