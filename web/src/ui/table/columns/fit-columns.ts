/** Which columns of a table have room. Pure functions. */

import type { Column } from "#ui/table/column.ts";

/** Columns of rank 1 never give way. */
const rankKept = 1;

export type Fit<Of> = {
  /** The columns that have room, in the order of the table. */
  readonly fitting: readonly Of[];
  /** The columns that are left out for lack of room, in the same order. */
  readonly left: readonly Of[];
};

/**
 * The columns that fit into `room` pixels. `widthOf`: what a column needs. `unfoldWidth`: what the
 * button takes that shows the columns without room; 0: the table has it anyway.
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
  // The sort is stable: of one rank the leftmost comes first.
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
