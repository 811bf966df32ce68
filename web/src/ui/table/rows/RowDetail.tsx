import type { ReactNode } from "react";
import type { Column } from "#ui/table/column.ts";

/**
 * The unfolded part of a row: the columns that were left out for lack of room and of which the row has
 * a value, then what the screen adds.
 */
export function RowDetail<Row>(props: {
  readonly row: Row;
  readonly columns: readonly Column<Row>[];
  readonly children: ReactNode;
}) {
  const { row, children } = props;
  const columns = props.columns.filter(
    ({ isInExpanded, has }) => isInExpanded !== true && has?.(row) !== false,
  );
  if (columns.length === 0) return children;
  return (
    <div className="flex min-w-0 flex-col gap-3">
      <dl className="grid grid-cols-[repeat(auto-fill,minmax(min(100%,15rem),1fr))] gap-x-6 gap-y-1 text-sm">
        {columns.map((column) => (
          <div key={column.id} className="flex min-h-8 min-w-0 items-center gap-3">
            <dt className="w-28 shrink-0 text-muted">{column.title}</dt>
            <dd className="whole-text min-w-0 flex-1">{column.cell(row)}</dd>
          </div>
        ))}
      </dl>
      {children}
    </div>
  );
}
