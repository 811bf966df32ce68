/** The parts of a list: columns, actions, filters and a query's answer. No domain words. */

import type { ReactNode } from "react";
import type { Item } from "#ui/controls/item.ts";
import type { RangePreset } from "#ui/date/presets.ts";

export type Column<Row> = {
  /** Unique in its table; the name the server sorts by. */
  readonly id: string;
  readonly title: string;
  readonly cell: (row: Row) => ReactNode;
  /** Pixels; the column is never narrower. */
  readonly width?: number;
  /** Takes the remaining room; its text is cut if there is none. */
  readonly grow?: boolean;
  readonly align?: "right";
  /** The server can sort by it. */
  readonly sort?: boolean;
  /** Hidden until the user chooses it. */
  readonly hidden?: boolean;
  /** Its text in a CSV file; without it the file does not have the column. */
  readonly csv?: (row: Row) => string;
  /** Its place on the card that shows a row on a phone; "line": without its label. */
  readonly card?: "title" | "status" | "figure" | "line" | "none";
};

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
  /** The server stops counting there: `total` means "at least". */
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
