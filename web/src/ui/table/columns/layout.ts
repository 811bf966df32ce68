/** The positions of a table's columns. */

import type { CSSProperties } from "react";
import { primaryId } from "./arrange-columns.ts";
import type { Column } from "#ui/table/column.ts";

export type TableLayout = {
  readonly selectable: boolean;
  readonly expandable: boolean;
  readonly actions: boolean;
  /** The column that names the record and opens it. */
  readonly primaryId: string | undefined;
  /** Classes that make the unfold button and the first column stick behind the others. */
  readonly expanderLeft: string;
  readonly firstLeft: string;
  /** All columns of the table, with those that the table adds. */
  readonly span: number;
  /** Widths by column, set on the heads: a column is as wide as its widest cell needs. */
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
 * Where the first column sticks: right of the checkbox (36 px) and of the unfold button (32 px).
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
