import { rowSelectionFeature, tableFeatures, useTable } from "@tanstack/react-table";
import { type MouseEvent, useEffect, useMemo, useState } from "react";
import { useLatest } from "#ui/table/use-latest.ts";

const features = tableFeatures({ rowSelectionFeature });

/** The table library is used only to select rows, so it needs to know no columns. */
const noColumns: never[] = [];

/** A record together with its id, by which the table library identifies rows. */
type Entry<Row> = { readonly id: string; readonly record: Row };

export type TableRowState<Row> = Entry<Row> & { readonly selected: boolean };

/**
 * Returns the rows of the page, and which of them are selected. Only rows on the screen can be
 * selected: the selection ends when `scope` (page, filters, sort) changes, and a row that
 * disappears is deselected.
 */
export function useRows<Row>(props: {
  readonly items: readonly Row[];
  readonly rowId: (row: Row) => string;
  readonly scope: string;
}) {
  const { items, rowId, scope } = props;
  const data = useMemo(
    (): Entry<Row>[] => items.map((record) => ({ id: rowId(record), record })),
    [items, rowId],
  );
  const table = useTable({
    features,
    columns: noColumns,
    data,
    getRowId: (entry: Entry<Row>) => entry.id,
  });
  const latest = useLatest(table);

  useEffect(() => latest.current.resetRowSelection(true), [scope, latest]);
  useEffect(() => {
    const present = new Set(data.map(({ id }) => id));
    latest.current.setRowSelection((before) =>
      Object.keys(before).every((id) => present.has(id))
        ? before
        : Object.fromEntries(Object.entries(before).filter(([id]) => present.has(id))),
    );
  }, [data, latest]);

  // The functions are made once, so that no row is drawn again because of a new function.
  const [actions] = useState(() => ({
    /**
     * Selects or deselects a row. With Shift held, does so for every row from the last one that was
     * clicked.
     */
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
  return { rows, selected, ...actions };
}
