import { Suspense, useState } from "react";
import { useT } from "#i18n/t.ts";
import { Page } from "#ui/layout/Page.tsx";
import { PageHeader } from "#ui/layout/PageHeader.tsx";
import type { Filter, Keyword, ListPage, ListQuery } from "./column.ts";
import { clearPatch, isFiltering, isNone } from "./list-state.ts";
import { FewRows, fewRowsMax } from "./FewRows.tsx";
import type { ListSearch, SetListSearch } from "./list-search.ts";
import { ListBody } from "./ListBody.tsx";
import type { ListScreenProps } from "./list-screen-props.ts";
import { CsvExport, PeekPanel, ShortcutsDialog } from "./lazy-parts.ts";
import { usePeek } from "./peek/use-peek.ts";
import { ListMenu } from "./tools/ListMenu.tsx";
import type { FileFormat } from "./tools/csv.ts";
import { ListTools } from "./tools/ListTools.tsx";
import { Pager } from "./pages/Pager.tsx";
import { useStepBack } from "./pages/use-step-back.ts";
import { RefreshControl } from "./tools/RefreshControl.tsx";
import { Toolbar } from "./tools/Toolbar.tsx";
import { useWide } from "./use-browser.ts";
import { useAddressEscape } from "./use-address-escape.ts";
import { useShownColumns } from "./columns/use-shown-columns.ts";

const none: readonly never[] = [];

/**
 * The list that every screen with a list uses: address, toolbar, rows, pager, and every state
 * between loading and failure. A screen provides columns, search and query.
 */
export function ListScreen<Row, Search extends ListSearch>(props: ListScreenProps<Row, Search>) {
  const { id, search, query, keyword, filters = none, fetchPage } = props;
  // Safe cast: the screen made its filters from its own search schema, so a patch has only keys of
  // that schema.
  const onSearch = props.onSearch as SetListSearch;
  const t = useT();
  const wide = useWide();
  useStepBack(search, query, onSearch);
  useAddressEscape(search, onSearch);
  const columns = useShownColumns(id, props.columns);
  const [exporting, setExporting] = useState<FileFormat | null>(null);
  const [help, setHelp] = useState(false);
  const picking = usePicking(props);
  const clear = () => onSearch(clearPatch(filters, keyword?.name));
  const values: Readonly<Record<string, unknown>> = search;
  const filtered = isFiltered(values, filters, keyword);

  const { isFetching, refetch } = query;
  const refresh = { id, updatedAt: query.dataUpdatedAt, isFetching, refetch };
  const tools = {
    id,
    columns: props.columns,
    names: Object.keys(search),
    onSearch,
    onHelp: () => setHelp(true),
    onExport: fetchPage && ((format: FileFormat) => setExporting(format)),
    hasLines: props.readAll !== undefined,
    exporting: exporting !== null,
    viewsPopup: props.viewsPopup,
    ...picking,
  };

  return (
    <Page>
      <div data-list={id} className="flex min-w-0 flex-col gap-3">
        <PageHeader
          title={props.title}
          // On phones the description is left out for lack of room.
          description={wide ? props.description : undefined}
          actions={
            wide && props.controls !== undefined ? (
              <>
                {props.controls}
                {props.actions}
              </>
            ) : (
              props.actions
            )
          }
        />
        {props.summary}
        <Toolbar
          keyword={keyword}
          filters={filters}
          search={values}
          onSearch={onSearch}
          onClear={clear}
          controls={props.controls}
          controlsSet={props.controlsSet ?? 0}
          onAgain={refetch}
          end={
            <>
              {props.live}
              {wide ? (
                <>
                  <RefreshControl {...refresh} />
                  <ListTools {...tools} />
                </>
              ) : (
                <ListMenu {...refresh} {...tools} />
              )}
            </>
          }
        />
        <FileExport
          {...props}
          columns={columns}
          format={exporting}
          onEnd={() => setExporting(null)}
        />
        <ListBody
          {...props}
          peekable
          {...picking}
          onSearch={onSearch}
          filtered={filtered}
          onClear={clear}
          onHelp={() => setHelp(true)}
        />
        {query.data !== undefined && (query.data.items.length > 0 || search.page > 1) && (
          <Pager
            page={search.page}
            size={search.size}
            data={withoutFooter(query.data, props.footerRows ?? 0)}
            onChange={(patch) => onSearch(patch)}
          />
        )}
        {!filtered && hasFewRows(query, search) && <FewRows hint={props.few} />}
        <span role="status" className="sr-only">
          {query.data !== undefined &&
            query.data.total !== null &&
            t("ui.tableFound", { count: query.data.total })}
        </span>
      </div>
      {search.peek !== "" && <PeekedRecord {...props} onSearch={onSearch} />}
      {props.children}
      {help && (
        <Suspense>
          <ShortcutsDialog onClose={() => setHelp(false)} />
        </Suspense>
      )}
    </Page>
  );
}

/** Writes the rows into a file, once a format is chosen. */
function FileExport<Row>(
  props: Pick<
    ListScreenProps<Row, ListSearch>,
    "columns" | "fetchPage" | "id" | "readAll" | "rowId"
  > & {
    readonly format: FileFormat | null;
    readonly onEnd: () => void;
  },
) {
  const { id, columns, fetchPage, readAll, rowId, format, onEnd } = props;
  if (format === null || fetchPage === undefined) return null;
  return (
    <Suspense>
      <CsvExport
        id={id}
        columns={columns}
        rowId={rowId}
        fetchPage={fetchPage}
        readAll={readAll}
        format={format}
        onEnd={onEnd}
      />
    </Suspense>
  );
}

function isFiltered(
  values: Readonly<Record<string, unknown>>,
  filters: readonly Filter[],
  keyword: Keyword | undefined,
): boolean {
  const isSearched = keyword !== undefined && !isNone(values[keyword.name]);
  return isSearched || filters.some((filter) => isFiltering(filter, values));
}

/**
 * Whether the bar of bulk actions stands there before a row is selected, and the function that
 * shows or hides it, where the list has such actions.
 */
function usePicking<Row>({ bulkActions = none }: { readonly bulkActions?: readonly Row[] }) {
  const [picking, setPicking] = useState(false);
  return { picking, onPicking: bulkActions.length > 0 ? () => setPicking(!picking) : undefined };
}

/** The record that is open beside the list. */
function PeekedRecord<Row>(
  props: Omit<ListScreenProps<Row, ListSearch>, "onSearch"> & { readonly onSearch: SetListSearch },
) {
  const { search, query, columns, rowActions = none } = props;
  const peek = usePeek(props);
  // Waits for the first rows: before them, the record would seem to be missing.
  if (query.data === undefined) return null;
  return (
    <Suspense>
      <PeekPanel<Row>
        peek={peek}
        id={search.peek}
        name={props.rowName}
        total={query.data.capped === true ? null : query.data.total}
        columns={columns}
        actions={rowActions}
        expand={props.expand}
      />
    </Suspense>
  );
}

function withoutFooter<Row>(data: ListPage<Row>, footerRows: number): ListPage<Row> {
  return footerRows === 0 ? data : { ...data, items: data.items.slice(0, -footerRows) };
}

/** Whether the whole list has only a few rows. */
function hasFewRows({ data }: ListQuery<unknown>, search: ListSearch): boolean {
  const count = data?.items.length ?? 0;
  return search.page === 1 && count > 0 && count <= fewRowsMax && data?.total === count;
}
