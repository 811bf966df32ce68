/** The parts of a list: columns, actions, filters and a query's answer. No domain words. */

import type { ReactNode } from "react";
import type { Item } from "#ui/controls/item.ts";
import type { RangePreset } from "#ui/date/presets.ts";

export type Column<Row> = {
  /** Unique in its table; the name the server sorts by. */
  readonly id: string;
  readonly title: string;
  readonly cell: (row: Row) => ReactNode;
  /** Which columns give way when there is no room for all: see `ColumnRank`. */
  readonly rank: ColumnRank;
  /** Pixels; the column is never narrower. */
  readonly width: number;
  /**
   * The column's share of the remaining room. Its content is cut at the column's width (`CutText`
   * at the end or in the middle); without it the column is as wide as its widest cell.
   */
  readonly grow?: number;
  readonly align?: "right";
  /** The server can sort by it. */
  readonly sort?: boolean;
  /** Hidden until the user chooses it. */
  readonly hidden?: boolean;
  /** The column's text in a CSV file; without it the file does not have the column. */
  readonly csv?: (row: Row) => string;
  /**
   * The column's place in the two lines that show a row on a phone: "title" and "lead" above, at
   * the left and at the right; "fact" below. The others are in the unfolded row.
   */
  readonly card?: "title" | "lead" | "fact";
  /** The cell as short as these two lines need it; null: this row has nothing to say there. */
  readonly brief?: (row: Row) => ReactNode;
};

/**
 * 1: stays at any width. 2: stays from 1024 px on. 3 to 5 give way, 5 first; of the same rank the
 * rightmost first. What has given way is in the unfolded row.
 */
export type ColumnRank = 1 | 2 | 3 | 4 | 5;

export type RowAction<Row> = {
  /** The key `e` runs "edit". */
  readonly key: string;
  readonly label: string;
  readonly icon?: ReactNode;
  readonly tone?: "danger";
  readonly shown?: (row: Row) => boolean;
  /** Why it cannot be used on this row; undefined: it can. */
  readonly disabled?: (row: Row) => string | undefined;
  readonly onSelect: (row: Row) => void;
};

/** The result of a bulk action: how many rows were changed, and why others were not. */
export type BulkResult = {
  readonly done: number;
  /** How many rows the action was applied to; by default the number of rows it was given. */
  readonly total?: number;
  /** `id` as `rowId` gives it; `reason` for people. */
  readonly failed: readonly { readonly id: string; readonly reason: string }[];
};

export type BulkAction<Row> = {
  readonly key: string;
  readonly label: string;
  readonly icon?: ReactNode;
  readonly tone?: "danger";
  /**
   * With a `BulkResult` the table shows the result, names the rows that failed and keeps them
   * selected. `false`: nothing was done because the user cancelled; the selection stays.
   */
  readonly onSelect: (
    rows: readonly Row[],
  ) => void | boolean | BulkResult | Promise<void | boolean | BulkResult>;
};

/**
 * `name` is a key of the search schema, where text and choices are empty if they filter nothing.
 */
export type Filter = {
  readonly name: string;
  readonly label: string;
  /** The value that filters nothing, if it is neither empty nor 0. */
  readonly none?: string | number;
} & (
  | { readonly kind: "text"; readonly placeholder?: string }
  | { readonly kind: "select"; readonly items: readonly Item<string | number>[] }
  | { readonly kind: "combobox"; readonly items: readonly Item[]; readonly creatable?: boolean }
  /** `name` and `end` are Unix seconds; 0 is open. */
  | { readonly kind: "time"; readonly end: string; readonly presets?: readonly RangePreset[] }
);

/** The search field: `name` is a key of the search schema. */
export type Keyword = { readonly name: string; readonly placeholder: string };

export type ListPage<Row> = {
  readonly items: readonly Row[];
  /** Rows of all pages; null: not known. */
  readonly total: number | null;
  /** Whether the server stopped counting at `total`, which then means "at least". */
  readonly capped?: boolean;
};

/** Reads another page of the list than the one on the screen. */
export type FetchPage<Row> = (
  window: { readonly page: number; readonly size: number },
  signal: AbortSignal,
) => Promise<ListPage<Row>>;

/** The part of a TanStack query that a list needs. */
export type ListQuery<Row> = {
  readonly data: ListPage<Row> | undefined;
  readonly isFetching: boolean;
  readonly error: Error | null;
  /** Milliseconds since 1970; 0: never. */
  readonly dataUpdatedAt: number;
  readonly refetch: () => unknown;
};
