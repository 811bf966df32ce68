/** The columns of a statement, on the screen and in its CSV file. */

import type { Entry } from "@tollgate/contract/endpoints/entries.ts";
import { type T, useT } from "#i18n/t.ts";
import { Link } from "#ui/controls/Link.tsx";
import { Muted } from "#ui/feedback/Muted.tsx";
import type { Column } from "#ui/table/column.ts";
import { CutText } from "#ui/table/cells/CutText.tsx";
import { timeColumn } from "#widgets/columns/common-columns.tsx";
import { EntryAmount, EntryKind, entryKinds } from "#widgets/money/entry-look.tsx";
import { QuotaText } from "#widgets/money/QuotaText.tsx";
import { showMessage } from "#widgets/server/server-message.ts";

export const entryId = (entry: Entry) => String(entry.seq);

export function entryColumns(t: T): readonly Column<Entry>[] {
  return [
    timeColumn(
      { id: "created_at", title: t("entries.time"), rank: 2, card: "fact" },
      (row) => row.created_at,
    ),
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
      width: 130,
      align: "right",
      card: "lead",
      csv: (entry) => String(entry.amount),
      cell: (entry) => <EntryAmount entry={entry} />,
    },
    {
      id: "balance_after",
      title: t("entries.balance"),
      rank: 1,
      width: 130,
      align: "right",
      card: "fact",
      csv: (entry) => String(entry.balance_after),
      cell: (entry) => <QuotaText quota={entry.balance_after} inFull />,
    },
  ];
}

/** Makes a column with the change of the debt, only for exported files. */
function debtColumn(t: T): Column<Entry> {
  return {
    id: "debt",
    title: t("entries.debt"),
    rank: 5,
    width: 110,
    csv: (entry) => String(entry.debt),
    cell: (entry) => <QuotaText quota={entry.debt} />,
  };
}

/** Makes columns with the model and the request id of a call, only for exported files. */
function callColumns(t: T): readonly Column<Entry>[] {
  const parts = [
    ["model_name", t("entries.model")],
    ["request_id", t("entries.request")],
  ] as const;
  return parts.map(([id, title]) => ({
    id,
    title,
    rank: 5,
    width: 160,
    csv: (entry) => entry[id],
    cell: (entry) => entry[id],
  }));
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

/** Where the log shows the call that an entry is about. */
function callOf({ log_id: id, request_id, created_at: at }: Entry) {
  // A charge may be given back long after its call.
  return { request_id, start: Math.max(0, at - 86_400), end: at + 60, expanded: String(id) };
}

/** Shows the kind of a ledger entry, with its call or the entry's remark beside it. */
function Kind({ entry }: { readonly entry: Entry }) {
  const t = useT();
  return (
    <span className="flex min-w-0 items-center gap-2">
      <EntryKind kind={entry.kind} />
      {entry.model_name !== "" && (
        <span className="min-w-0 font-normal">
          <Link
            to="/log"
            search={callOf(entry)}
            look="plain"
            aria-label={t("entries.openCall", { model: entry.model_name })}
          >
            <CutText at="middle">{entry.model_name}</CutText>
          </Link>
        </span>
      )}
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

/** The columns of a CSV file, which has debt and remark in columns of their own. */
export function entryFileColumns(t: T): readonly Column<Entry>[] {
  return [...entryColumns(t), ...callColumns(t), debtColumn(t), detailColumn(t)];
}
