/** The head of a list: names of columns, sorting, choosing all. */

import { ArrowDown, ArrowUp, ChevronsUpDown } from "lucide-react";
import { useT } from "#i18n/t.ts";
import { Checkbox } from "#ui/controls/Checkbox.tsx";
import type { Column } from "#ui/table/column.ts";
import type { TableLayout } from "#ui/table/columns/layout.ts";
import { endEdge, headLook, startEdge } from "#ui/table/cells/row-look.ts";

/**
 * The look of head cells that also stick to a side; they must be above the rows' cells that stick
 * to a side.
 */
const cornerLook = `${headLook} z-3`;

export function TableHead<Row>(props: {
  readonly columns: readonly Column<Row>[];
  readonly layout: TableLayout;
  readonly sort: string;
  readonly onSort: (sort: string) => void;
  /** Whether all rows are selected; "mixed": only some are. */
  readonly selected: boolean | "mixed";
  readonly onSelectAll: (checked: boolean) => void;
}) {
  const { columns, layout, sort, onSort, selected, onSelectAll } = props;
  const t = useT();
  return (
    <thead>
      <tr>
        {layout.selectable && (
          <th scope="col" className={`${cornerLook} left-0 w-9 min-w-9 pr-0`}>
            <span className="flex">
              <Checkbox
                checked={selected}
                aria-label={t("ui.tableSelectAll")}
                onChange={onSelectAll}
              />
            </span>
          </th>
        )}
        {layout.expandable && (
          <th scope="col" className={`${cornerLook} ${layout.expanderLeft} w-8 min-w-8 px-0`}>
            <span className="sr-only">{t("ui.tableDetailsColumn")}</span>
          </th>
        )}
        {columns.map((column, index) => (
          <th
            key={column.id}
            scope="col"
            data-column={column.id}
            data-rank={column.rank}
            className={`${index === 0 ? `${cornerLook} ${startEdge} ${layout.firstLeft}` : headLook} ${column.align === "right" ? "text-right" : ""}`}
            style={layout.styles[column.id]}
            aria-sort={ariaSort(column, sort)}
          >
            {column.sort === true ? (
              <SortButton column={column} sort={sort} onSort={onSort} />
            ) : (
              column.title
            )}
          </th>
        ))}
        {layout.actions && (
          <th
            scope="col"
            data-column="@actions"
            className={`${cornerLook} ${endEdge} right-0 pr-4 text-right`}
          >
            {t("ui.tableActions")}
          </th>
        )}
      </tr>
    </thead>
  );
}

function SortButton<Row>(props: {
  readonly column: Column<Row>;
  readonly sort: string;
  readonly onSort: (sort: string) => void;
}) {
  const { column, sort, onSort } = props;
  const up = sort === column.id;
  const down = sort === `-${column.id}`;
  const Icon = up ? ArrowUp : down ? ArrowDown : ChevronsUpDown;
  return (
    <button
      type="button"
      className={`inline-flex items-center gap-1 rounded-inner hover:text-ink ${
        up || down ? "text-ink" : ""
      }`}
      onClick={() => onSort(nextSort(sort, column.id))}
    >
      {column.title}
      <Icon size={14} aria-hidden className={up || down ? "" : "text-mark"} />
    </button>
  );
}

/**
 * Returns the sort order after a click on a column's head: largest first, then smallest first, then
 * the server's default order.
 */
function nextSort(sort: string, id: string): string {
  if (sort === `-${id}`) return id;
  return sort === id ? "" : `-${id}`;
}

function ariaSort(column: Column<never>, sort: string) {
  if (column.sort !== true) return undefined;
  if (sort === column.id) return "ascending";
  return sort === `-${column.id}` ? "descending" : "none";
}
