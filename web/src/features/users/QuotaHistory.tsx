import type { Entry } from "@tollgate/contract/endpoints/entries.ts";
import { Download } from "lucide-react";
import { Suspense, useMemo, useState } from "react";
import { useT } from "#i18n/t.ts";
import { Button } from "#ui/controls/Button.tsx";
import { Empty } from "#ui/feedback/Empty.tsx";
import { ErrorState } from "#ui/feedback/ErrorState.tsx";
import { Muted } from "#ui/feedback/Muted.tsx";
import { Skeleton } from "#ui/feedback/Skeleton.tsx";
import { Sheet } from "#ui/overlays/Sheet.tsx";
import { TimeCell } from "#ui/table/cells/TimeCell.tsx";
import { TipArea } from "#ui/table/cells/TipArea.tsx";
import { EntryAmount, EntryKind } from "#widgets/money/entry-look.tsx";
import { QuotaText } from "#widgets/money/QuotaText.tsx";
import { CsvExport } from "#ui/table/lazy-parts.ts";
import { entryFileColumns, entryId } from "#widgets/entries/entry-columns.tsx";
import { EntryTotals } from "#widgets/entries/EntryTotals.tsx";
import { historySize, readEntries, useEntries } from "./users.api.ts";
import { showMessage } from "#widgets/server/server-message.ts";

/** Lists all changes of a user's balance, newest first. */
export function QuotaHistory(props: {
  id: number;
  /** The username for the title; empty while it is not known. */
  name: string;
  page: number;
  onPage: (page: number) => void;
  /** Opens the form that changes the balance. */
  onEdit: () => void;
  onClose: () => void;
}) {
  const t = useT();
  const { data, error, refetch } = useEntries(props.id, props.page);
  return (
    <Sheet
      open
      onClose={props.onClose}
      title={t("users.history")}
      description={props.name}
      width="lg"
      footer={
        data !== undefined && data.total > historySize ? (
          <Pages page={props.page} total={data.total} onPage={props.onPage} />
        ) : undefined
      }
    >
      {data === undefined && error === null && <Skeleton height={240} />}
      {data === undefined && error !== null && (
        <ErrorState error={error} onRetry={() => void refetch()} />
      )}
      {data?.items.length === 0 && (
        <Empty
          title={t("users.historyEmpty")}
          description={t("users.historyEmptyText")}
          action={<Button onClick={props.onEdit}>{t("users.historyEmptyAction")}</Button>}
        />
      )}
      {data !== undefined && data.items.length > 0 && (
        <div className="flex flex-col gap-3">
          <EntryTotals statement={data} />
          <FileButton id={props.id} />
          <Entries entries={data.items} />
        </div>
      )}
    </Sheet>
  );
}

/** Writes the whole statement into a CSV file. */
function FileButton({ id }: { id: number }) {
  const t = useT();
  const columns = useMemo(() => entryFileColumns(t), [t]);
  const [isExporting, setExporting] = useState(false);
  return (
    <div className="flex flex-col gap-2">
      <div className="flex justify-end">
        <Button
          size="sm"
          icon={<Download size={14} aria-hidden />}
          loading={isExporting}
          onClick={() => setExporting(true)}
        >
          {t("ui.tableExport")}
        </Button>
      </div>
      <Suspense>
        {isExporting && (
          <CsvExport
            id={`statement-${id}`}
            columns={columns}
            rowId={entryId}
            fetchPage={(window, signal) => readEntries(id, window, signal)}
            onEnd={() => setExporting(false)}
          />
        )}
      </Suspense>
    </div>
  );
}

function Entries({ entries }: { entries: readonly Entry[] }) {
  const t = useT();
  return (
    <TipArea>
      <table className="w-full text-sm tabular-nums">
        <thead className="text-left text-xs">
          <tr>
            <th className="py-2 pr-3 font-medium">
              <Muted>{t("entries.time")}</Muted>
            </th>
            <th className="py-2 pr-3 font-medium">
              <Muted>{t("entries.kind")}</Muted>
            </th>
            <th className="py-2 pr-3 text-right font-medium">
              <Muted>{t("entries.amount")}</Muted>
            </th>
            <th className="py-2 text-right font-medium">
              <Muted>{t("entries.balance")}</Muted>
            </th>
          </tr>
        </thead>
        <tbody>
          {entries.map((entry) => (
            <EntryRow key={entry.seq} entry={entry} />
          ))}
        </tbody>
      </table>
    </TipArea>
  );
}

function EntryRow({ entry }: { entry: Entry }) {
  const t = useT();
  return (
    <tr className="align-top">
      <td className="py-2 pr-3 whitespace-nowrap">
        <TimeCell seconds={entry.created_at} />
      </td>
      <td className="py-2 pr-3">
        <EntryKind kind={entry.kind} />
        {entry.detail !== "" && (
          <span className="mt-1 block text-xs wrap-anywhere">
            <Muted>{showMessage(entry.detail, t)}</Muted>
          </span>
        )}
      </td>
      <td className="py-2 pr-3 text-right whitespace-nowrap">
        <EntryAmount entry={entry} />
      </td>
      <td className="py-2 text-right">
        <QuotaText quota={entry.balance_after} inFull />
      </td>
    </tr>
  );
}

function Pages(props: { page: number; total: number; onPage: (page: number) => void }) {
  const { page, total, onPage } = props;
  const t = useT();
  const pages = Math.ceil(total / historySize);
  return (
    <div className="flex w-full items-center justify-end gap-2">
      <span className="mr-auto text-sm tabular-nums">
        <Muted>{t("users.historyPage", { page, pages })}</Muted>
      </span>
      <Button disabled={page <= 1} onClick={() => onPage(page - 1)}>
        {t("users.previous")}
      </Button>
      <Button disabled={page >= pages} onClick={() => onPage(page + 1)}>
        {t("users.next")}
      </Button>
    </div>
  );
}
