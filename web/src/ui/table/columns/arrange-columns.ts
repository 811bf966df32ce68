/** Computes which columns of a table are visible, and in which order. Pure functions. */

import type { Column } from "#ui/table/column.ts";
import type { ColumnChoice } from "#ui/table/views/table-settings.ts";

type Named = Pick<Column<never>, "card" | "hidden" | "id">;

export type Arranged<Of> = { readonly column: Of; readonly shown: boolean };

/** Returns the id of the column that names the record; this column cannot be hidden. */
export function primaryId(columns: readonly Named[]): string | undefined {
  return (columns.find(({ card }) => card === "title") ?? columns[0])?.id;
}

/**
 * Puts the screen's columns in the order that the user chose. Chosen columns that no longer exist
 * are dropped. A new column comes after the column that is before it in the screen's order, and is
 * visible unless the screen hides it.
 */
export function arrangeColumns<Of extends Named>(
  columns: readonly Of[],
  choice: ColumnChoice,
): readonly Arranged<Of>[] {
  const primary = primaryId(columns);
  const chosen = new Map((choice ?? []).map(({ id, shown }) => [id, shown]));
  const byId = new Map(columns.map((column) => [column.id, column]));
  const order = [...chosen.keys()].filter((id) => byId.has(id));
  for (const [index, { id }] of columns.entries()) {
    if (chosen.has(id)) continue;
    const before = columns[index - 1]?.id;
    order.splice(before === undefined ? 0 : order.indexOf(before) + 1, 0, id);
  }
  return order.flatMap((id) => {
    const column = byId.get(id);
    if (column === undefined) return [];
    const shown = id === primary || (chosen.get(id) ?? column.hidden !== true);
    return [{ column, shown }];
  });
}

/** Returns the value to store for an arrangement; null: it is the screen's default arrangement. */
export function choiceOf(
  columns: readonly Named[],
  arranged: readonly Arranged<Named>[],
): ColumnChoice {
  const choice = arranged.map(({ column, shown }) => ({ id: column.id, shown }));
  const own = arrangeColumns(columns, null).map(({ column, shown }) => ({ id: column.id, shown }));
  return JSON.stringify(choice) === JSON.stringify(own) ? null : choice;
}

/**
 * Moves a column by `by` places to the end, or to the beginning if negative, but not beyond either.
 */
export function moveColumn<Of extends Named>(
  arranged: readonly Arranged<Of>[],
  id: string,
  by: number,
): readonly Arranged<Of>[] {
  const from = arranged.findIndex(({ column }) => column.id === id);
  const moved = arranged[from];
  if (moved === undefined) return arranged;
  const to = Math.max(0, Math.min(arranged.length - 1, from + by));
  return arranged.toSpliced(from, 1).toSpliced(to, 0, moved);
}
