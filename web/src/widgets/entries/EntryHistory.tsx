import { LinkButton } from "#ui/controls/LinkButton.tsx";
import type { Entry } from "@tollgate/contract/entries.ts";
import { Download } from "lucide-react";
import { Suspense, useEffect, useMemo, useState } from "react";
import { showTime } from "#display/time.ts";
import { type T, useT } from "#i18n/t.ts";
import { Link } from "#ui/controls/Link.tsx";
import { IconButton } from "#ui/controls/IconButton.tsx";
import { Muted } from "#ui/feedback/Muted.tsx";
import { Section } from "#ui/layout/Section.tsx";
import type { Column, FetchPage, ListQuery } from "#ui/table/column.ts";
import { CutText } from "#ui/table/cells/CutText.tsx";
import { CsvExport, loadExport } from "#ui/table/lazy-parts.ts";
import { ListBody } from "#ui/table/ListBody.tsx";
import type { ListSearch, SetListSearch } from "#ui/table/list-search.ts";
import { pageBefore } from "#ui/table/pages/page-steps.ts";
import { Pager } from "#ui/table/pages/Pager.tsx";
import { RefreshControl } from "#ui/table/tools/RefreshControl.tsx";
import { TimeCell } from "#ui/table/cells/TimeCell.tsx";
import { EntryAmount, EntryKind, entryKinds } from "#widgets/money/entry-look.tsx";
import { QuotaText } from "#widgets/money/QuotaText.tsx";
import { showMessage } from "#widgets/server/server-message.ts";

const id = "own-entries";

/** The list of all changes of the user's balance, newest first. */
export function EntryHistory(props: {
  readonly search: ListSearch;
  readonly onSearch: SetListSearch;
  readonly query: ListQuery<Entry>;
  /** Reads further pages, for the CSV file. */
  readonly fetchPage: FetchPage<Entry>;
}) {
  const { search, onSearch, query } = props;
  const t = useT();
  const columns = useMemo(() => entryColumns(t), [t]);
  const fileColumns = useMemo(() => [...columns, detailColumn(t)], [columns, t]);
  const [isExporting, setExporting] = useState(false);
  const { data } = query;
  useStepBack(search, query, onSearch);
  return (
    // This part has no card around it, unlike the others, because the table has a frame of its own.
    <Section
      id="history"
      title={t("entries.history")}
      description={
        <>
          {t("entries.historyHelp")} <Link to="/log">{t("entries.historyLog")}</Link>
        </>
      }
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
              columns={fileColumns}
              rowId={rowId}
              fetchPage={props.fetchPage}
              onEnd={() => setExporting(false)}
            />
          )}
        </Suspense>
        <ListBody<Entry>
          id={id}
          title={t("entries.history")}
          search={search}
          onSearch={onSearch}
          query={query}
          columns={columns}
          rowId={rowId}
          rowName={rowId}
          empty={{
            title: t("entries.historyNone"),
            description: t("entries.historyNoneHow"),
            action: <LinkButton to="/playground">{t("app.screenPlayground")}</LinkButton>,
          }}
          filtered={false}
          onClear={nothing}
        />
        {data !== undefined && (data.items.length > 0 || search.page > 1) && (
          <Pager page={search.page} size={search.size} data={data} onChange={onSearch} />
        )}
      </div>
    </Section>
  );
}

/** Goes to the last page if the address names one that does not exist (any more). */
function useStepBack(search: ListSearch, query: ListQuery<Entry>, onSearch: SetListSearch): void {
  const { data, isFetching } = query;
  useEffect(() => {
    if (isFetching || data === undefined || data.items.length > 0) return;
    const page = pageBefore(search.page, search.size, data.total);
    if (page !== null) onSearch({ page }, { replace: true });
  }, [data, isFetching, search.page, search.size, onSearch]);
}

const rowId = (entry: Entry) => String(entry.seq);
const nothing = () => {};

function entryColumns(t: T): readonly Column<Entry>[] {
  return [
    {
      id: "created_at",
      title: t("entries.time"),
      rank: 2,
      width: 110,
      card: "fact",
      csv: (entry) => showTime(entry.created_at, ""),
      cell: (entry) => <TimeCell seconds={entry.created_at} />,
    },
    {
      id: "kind",
      title: t("entries.kind"),
      rank: 1,
      width: 160,
      grow: 1,
      card: "title",
      csv: (entry) => t(entryKinds[entry.kind]),
      cell: (entry) => <Kind entry={entry} />,
    },
    {
      id: "amount",
      title: t("entries.amount"),
      rank: 1,
      width: 110,
      align: "right",
      card: "lead",
      csv: (entry) => String(entry.amount),
      cell: (entry) => <EntryAmount amount={entry.amount} />,
    },
    {
      id: "balance_after",
      title: t("entries.balance"),
      rank: 1,
      width: 110,
      align: "right",
      card: "fact",
      csv: (entry) => String(entry.balance_after),
      cell: (entry) => <QuotaText quota={entry.balance_after} />,
    },
  ];
}

/**
 * Makes a column with the entry's remark, only for exported files: the screen shows the remark
 * beside the kind.
 */
function detailColumn(t: T): Column<Entry> {
  return {
    id: "detail",
    title: t("entries.detail"),
    rank: 5,
    width: 160,
    csv: (entry) => showMessage(entry.detail, t),
    cell: (entry) => showMessage(entry.detail, t),
  };
}

/** Shows the kind of a ledger entry, with the entry's remark beside it. */
function Kind({ entry }: { readonly entry: Entry }) {
  const t = useT();
  return (
    <span className="flex min-w-0 items-center gap-2">
      <EntryKind kind={entry.kind} />
      {entry.detail !== "" && (
        <span className="min-w-0 font-normal">
          <Muted>
            <CutText>{showMessage(entry.detail, t)}</CutText>
          </Muted>
        </span>
      )}
    </span>
  );
}
