import {
  columnOrderingFeature,
  columnVisibilityFeature,
  rowSelectionFeature,
  tableFeatures,
  useTable,
} from "@tanstack/react-table";
import { type MouseEvent, useEffect, useMemo, useState } from "react";
import type { Column } from "./column.ts";
import { useLatest } from "./use-latest.ts";

const features = tableFeatures({
  columnOrderingFeature,
  columnVisibilityFeature,
  rowSelectionFeature,
});

/** A record as the table knows it; records alone need not be keyed objects. */
type Entry<Row> = { readonly id: string; readonly record: Row };

export type TableRowState<Row> = Entry<Row> & { readonly selected: boolean };

/**
 * State of the rows on the page: which columns are shown in which order, which rows are selected.
 * The selection is what can be seen: it ends when `scope` (page, filters, sort) changes, and a row
 * that is gone is selected no more.
 */
export function useRows<Row>(props: {
  readonly columns: readonly Column<Row>[];
  readonly items: readonly Row[];
  readonly rowId: (row: Row) => string;
  readonly scope: string;
}) {
  const { columns, items, rowId, scope } = props;
  const data = useMemo(
    (): Entry<Row>[] => items.map((record) => ({ id: rowId(record), record })),
    [items, rowId],
  );
  const defined = useMemo(
    () => columns.map((column) => ({ id: column.id, header: column.title })),
    [columns],
  );
  // The user's own choice will be laid over this one.
  const columnVisibility = useMemo(() => visibilityOf(columns), [columns]);
  const table = useTable({
    features,
    columns: defined,
    data,
    getRowId: (entry: Entry<Row>) => entry.id,
    state: { columnVisibility },
  });
  const latest = useLatest(table);

  const shownIds = table
    .getVisibleLeafColumns()
    .map(({ id }) => id)
    .join("\n");
  const shown = useMemo(() => {
    const byId = new Map(columns.map((column) => [column.id, column]));
    return shownIds.split("\n").flatMap((id) => byId.get(id) ?? []);
  }, [columns, shownIds]);

  useEffect(() => latest.current.resetRowSelection(true), [scope, latest]);
  useEffect(() => {
    const present = new Set(data.map(({ id }) => id));
    latest.current.setRowSelection((before) =>
      Object.keys(before).every((id) => present.has(id))
        ? before
        : Object.fromEntries(Object.entries(before).filter(([id]) => present.has(id))),
    );
  }, [data, latest]);

  // Made once, so that rows need not be drawn again for them.
  const [actions] = useState(() => ({
    /** With Shift every row from the last one that was clicked. */
    toggle(id: string, event: MouseEvent<HTMLInputElement>) {
      latest.current.getRow(id).getToggleSelectedHandler()(event);
    },
    toggleAll(checked: boolean) {
      latest.current.toggleAllRowsSelected(checked);
    },
    select(ids: readonly string[]) {
      latest.current.setRowSelection(Object.fromEntries(ids.map((id) => [id, true])));
    },
  }));
  const { rowSelection } = table.state;
  const rows = data.map((entry): TableRowState<Row> => ({
    ...entry,
    selected: rowSelection[entry.id] === true,
  }));
  const selected = rows.filter((row) => row.selected).map((row) => row.record);
  return { rows, columns: shown, selected, ...actions };
}

function visibilityOf(columns: readonly Column<never>[]): Record<string, boolean> {
  return Object.fromEntries(columns.map(({ id, hidden }) => [id, hidden !== true]));
}
