/**
 * What all rows of a table share: which columns the table adds, where columns stick, and their
 * widths.
 */

import type { CSSProperties } from "react";
import { primaryId } from "./arrange-columns.ts";
import type { Column } from "#ui/table/column.ts";

export type TableLayout = {
  readonly selectable: boolean;
  readonly expandable: boolean;
  readonly actions: boolean;
  /** The column that names the record; its cell opens the record. */
  readonly primaryId: string | undefined;
  /**
   * CSS classes that make the unfold button and the first column stick at the left, each to the
   * right of what sticks before it.
   */
  readonly expanderLeft: string;
  readonly firstLeft: string;
  /**
   * The number of all columns, including those that the table adds for checkbox, unfolding and
   * actions.
   */
  readonly span: number;
  /**
   * The widths by column, which are set on the head cells. The browser makes a column without a
   * share as wide as its widest cell.
   */
  readonly styles: Readonly<Record<string, CSSProperties>>;
};

export function tableLayout(
  columns: readonly Pick<Column<never>, "id" | "width" | "grow" | "card" | "hidden">[],
  parts: { readonly selectable: boolean; readonly expandable: boolean; readonly actions: boolean },
): TableLayout {
  const shares = columns.reduce((sum, { grow = 0 }) => sum + grow, 0);
  const extra = Number(parts.selectable) + Number(parts.expandable) + Number(parts.actions);
  return {
    ...parts,
    primaryId: primaryId(columns),
    expanderLeft: parts.selectable ? "left-9" : "left-0",
    firstLeft: firstLeft(parts),
    span: columns.length + extra,
    styles: Object.fromEntries(columns.map((column) => [column.id, widthOf(column, shares)])),
  };
}

/**
 * Returns the left position of the first column, which sticks: right of the checkbox (36 px) and
 * the unfold button (32 px), if the table has them.
 */
function firstLeft(parts: { readonly selectable: boolean; readonly expandable: boolean }): string {
  if (parts.selectable) return parts.expandable ? "left-17" : "left-9";
  return parts.expandable ? "left-8" : "left-0";
}

function widthOf({ width, grow }: Pick<Column<never>, "width" | "grow">, shares: number) {
  return grow === undefined
    ? { minWidth: width }
    : { minWidth: width, width: `${(100 * grow) / shares}%` };
}
