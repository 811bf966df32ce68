import { ChevronsUpDown, PanelRight } from "lucide-react";
import { type RefObject, useMemo } from "react";
import { useT } from "#i18n/t.ts";
import type { Column, RowAction } from "#ui/table/column.ts";
import { type CardColumns, cardColumns } from "#ui/table/columns/card-columns.ts";
import { useFittingColumns } from "#ui/table/columns/use-fitting-columns.ts";
import { useShownColumns } from "#ui/table/columns/use-shown-columns.ts";
import type { SetListSearch, ListSearch } from "#ui/table/list-search.ts";
import type { ListScreenProps } from "#ui/table/list-screen-props.ts";
import { visibleActionsMax } from "#ui/table/cells/row-look.ts";
import { useLatest } from "#ui/table/use-latest.ts";
import { toggleExpanded } from "./expanded.ts";
import type { RowMenuOpener } from "./RowMenu.tsx";
import { type ListView, useRowsView } from "./use-rows-view.tsx";

type ViewProps<Row> = Omit<ListScreenProps<Row, ListSearch>, "onSearch"> & {
  readonly onSearch: SetListSearch;
  readonly peekable?: boolean;
};

const none: readonly never[] = [];

/**
 * Returns everything that a list's rows are drawn from. On a wide screen it has the columns that
 * fit into the table, on a phone the two lines of each row.
 */
export function useListView<Row>(
  props: ViewProps<Row>,
  place: {
    readonly area: RefObject<HTMLElement | null>;
    readonly menu: RefObject<RowMenuOpener<Row> | null>;
    readonly density: string;
    readonly wide: boolean;
  },
): {
  readonly view: ListView<Row>;
  readonly cards: CardColumns<Row>;
  /** The columns that were left out of the table for lack of room. */
  readonly left: readonly Column<Row>[];
} {
  const { area, menu, density, wide } = place;
  const rowActions = usePeekAction(props);
  const columns = useShownColumns(props.id, props.columns);
  const { fitting, left } = useFittingColumns({
    id: props.id,
    columns,
    area,
    selectable: props.selectable ?? (props.bulkActions?.length ?? 0) > 0,
    expandable: props.expand !== undefined,
    actions: rowActions,
    density,
    rows: props.query.data,
  });
  const cards = useMemo(() => cardColumns(columns), [columns]);
  const unfolding = useUnfoldAction({ ...props, rowActions }, cards.left.length > 0);
  const view = useRowsView(
    wide
      ? { ...props, rowActions, columns: fitting, left }
      : { ...props, columns, left: cards.left, rowActions: unfolding },
    menu,
  );
  return { view, cards, left };
}

/** Adds the action that opens the record beside the list, where a row has a menu for it. */
function usePeekAction<Row>(props: ViewProps<Row>): readonly RowAction<Row>[] {
  const { rowActions = none, peekable = false } = props;
  const t = useT();
  const latest = useLatest(props);
  return useMemo(() => {
    if (!peekable || rowActions.length <= visibleActionsMax) return rowActions;
    const peek: RowAction<Row> = {
      key: "peek",
      label: t("ui.tablePeek"),
      icon: <PanelRight size={16} aria-hidden />,
      inMenu: true,
      onSelect(row) {
        const { onSearch, rowId } = latest.current;
        onSearch({ peek: rowId(row) });
      },
    };
    return [...rowActions, peek];
  }, [t, rowActions, peekable, latest]);
}

/**
 * Adds unfolding to the row's menu on a phone, where a row has room for only one button, the
 * menu's.
 */
function useUnfoldAction<Row>(props: ViewProps<Row>, hasLeft: boolean): readonly RowAction<Row>[] {
  const { rowActions = none, expand } = props;
  const t = useT();
  const latest = useLatest(props);
  const unfolds = hasLeft || expand !== undefined;
  return useMemo(() => {
    if (rowActions.length === 0 || !unfolds) return rowActions;
    const unfold: RowAction<Row> = {
      key: "unfold",
      label: t("ui.tableDetailsColumn"),
      icon: <ChevronsUpDown size={16} aria-hidden />,
      onSelect(row) {
        const { search, onSearch, rowId } = latest.current;
        onSearch({ expanded: toggleExpanded(search.expanded, rowId(row)) }, { replace: true });
      },
    };
    return [unfold, ...rowActions];
  }, [t, rowActions, unfolds, latest]);
}
