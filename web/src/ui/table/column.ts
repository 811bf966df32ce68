/**
 * The types that describe a list: columns, actions, filters and the answer of a query. They know
 * nothing about what the rows are.
 */

import type { ReactNode } from "react";
import type { Item } from "#ui/controls/item.ts";
import type { RangePreset } from "#ui/date/presets.ts";

export type Column<Row> = {
  /** Unique in its table. For a sortable column it is the name that the server sorts by. */
  readonly id: string;
  readonly title: string;
  readonly cell: (row: Row) => ReactNode;
  /** What stands below the cell and can be pressed by itself, so that it is no part of what opens the row. */
  readonly below?: (row: Row) => ReactNode;
  /** Decides which columns are left out when there is no room for all. */
  readonly rank: ColumnRank;
  /** The least width of the column, in pixels. */
  readonly width: number;
  /**
   * The column's share of the remaining room. Its content is cut to the column's width (`CutText`,
   * at the end or in the middle). Absent: the column is as wide as its widest cell.
   */
  readonly grow?: number;
  readonly align?: "right";
  /**
   * Whether the part that the screen adds to an unfolded row has the column's value, so that the row
   * does not repeat it when the column is left out.
   */
  readonly isInExpanded?: boolean;
  /**
   * Whether the row has a value of this column; absent: every row has. The unfolded row and the
   * record beside the list leave out what the row does not have.
   */
  readonly has?: (row: Row) => boolean;
  /**
   * The ids of columns whose room the cell takes where they follow it, because they have nothing to
   * say about the row.
   */
  readonly over?: (row: Row) => readonly string[];
  /** Whether the server can sort by the column. */
  readonly sort?: boolean;
  /** Whether the column is hidden until the user chooses it. */
  readonly hidden?: boolean;
  /** Returns the text of a cell in a CSV file; absent: the file does not have the column. */
  readonly csv?: (row: Row) => string;
  /**
   * Where the two lines that show a row on a phone have the column: "title" at the left and "lead"
   * at the right of the first line, "fact" in the second line. Columns without a value are in the
   * unfolded row.
   */
  readonly card?: "title" | "lead" | "fact";
  /** Draws a shorter cell for these two lines; null: the line leaves the cell out for this row. */
  readonly brief?: (row: Row) => ReactNode;
};

/**
 * The priority of a column when there is no room for all. 1: always shown. 2 to 5: left out when
 * needed, 5 first, and of columns with the same rank the rightmost first. Columns of rank 2 must
 * have room in windows from 1024 px on. The unfolded row shows the columns that are left out.
 */
export type ColumnRank = 1 | 2 | 3 | 4 | 5;

export type RowAction<Row> = {
  /**
   * Unique among the row's actions. The action with the key "edit" also runs when the user presses
   * `e`.
   */
  readonly key: string;
  readonly label: string;
  readonly icon?: ReactNode;
  readonly tone?: "danger";
  /** Whether it stands in the menu alone, also where there is room for a button. */
  readonly inMenu?: boolean;
  readonly shown?: (row: Row) => boolean;
  /** Returns the reason why the action is disabled for this row; undefined: it is enabled. */
  readonly disabled?: (row: Row) => string | undefined;
  readonly onSelect: (row: Row) => void;
};

/** The result of a bulk action: how many rows were changed, and why others were not. */
export type BulkResult = {
  readonly done: number;
  /**
   * The number of rows that the action was applied to; by default the number of rows that it was
   * given.
   */
  readonly total?: number;
  /** The rows that were not changed: `id` is the row's `rowId`, `reason` a text for the user. */
  readonly failed: readonly { readonly id: string; readonly reason: string }[];
};

export type BulkAction<Row> = {
  readonly key: string;
  readonly label: string;
  readonly icon?: ReactNode;
  readonly tone?: "danger";
  /** What is said when the action is chosen while no row is selected; by default that it needs one. */
  readonly unselected?: string;
  /**
   * Applies the action to rows. If it gives a `BulkResult`, the table shows this result, names the
   * rows that failed and keeps them selected. `false`: the user cancelled, so nothing was done and
   * the selection stays.
   */
  readonly onSelect: (
    rows: readonly Row[],
  ) => void | boolean | BulkResult | Promise<void | boolean | BulkResult>;
};

/** How a text filter suggests values while the user types. */
export type Suggestions = {
  /** Finds the values for a text; called with an empty text when the field is opened. */
  readonly find: (text: string, signal: AbortSignal) => Promise<readonly Item[]>;
  /** Makes a value of a text that is none of the found values; null: no row can have it. */
  readonly read: (text: string) => string | null;
  /** Writes a value for people; absent: as it is, or as the beginning of a name. */
  readonly say?: (value: string) => string;
};

/**
 * A filter of a list. `name` is a key of the screen's search schema, in which an empty text or
 * choice filters nothing.
 */
export type Filter = {
  readonly name: string;
  readonly label: string;
  /** The value that filters nothing, for a filter where this is neither empty nor 0. */
  readonly none?: string | number;
} & (
  | { readonly kind: "text"; readonly placeholder?: string }
  | { readonly kind: "select"; readonly items: readonly Item<string | number>[] }
  | { readonly kind: "combobox"; readonly items: readonly Item[]; readonly creatable?: boolean }
  | ({ readonly kind: "suggest" } & Suggestions)
  /**
   * `name` and `end` are the keys of the range's two ends, in Unix seconds; 0: the range is open at
   * this end.
   */
  | { readonly kind: "time"; readonly end: string; readonly presets?: readonly RangePreset[] }
);

/** The search field of a list; `name` is a key of the screen's search schema. */
export type Keyword = { readonly name: string; readonly placeholder: string };

export type ListPage<Row> = {
  readonly items: readonly Row[];
  /** The number of rows of all pages together; null: unknown. */
  readonly total: number | null;
  /** Whether the server stopped counting at `total`, which then means "at least". */
  readonly capped?: boolean;
};

/** Reads a page of the list, also one that is not on the screen. */
export type FetchPage<Row> = (
  window: { readonly page: number; readonly size: number },
  signal: AbortSignal,
) => Promise<ListPage<Row>>;

/**
 * Reads all rows of the list, part after part, for a file; `total` is how many there are.
 *
 * @returns whether these are all rows that match.
 */
export type ReadAll<Row> = (
  onRows: (rows: readonly Row[], total: number | null) => void,
  signal: AbortSignal,
) => Promise<boolean>;

/** The fields of a TanStack query's result that a list uses. */
export type ListQuery<Row> = {
  readonly data: ListPage<Row> | undefined;
  readonly isFetching: boolean;
  /** Whether `data` is another page's, shown until the asked page arrives. */
  readonly isPlaceholderData?: boolean;
  readonly error: Error | null;
  /** When the rows were read, in milliseconds since 1970; 0: never. */
  readonly dataUpdatedAt: number;
  readonly refetch: () => unknown;
};
