import { useEffect } from "react";
import { useT } from "#i18n/t.ts";
import { Page } from "#ui/layout/Page.tsx";
import { PageHeader } from "#ui/layout/PageHeader.tsx";
import type { ListQuery } from "./column.ts";
import { clearPatch, isFiltering, isNone } from "./list-state.ts";
import type { ListSearch, SetListSearch } from "./list-search.ts";
import { ListBody } from "./ListBody.tsx";
import type { ListScreenProps } from "./list-screen-props.ts";
import { pageBefore } from "./page-steps.ts";
import { Pager } from "./Pager.tsx";
import { RefreshControl } from "./RefreshControl.tsx";
import { Toolbar } from "./Toolbar.tsx";
import { useAddressEscape } from "./use-address-escape.ts";

const none: readonly never[] = [];

/**
 * A list as every screen has it: address, toolbar, rows, pager and all states between loading and
 * failure. A screen gives columns, search and query.
 */
export function ListScreen<Row, Search extends ListSearch>(props: ListScreenProps<Row, Search>) {
  const { search, query, keyword, filters = none } = props;
  // A patch names keys of the search schema: those of the filters, which the screen made from it.
  const onSearch = props.onSearch as SetListSearch;
  const t = useT();
  useStepBack(search, query, onSearch);
  useAddressEscape(search, onSearch);
  const clear = () => onSearch(clearPatch(filters, keyword?.name));
  const values: Readonly<Record<string, unknown>> = search;
  const filtered =
    filters.some((filter) => isFiltering(filter, values)) ||
    (keyword !== undefined && !isNone(values[keyword.name]));

  return (
    <Page>
      <div data-list={props.id} className="flex min-w-0 flex-col gap-3">
        <PageHeader title={props.title} description={props.description} actions={props.actions} />
        {props.summary}
        <Toolbar
          keyword={keyword}
          filters={filters}
          search={values}
          onSearch={onSearch}
          onClear={clear}
          end={
            <>
              {props.live}
              <RefreshControl
                id={props.id}
                updatedAt={query.dataUpdatedAt}
                isFetching={query.isFetching}
                refetch={query.refetch}
              />
            </>
          }
        />
        <ListBody {...props} onSearch={onSearch} filtered={filtered} onClear={clear} />
        {query.data !== undefined && (query.data.items.length > 0 || search.page > 1) && (
          <Pager
            page={search.page}
            size={search.size}
            data={query.data}
            onChange={(patch) => onSearch(patch)}
          />
        )}
        <span role="status" className="sr-only">
          {query.data !== undefined &&
            query.data.total !== null &&
            t("ui.tableFound", { count: query.data.total })}
        </span>
      </div>
      {props.children}
    </Page>
  );
}

/** Deleting the last rows of the last page leaves a page that is not there: shows the one before. */
function useStepBack(search: ListSearch, query: ListQuery<unknown>, onSearch: SetListSearch): void {
  const { data, isFetching } = query;
  useEffect(() => {
    if (isFetching || data === undefined || data.items.length > 0) return;
    const page = pageBefore(search.page, search.size, data.total);
    if (page !== null) onSearch({ page }, { replace: true });
  }, [data, isFetching, search.page, search.size, onSearch]);
}
