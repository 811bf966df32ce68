import type { Rerate } from "@tollgate/contract/endpoints/rerates.ts";
import { showTime } from "#display/time.ts";
import type { T } from "#i18n/t.ts";
import { Badge } from "#ui/feedback/Badge.tsx";
import type { Column } from "#ui/table/column.ts";
import { CutText } from "#ui/table/cells/CutText.tsx";
import { QuotaText } from "#widgets/money/QuotaText.tsx";

/** Makes the columns of the list of re-rates. */
export function rerateColumns(t: T): readonly Column<Rerate>[] {
  return [
    {
      id: "id",
      title: t("rerates.number"),
      rank: 1,
      width: 190,
      card: "title",
      cell: (row) => (
        <span className="flex items-center gap-2 whitespace-nowrap tabular-nums">
          #{row.id} <StateBadge row={row} t={t} />
        </span>
      ),
      csv: ({ id }) => String(id),
    },
    {
      id: "span",
      title: t("rerates.span"),
      rank: 2,
      width: 210,
      card: "fact",
      cell: ({ start, end }) => `${showTime(start, "–")} – ${showTime(end, "–")}`,
      csv: ({ start, end }) => `${start} ${end}`,
    },
    {
      id: "done",
      title: t("rerates.calls"),
      rank: 2,
      width: 120,
      align: "right",
      card: "fact",
      cell: ({ done, calls }) =>
        `${done.toLocaleString("en-US")} / ${calls.toLocaleString("en-US")}`,
      csv: ({ done }) => String(done),
    },
    {
      id: "change",
      title: t("rerates.change"),
      rank: 1,
      width: 130,
      align: "right",
      card: "lead",
      cell: ({ raised, lowered }) => <Change amount={raised - lowered} />,
      csv: ({ raised, lowered }) => String(raised - lowered),
    },
    {
      id: "reason",
      title: t("rerates.reason"),
      rank: 3,
      width: 180,
      grow: 1,
      card: "fact",
      cell: ({ reason }) => <CutText>{reason}</CutText>,
      csv: ({ reason }) => reason,
    },
  ];
}

/** An amount with its sign. */
export function Change({ amount }: { readonly amount: number }) {
  return (
    <span className="whitespace-nowrap">
      {amount > 0 ? "+" : ""}
      <QuotaText quota={amount} inFull />
    </span>
  );
}

/** How a re-rate stands. */
function StateBadge({ row, t }: { readonly row: Rerate; readonly t: T }) {
  if (row.undone_by !== 0) return <Badge tone="neutral">{t("rerates.undone")}</Badge>;
  switch (row.state) {
    case "charging":
    case "telling":
      return <Badge tone="info">{t("rerates.running")}</Badge>;
    case "stopping":
    case "stopped":
      return <Badge tone="warning">{t("rerates.stopped")}</Badge>;
    case "done":
      return <Badge tone="success">{t(row.undoes === 0 ? "rerates.done" : "rerates.back")}</Badge>;
  }
}
