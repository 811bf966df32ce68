/** Chooses which columns of a table are shown when there is no room for all. Pure functions. */

import type { Column } from "#ui/table/column.ts";

/** Columns of this rank are never left out. */
const rankKept = 1;

export type Fit<Of> = {
  /** The columns that are shown, in the table's order. */
  readonly fitting: readonly Of[];
  /** The columns that are left out for lack of room, in the table's order. */
  readonly left: readonly Of[];
};

/**
 * Chooses the columns that fit into `room` pixels. `widthOf` gives the width that a column needs.
 * `unfoldWidth` is the width of the button that unfolds a row to show the columns that are left
 * out; 0: the table has this button anyway.
 */
export function fitColumns<Of extends Pick<Column<never>, "rank">>(props: {
  readonly columns: readonly Of[];
  readonly room: number;
  readonly widthOf: (column: Of) => number;
  readonly unfoldWidth: number;
}): Fit<Of> {
  const { columns, room, widthOf, unfoldWidth } = props;
  const needed = columns.reduce((sum, column) => sum + widthOf(column), 0);
  if (needed <= room) return { fitting: columns, left: [] };
  const taken = new Set<Of>();
  let rest = room - unfoldWidth;
  // The sort is stable: of columns with the same rank, the leftmost comes first.
  for (const column of columns.toSorted((a, b) => a.rank - b.rank)) {
    const width = widthOf(column);
    if (width > rest && column.rank > rankKept) continue;
    taken.add(column);
    rest -= width;
  }
  return {
    fitting: columns.filter((column) => taken.has(column)),
    left: columns.filter((column) => !taken.has(column)),
  };
}
