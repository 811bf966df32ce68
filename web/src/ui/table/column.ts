/** What a list is made of: columns, actions, filters and a query's answer. No domain words. */

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
  /** Takes the room that is left; its text is cut when there is none. */
  readonly grow?: boolean;
  readonly align?: "right";
  /** The server can sort by it. */
  readonly sort?: boolean;
  /** Not shown until it is chosen. */
  readonly hidden?: boolean;
  /** Its text in a CSV file; without it the column is left out there. */
  readonly csv?: (row: Row) => string;
  /** Its place on the card that a row is on a phone; "line" without a word. */
  readonly card?: "title" | "status" | "figure" | "line" | "none";
};

export type RowAction<Row> = {
  /** "edit" is what the key `e` does. */
  readonly key: string;
  readonly label: string;
  readonly icon?: ReactNode;
  readonly tone?: "danger";
  readonly shown?: (row: Row) => boolean;
  /** Why it cannot be used on this row; undefined: it can. */
  readonly disabled?: (row: Row) => string | undefined;
  readonly onSelect: (row: Row) => void;
};

/** What became of a bulk action: how many rows were changed, and why the others were not. */
export type BulkResult = {
  readonly done: number;
  /** Of how many; without it of the rows it was given. */
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
   * With a `BulkResult` the table says what was done, names the rows that failed and keeps them
   * selected. `false`: nothing was done (the user thought better of it), the selection stays.
   */
  readonly onSelect: (
    rows: readonly Row[],
  ) => void | boolean | BulkResult | Promise<void | boolean | BulkResult>;
};

/** `name` is a key of the search schema; text and choices are empty there when they filter nothing. */
export type Filter = {
  readonly name: string;
  readonly label: string;
  /** The value that filters nothing, where it is neither empty nor 0. */
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
  /** The server counts no further: `total` means "so many or more". */
  readonly capped?: boolean;
};

/** Reads one page of what the list shows now, other than the one on the screen. */
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
