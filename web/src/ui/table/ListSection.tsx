import { Download } from "lucide-react";
import { type ReactNode, Suspense, useState } from "react";
import { useT } from "#i18n/t.ts";
import { IconButton } from "#ui/controls/IconButton.tsx";
import { Section } from "#ui/layout/Section.tsx";
import type { Column, FetchPage, Keyword, ListQuery } from "./column.ts";
import { CsvExport, loadExport } from "./lazy-parts.ts";
import { ListBody } from "./ListBody.tsx";
import type { ListSearch, SetListSearch } from "./list-search.ts";
import type { ListScreenProps } from "./list-screen-props.ts";
import { Pager } from "./pages/Pager.tsx";
import { useStepBack } from "./pages/use-step-back.ts";
import { type SearchValues, type SetValues, textOf } from "./tools/FilterField.tsx";
import { RefreshControl } from "./tools/RefreshControl.tsx";
import { Toolbar } from "./tools/Toolbar.tsx";

/** How a list is searched: the field, its text in the address, and how to change it. */
type SectionKeyword = {
  readonly keyword: Keyword;
  readonly search: SearchValues;
  readonly onSearch: SetValues;
};

/** A list without filters that is a part of a page, with refresh, CSV file and pages. */
export function ListSection<Row>(props: {
  readonly id: string;
  /** The id of the section in the page's address; absent: it has none. */
  readonly anchor?: string;
  readonly title: string;
  readonly description: ReactNode;
  readonly search: ListSearch;
  readonly onSearch: SetListSearch;
  readonly query: ListQuery<Row>;
  /** Reads further pages, for the CSV file. */
  readonly fetchPage: FetchPage<Row>;
  readonly columns: readonly Column<Row>[];
  /** The columns of the CSV file, if it has others than the screen. */
  readonly fileColumns?: readonly Column<Row>[];
  /** Identifies a row, and names it to screen readers. */
  readonly rowId: (row: Row) => string;
  /** The search field above the rows; absent: the list has none. */
  readonly keyword?: SectionKeyword;
  readonly onOpen?: (row: Row) => void;
  readonly empty: ListScreenProps<Row, ListSearch>["empty"];
}) {
  const { id, title, search, onSearch, query, columns, rowId, onOpen, keyword } = props;
  const typed = keyword === undefined ? "" : textOf(keyword.search[keyword.keyword.name]);
  const clear = () => keyword?.onSearch({ [keyword.keyword.name]: undefined });
  const t = useT();
  const [isExporting, setExporting] = useState(false);
  const { data } = query;
  useStepBack(search, query, onSearch);
  return (
    // There is no card around it, because the table has a frame of its own.
    <Section
      {...(props.anchor === undefined ? {} : { id: props.anchor })}
      title={title}
      description={props.description}
      actions={
        <>
          <RefreshControl
            id={id}
            updatedAt={query.dataUpdatedAt}
            isFetching={query.isFetching}
            refetch={query.refetch}
          />
          <IconButton
            label={t("ui.tableExport")}
            icon={<Download size={16} aria-hidden />}
            loading={isExporting}
            onPointerEnter={() => void loadExport()}
            onClick={() => setExporting(true)}
          />
        </>
      }
    >
      <div className="flex min-w-0 flex-col gap-3">
        <Suspense>
          {isExporting && (
            <CsvExport
              id={id}
              columns={props.fileColumns ?? columns}
              rowId={rowId}
              fetchPage={props.fetchPage}
              onEnd={() => setExporting(false)}
            />
          )}
        </Suspense>
        {keyword !== undefined && (
          <Toolbar
            {...keyword}
            filters={[]}
            onClear={clear}
            controls={undefined}
            controlsSet={0}
            onAgain={query.refetch}
            end={null}
          />
        )}
        <ListBody<Row>
          id={id}
          title={title}
          search={search}
          onSearch={onSearch}
          query={query}
          columns={columns}
          rowId={rowId}
          rowName={rowId}
          {...(onOpen === undefined ? {} : { onOpen })}
          empty={props.empty}
          filtered={typed !== ""}
          onClear={clear}
        />
        {data !== undefined && (data.items.length > 0 || search.page > 1) && (
          <Pager page={search.page} size={search.size} data={data} onChange={onSearch} />
        )}
      </div>
    </Section>
  );
}
