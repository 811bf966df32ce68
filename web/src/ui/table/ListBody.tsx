import { type ReactNode, useEffect, useEffectEvent, useRef, useState } from "react";
import { useT } from "#i18n/t.ts";
import type { BulkAction, BulkResult } from "./column.ts";
import { BulkBar, type Matching } from "./tools/BulkBar.tsx";
import { type PartialResult, partialResult } from "./tools/bulk-result.ts";
import { CardList } from "./rows/CardList.tsx";
import { DataTable } from "./rows/DataTable.tsx";
import { LeftColumns } from "./columns/LeftColumns.tsx";
import { ListBanners } from "./ListBanners.tsx";
import { listState } from "./list-state.ts";
import type { ListSearch, SetListSearch } from "./list-search.ts";
import type { ListScreenProps } from "./list-screen-props.ts";
import { NoRows } from "./NoRows.tsx";
import { RowMenu, type RowMenuOpener } from "./rows/RowMenu.tsx";
import { SkeletonCards, SkeletonRows } from "./rows/SkeletonRows.tsx";
import { frameWide } from "./cells/row-look.ts";
import { useTableSettings } from "./views/table-settings.ts";
import { TipArea } from "./cells/TipArea.tsx";
import { toast } from "#ui/overlays/toast.ts";
import { useOnline, useWide } from "./use-browser.ts";
import { useRowKeys } from "./rows/use-row-keys.ts";
import { useListView } from "./rows/use-list-view.tsx";
import type { ListView } from "./rows/use-rows-view.tsx";

type ListBodyProps<Row> = Omit<ListScreenProps<Row, ListSearch>, "onSearch"> & {
  readonly onSearch: SetListSearch;
  readonly filtered: boolean;
  readonly onClear: () => void;
  /** Whether the bar of bulk actions stands there before a row is selected. */
  readonly picking?: boolean;
  readonly onPicking?: (() => void) | undefined;
  /** Whether records open beside the list. */
  readonly peekable?: boolean;
  /** Opens the explanation of the list's keys; absent: the list has none. */
  readonly onHelp?: () => void;
};

const noActions: readonly never[] = [];

/**
 * The rows of a list, or what replaces them, together with the menu and the tooltip that all rows
 * share.
 */
export function ListBody<Row>(props: ListBodyProps<Row>) {
  const { query, search, onSearch, filtered, bulkActions = noActions } = props;
  const t = useT();
  const online = useOnline();
  const wide = useWide();
  const menu = useRef<RowMenuOpener<Row>>(null);
  const { density } = useTableSettings(props.id);
  const area = useRef<HTMLDivElement>(null);
  const { view, cards, left } = useListView(props, { area, menu, density, wide });
  const [partial, setPartial] = useState<PartialResult | null>(null);
  useReadAgainOnline(query.refetch);
  const state = listState(query, filtered, online);

  const matching = useMatching(props, view);
  const { peekable = false } = props;
  useRowKeys(area, {
    edit: view.edit,
    help: props.onHelp,
    peek: peekable
      ? (id) => onSearch({ peek: search.peek === id ? "" : id }, { replace: search.peek !== "" })
      : undefined,
    isPeeking: peekable && search.peek !== "",
  });

  const finish = (
    action: BulkAction<Row>,
    rows: readonly Row[],
    result: BulkResult | undefined,
  ) => {
    const named = rows.map((row) => ({ id: props.rowId(row), name: props.rowName(row) }));
    const left = partialResult(action, result, named);
    setPartial(left);
    view.select(left === null ? [] : left.failed.map((row) => row.id));
    if (left !== null || result === undefined) return;
    toast({
      tone: "success",
      title: t("ui.tableBulkDone", { action: action.label, count: result.done }),
    });
  };
  const noRows = (
    <NoRows
      state={state}
      empty={props.empty}
      error={query.error}
      onRetry={() => void query.refetch()}
      onClear={props.onClear}
    />
  );
  return (
    <TipArea>
      <ListBanners
        online={online || query.data === undefined}
        error={query.data === undefined ? null : query.error}
        onRetry={() => void query.refetch()}
        partial={partial}
        onDismiss={() => setPartial(null)}
      />
      <div ref={area} data-density={density} className="relative">
        {query.isFetching && query.data !== undefined && <BusyBar />}
        {wide ? (
          <>
            <DataTable
              view={view}
              label={props.title}
              busy={query.isFetching}
              sort={search.sort}
              onSort={(sort) => onSearch({ sort, page: 1 })}
              instead={insteadOfRows(state, view, search.size, noRows)}
            />
            {state === "rows" && <LeftColumns columns={left} />}
          </>
        ) : state === "rows" ? (
          <CardList view={view} cards={cards} label={props.title} busy={query.isFetching} />
        ) : state === "loading" ? (
          <SkeletonCards size={search.size} />
        ) : (
          <div className="flex min-h-[52dvh] flex-col justify-center rounded border border-line bg-panel">
            {noRows}
          </div>
        )}
      </div>
      <RowMenu actions={view.actions} ref={menu} />
      <BulkBar
        selected={view.selected}
        count={props.countSelected?.(view.selected) ?? view.selected.length}
        always={props.picking === true && bulkActions.length > 0}
        matching={bulkActions.length > 0 ? matching : null}
        actions={bulkActions}
        onResult={finish}
        onClear={() => {
          if (view.selected.length === 0) props.onPicking?.();
          view.select([]);
        }}
      />
    </TipArea>
  );
}

/**
 * The largest number of rows of one bulk action. With a hundred rows a call, these are fifty calls
 * to read the rows and fifty to change them.
 */
const matchingMax = 5_000;

/**
 * Returns all rows that match the filters, for bulk actions. Null unless every row of the page is
 * selected and there are further pages.
 */
function useMatching<Row>(
  { query, rowId, fetchPage }: ListBodyProps<Row>,
  view: ListView<Row>,
): Matching<Row> | null {
  const [chosen, setChosen] = useState(false);
  const total = query.data?.total ?? 0;
  const isPage = view.rows.length > 0 && view.selected.length === view.rows.length;
  if (chosen && !isPage) setChosen(false);
  if (fetchPage === undefined || !isPage || total <= view.rows.length) return null;
  return {
    count: Math.min(total, matchingMax),
    isCut: total > matchingMax || query.data?.capped === true,
    chosen,
    onChoose: () => setChosen(true),
    async read(signal) {
      const { walkPages } = await import("./tools/walk-pages.ts");
      const all: Row[] = [];
      const onRows = (rows: readonly Row[]) => void all.push(...rows);
      await walkPages({ fetchPage, rowId, limit: matchingMax, signal, onRows });
      return all;
    },
  };
}

function insteadOfRows<Row>(
  state: ReturnType<typeof listState>,
  view: ListView<Row>,
  size: number,
  noRows: ReactNode,
): ReactNode {
  if (state === "rows") return null;
  if (state === "loading") {
    return <SkeletonRows columns={view.columns} layout={view.layout} size={size} />;
  }
  return (
    <tr>
      <td colSpan={view.layout.span} className="p-0">
        <div className={`${frameWide} flex min-h-[52dvh] flex-col justify-center`}>{noRows}</div>
      </td>
    </tr>
  );
}

/** A progress bar that shows while the rows on the screen are read again. */
function BusyBar() {
  return (
    <div
      aria-hidden
      className="absolute inset-x-0 top-0 z-4 h-0.5 animate-pulse rounded bg-accent-solid motion-reduce:animate-none"
    />
  );
}

function useReadAgainOnline(refetch: () => unknown): void {
  const read = useEffectEvent(() => void refetch());
  useEffect(() => {
    addEventListener("online", read);
    return () => removeEventListener("online", read);
  }, []);
}
