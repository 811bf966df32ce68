import { useMemo } from "react";
import { arrangeColumns } from "./arrange-columns.ts";
import type { Column } from "#ui/table/column.ts";
import { useTableSettings } from "#ui/table/views/table-settings.ts";

/** Returns the columns of a table that the user wants to see, in the user's order. */
export function useShownColumns<Row>(
  id: string,
  columns: readonly Column<Row>[],
): readonly Column<Row>[] {
  const { columns: choice } = useTableSettings(id);
  return useMemo(
    () =>
      arrangeColumns(columns, choice)
        .filter(({ shown }) => shown)
        .map(({ column }) => (column.hidden === true ? wanted(column) : column)),
    [columns, choice],
  );
}

/**
 * Lowers the rank number of a column that the screen hides but the user chose, so that it is among
 * the last to be left out.
 */
function wanted<Row>(column: Column<Row>): Column<Row> {
  return { ...column, rank: column.rank === 1 ? 1 : 2 };
}
