import { memo, type MouseEvent, type ReactNode } from "react";
import { Checkbox } from "#ui/controls/Checkbox.tsx";
import type { Column, RowAction } from "#ui/table/column.ts";
import type { TableLayout } from "#ui/table/columns/layout.ts";
import { RowActions } from "./RowActions.tsx";
import {
  cellLook,
  endEdge,
  frameWide,
  openLook,
  rowLook,
  startEdge,
  stickyCell,
  unfoldLook,
} from "#ui/table/cells/row-look.ts";
import { useRowWords } from "#ui/table/cells/row-words.ts";

/**
 * The callbacks of all rows. The object stays the same for the life of a table, so that rows need
 * not be drawn again.
 */
export type RowWork<Row> = {
  readonly open: (row: Row) => void;
  readonly toggle: (id: string, event: MouseEvent<HTMLInputElement>) => void;
  readonly toggleExpanded: (id: string) => void;
  /** Handles a press on a row, which opens the record beside the list. */
  readonly press: (id: string, event: MouseEvent) => void;
  readonly contextMenu: (row: Row, event: MouseEvent) => void;
  /**
   * Opens the row menu at the pressed button. `all`: with all actions, because the row shows none
   * as buttons.
   */
  readonly openMenu: (row: Row, button: HTMLElement, all: boolean) => void;
};

export type TableRowProps<Row> = {
  readonly id: string;
  readonly row: Row;
  readonly name: string;
  readonly columns: readonly Column<Row>[];
  readonly layout: TableLayout;
  readonly actions: readonly RowAction<Row>[];
  readonly work: RowWork<Row>;
  readonly selected: boolean;
  readonly muted: boolean;
  readonly openable: boolean;
  /** Whether the record is open beside the list; null: this list opens none there. */
  readonly peeked: boolean | null;
  /** The unfolded part of the row; null: the row is folded. */
  readonly detail: ReactNode | null;
};

function TableRowDrawn<Row>(props: TableRowProps<Row>) {
  const { id, row, name, columns, layout, work, selected, muted, peeked, detail } = props;
  const words = useRowWords();
  const expanded = detail !== null;
  return (
    <>
      <tr
        className={rowLook}
        data-row={id}
        tabIndex={-1}
        data-selected={selected ? "" : undefined}
        data-open={expanded ? "" : undefined}
        data-muted={muted ? "" : undefined}
        data-peekable={peeked === null ? undefined : ""}
        aria-current={peeked === true ? "true" : undefined}
        onClick={peeked === null ? undefined : (event) => work.press(id, event)}
        onContextMenu={(event) => work.contextMenu(row, event)}
      >
        {layout.selectable && (
          <td className={`${stickyCell} left-0 h-row border-b border-line pl-3`}>
            <span className="flex" data-select="">
              <Checkbox
                checked={selected}
                aria-label={words.select(name)}
                onChange={(_, event) => work.toggle(id, event)}
              />
            </span>
          </td>
        )}
        {layout.expandable && (
          <td className={`${stickyCell} ${layout.expanderLeft} h-row border-b border-line pl-1`}>
            <button
              type="button"
              aria-expanded={expanded}
              aria-label={words.details(name)}
              className={unfoldLook}
              onClick={() => work.toggleExpanded(id)}
            />
          </td>
        )}
        {cellsOf(columns, row).map(({ column, span }, index) => (
          <TableCell key={column.id} {...props} column={column} span={span} first={index === 0} />
        ))}
        {layout.actions && (
          <td
            className={`${stickyCell} ${endEdge} right-0 h-row border-b border-line pr-2 text-right`}
          >
            <RowActions row={row} name={name} actions={props.actions} work={work} />
          </td>
        )}
      </tr>
      {expanded && (
        <tr>
          <td colSpan={layout.span} className="border-b border-line bg-sunken p-0">
            <div className={`${frameWide} px-4 py-3`}>{detail}</div>
          </td>
        </tr>
      )}
    </>
  );
}

/** A row of a table. Memoised, so that it is drawn again only when its props change. */
// The cast restores the type parameters that `memo` loses; the props stay the same.
export const TableRow = memo(TableRowDrawn) as typeof TableRowDrawn;

/** The cells of a row, each with the number of columns that it takes. */
function cellsOf<Row>(columns: readonly Column<Row>[], row: Row) {
  const cells: { readonly column: Column<Row>; span: number }[] = [];
  let over: readonly string[] = [];
  for (const column of columns) {
    const before = cells.at(-1);
    if (before !== undefined && over.includes(column.id)) {
      before.span += 1;
      continue;
    }
    cells.push({ column, span: 1 });
    over = column.over?.(row) ?? [];
  }
  return cells;
}

function TableCell<Row>(
  props: TableRowProps<Row> & {
    readonly column: Column<Row>;
    readonly span: number;
    readonly first: boolean;
  },
) {
  const { row, column, layout, openable, work, span, first } = props;
  const primary = column.id === layout.primaryId;
  const content = column.cell(row);
  const shown =
    primary && openable ? (
      <button type="button" data-opens="" className={openLook} onClick={() => work.open(row)}>
        {content}
      </button>
    ) : (
      content
    );
  const look = cellClass(column, first ? layout.firstLeft : null);
  return primary ? (
    <th scope="row" data-primary="" colSpan={span} className={`${look} font-normal`}>
      {shown}
      {column.below?.(row)}
    </th>
  ) : (
    <td colSpan={span} className={look}>
      {shown}
      {column.below?.(row)}
    </td>
  );
}

/**
 * Returns the CSS classes of a cell. `left`: the position where the first column sticks; null: the
 * cell is in another column.
 */
function cellClass(column: Column<never>, left: string | null): string {
  let look = cellLook;
  if (column.align === "right") look += " text-right tabular-nums";
  // A column with a share of the remaining room may be narrower than its text, which is then cut.
  if (column.grow !== undefined) look += " max-w-0";
  return left === null ? look : `${look} ${stickyCell} ${startEdge} ${left}`;
}
