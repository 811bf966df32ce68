/** What both the table and the phone's list of cards need to draw rows. */

import type { Column } from "#ui/table/column.ts";
import type { TableLayout } from "#ui/table/columns/layout.ts";
import type { TableRowProps } from "./TableRow.tsx";
import type { TableRowState } from "./use-rows.ts";

export type RowsView<Row> = {
  readonly rows: readonly TableRowState<Row>[];
  readonly columns: readonly Column<Row>[];
  readonly layout: TableLayout;
  readonly toggleAll: (checked: boolean) => void;
  readonly rowProps: (row: TableRowState<Row>) => TableRowProps<Row>;
};
