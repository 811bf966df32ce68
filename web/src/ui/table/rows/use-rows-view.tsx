import { type MouseEvent, type RefObject, useMemo } from "react";
import type { Column, RowAction } from "#ui/table/column.ts";
import { expandedIds, toggleExpanded } from "./expanded.ts";
import { tableLayout } from "#ui/table/columns/layout.ts";
import { isFilterName, type ListSearch, type SetListSearch } from "#ui/table/list-search.ts";
import type { ListScreenProps } from "#ui/table/list-screen-props.ts";
import { actionsOf, type RowMenuOpener } from "./RowMenu.tsx";
import { RowDetail } from "./RowDetail.tsx";
import type { RowsView } from "./rows-view.ts";
import type { RowWork } from "./TableRow.tsx";
import { useLatest } from "#ui/table/use-latest.ts";
import { useRows } from "./use-rows.ts";

type ViewProps<Row> = Omit<ListScreenProps<Row, ListSearch>, "onSearch"> & {
  readonly onSearch: SetListSearch;
  /** The columns that were left out for lack of room; the unfolded rows show them. */
  readonly left: readonly Column<Row>[];
  /** Whether records open beside the list. */
  readonly peekable?: boolean;
};

export type ListView<Row> = RowsView<Row> & {
  readonly selected: readonly Row[];
  readonly select: (ids: readonly string[]) => void;
  readonly actions: readonly RowAction<Row>[];
  /** Runs the action "edit" on a row, if the row has this action. */
  readonly edit: (id: string) => void;
};

const none: readonly never[] = [];

/** Prepares everything that rows are drawn from, for tables and cards. */
export function useRowsView<Row>(
  props: ViewProps<Row>,
  menu: RefObject<RowMenuOpener<Row> | null>,
): ListView<Row> {
  const { query, search, expand, left, rowActions = none } = props;
  const table = useRows({
    items: query.data?.items ?? none,
    rowId: props.rowId,
    scope: scopeOf(search),
  });
  const work = useRowWork(props, table.toggle, menu);
  const selectable = props.selectable ?? (props.bulkActions?.length ?? 0) > 0;
  const expandable = expand !== undefined || left.length > 0;
  const actions = rowActions.length > 0;
  const { columns } = props;
  const layout = useMemo(
    () => tableLayout(columns, { selectable, expandable, actions }),
    [columns, selectable, expandable, actions],
  );
  const expanded = new Set(expandedIds(search.expanded));
  return {
    ...table,
    columns,
    layout,
    actions: rowActions,
    edit(id) {
      const row = table.rows.find((each) => each.id === id)?.record;
      if (row === undefined) return;
      const action = actionsOf(rowActions, row).find(({ key }) => key === "edit");
      if (action?.disabled?.(row) === undefined) action?.onSelect(row);
    },
    rowProps: ({ id, record, selected }) => ({
      id,
      row: record,
      name: props.rowName(record),
      columns,
      layout,
      actions: rowActions,
      work,
      selected,
      muted: props.rowTone?.(record) === "muted",
      openable: props.onOpen !== undefined,
      peeked: props.peekable === true ? search.peek === id : null,
      detail:
        expandable && expanded.has(id) ? (
          <RowDetail row={record} columns={left}>
            {expand?.(record)}
          </RowDetail>
        ) : null,
    }),
  };
}

/**
 * Returns the callbacks of all rows. They stay the same functions for the life of the table, so
 * that they make no row draw again.
 */
function useRowWork<Row>(
  props: ViewProps<Row>,
  toggle: RowWork<Row>["toggle"],
  menu: RefObject<RowMenuOpener<Row> | null>,
): RowWork<Row> {
  const latest = useLatest(props);
  return useMemo(
    () => ({
      toggle,
      open: (row) => latest.current.onOpen?.(row),
      toggleExpanded(id) {
        const { search, onSearch } = latest.current;
        onSearch({ expanded: toggleExpanded(search.expanded, id) }, { replace: true });
      },
      press(id, event) {
        if (isOwnPress(event)) return;
        const { search, onSearch } = latest.current;
        if (search.peek !== id) onSearch({ peek: id }, { replace: search.peek !== "" });
      },
      contextMenu(row, event) {
        if (keepsOwnMenu(event)) return;
        const { onRightClick, rowActions = none } = latest.current;
        if (onRightClick !== undefined) {
          event.preventDefault();
          onRightClick(row);
          return;
        }
        if (actionsOf(rowActions, row).length === 0) return;
        event.preventDefault();
        const { clientX: left, clientY: top } = event;
        menu.current?.open({ row, all: true }, { left, top, width: 0, height: 0 });
      },
      openMenu(row, button, all) {
        menu.current?.open({ row, all }, button.getBoundingClientRect(), button);
      },
    }),
    [latest, toggle, menu],
  );
}

/**
 * Whether a press belongs to something in the row, or only ended the marking of text. The cells of
 * the checkbox and of buttons belong to these as a whole, because presses beside them are mistakes.
 */
function isOwnPress({ target, currentTarget }: MouseEvent): boolean {
  // React also passes on presses in popups that a cell has opened.
  if (!(target instanceof Element) || !currentTarget.contains(target)) return true;
  if (target.closest("a, button, input, label, select, textarea, [role=button]") !== null) {
    return true;
  }
  const inCell = "[data-select], [aria-expanded], [aria-haspopup]";
  if ((target.closest("td, th")?.querySelector(inCell) ?? null) !== null) return true;
  return String(getSelection()) !== "";
}

/**
 * Makes a text that identifies the rows that the address asks for: it changes with filters, page
 * and order, and then the selection ends.
 */
function scopeOf(search: ListSearch): string {
  const filters = Object.entries(search).filter(([name]) => isFilterName(name));
  return JSON.stringify([search.page, search.size, search.sort, filters]);
}

/** Whether a right click keeps the browser's own menu, which is more useful on links and fields. */
function keepsOwnMenu(event: MouseEvent): boolean {
  return event.target instanceof Element && event.target.closest("a[href], input") !== null;
}
