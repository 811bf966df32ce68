import { LinkButton } from "#ui/controls/LinkButton.tsx";
import type { Entry, Statement } from "@tollgate/contract/endpoints/entries.ts";
import { useMemo } from "react";
import { useT } from "#i18n/t.ts";
import { Link } from "#ui/controls/Link.tsx";
import type { FetchPage, ListQuery } from "#ui/table/column.ts";
import { ListSection } from "#ui/table/ListSection.tsx";
import type { ListSearch, SetListSearch } from "#ui/table/list-search.ts";
import type { SetValues } from "#ui/table/tools/FilterField.tsx";
import { useSelfUse } from "#widgets/server/use-status.ts";
import { entryColumns, entryFileColumns, entryId } from "./entry-columns.tsx";
import { EntryDays } from "./EntryDays.tsx";
import { EntryTotals } from "./EntryTotals.tsx";

const id = "own-entries";

/** The list's part of the address, with the text that it is searched by. */
export type EntrySearch = ListSearch & { readonly keyword: string };

/** The list of all changes of the user's balance, newest first. */
export function EntryHistory(props: {
  readonly search: EntrySearch;
  readonly onSearch: SetListSearch;
  readonly query: ListQuery<Entry>;
  /** The answer of the query, for its sums. */
  readonly statement: Statement | undefined;
  /** Reads further pages, for the CSV file. */
  readonly fetchPage: FetchPage<Entry>;
}) {
  const { search, onSearch, query } = props;
  const t = useT();
  const isSelfUse = useSelfUse();
  const columns = useMemo(() => entryColumns(t), [t]);
  const fileColumns = useMemo(() => entryFileColumns(t), [t]);
  return (
    <div className="flex min-w-0 flex-col gap-4">
      <EntryTotals statement={props.statement} />
      <EntryDays statement={props.statement} />
      <ListSection<Entry>
        id={id}
        anchor="history"
        title={t("entries.history")}
        description={
          <>
            {t("entries.historyHelp")} <Link to="/log">{t("entries.historyLog")}</Link>
          </>
        }
        search={search}
        onSearch={onSearch}
        query={query}
        fetchPage={props.fetchPage}
        columns={columns}
        fileColumns={fileColumns}
        keyword={{
          keyword: { name: "keyword", placeholder: t("entries.search") },
          search,
          // Safe cast: the list changes only the text and the page, which the address has.
          onSearch: onSearch as unknown as SetValues,
        }}
        rowId={entryId}
        empty={{
          title: t("entries.historyNone"),
          description: t("entries.historyNoneHow"),
          // In self-use mode nobody tops up.
          action: isSelfUse ? (
            <LinkButton to="/playground">{t("app.screenPlayground")}</LinkButton>
          ) : (
            <LinkButton to="/topup">{t("entries.topUp")}</LinkButton>
          ),
        }}
      />
    </div>
  );
}
