/** The columns of margins, and of calls that cost more than they were charged. */

import type { CostedCall, MarginRow } from "@tollgate/contract/endpoints/margins.ts";
import { showTimeExactly } from "#display/time.ts";
import type { T } from "#i18n/t.ts";
import { Badge } from "#ui/feedback/Badge.tsx";
import { Muted } from "#ui/feedback/Muted.tsx";
import { CutText } from "#ui/table/cells/CutText.tsx";
import { TimeCell } from "#ui/table/cells/TimeCell.tsx";
import type { Column } from "#ui/table/column.ts";
import { knownPercent, marginOf, marginPercent } from "#widgets/money/margin.ts";
import { QuotaText } from "#widgets/money/QuotaText.tsx";

type Deps = {
  readonly t: T;
  readonly quotaPerUnit: number;
  /** The title of the first column: what the rows are. */
  readonly title: string;
};

export function marginColumns({ t, quotaPerUnit, title }: Deps): Column<MarginRow>[] {
  const csv = (quota: number): string => (quota / quotaPerUnit).toFixed(6);
  return [
    {
      id: "name",
      title,
      rank: 1,
      width: 160,
      grow: 1,
      card: "title",
      cell: (row) => <Name row={row} t={t} />,
      csv: (row) => row.name || String(row.id),
    },
    {
      id: "calls",
      title: t("margins.calls"),
      rank: 3,
      width: 80,
      align: "right",
      cell: ({ calls }) => calls.toLocaleString("en-US"),
      csv: ({ calls }) => String(calls),
    },
    {
      id: "quota",
      title: t("margins.charged"),
      rank: 2,
      width: 110,
      align: "right",
      card: "fact",
      brief: ({ quota }) => (
        <>
          {t("margins.charged")} <QuotaText quota={quota} />
        </>
      ),
      cell: ({ quota }) => <QuotaText quota={quota} />,
      csv: ({ quota }) => csv(quota),
    },
    {
      id: "cost",
      title: t("margins.cost"),
      rank: 2,
      width: 110,
      align: "right",
      cell: ({ cost, costed_calls }) =>
        costed_calls === 0 ? <Muted>{t("margins.unknown")}</Muted> : <QuotaText quota={cost} />,
      csv: ({ cost, costed_calls }) => (costed_calls === 0 ? "" : csv(cost)),
    },
    {
      id: "margin",
      title: t("margins.margin"),
      rank: 1,
      width: 120,
      align: "right",
      card: "lead",
      cell: (row) => <Margin row={row} t={t} />,
      csv: (row) => {
        const margin = marginOf(row);
        return margin === null ? "" : csv(margin);
      },
    },
    {
      id: "percent",
      title: t("margins.percent"),
      rank: 2,
      width: 84,
      align: "right",
      card: "fact",
      brief: (row) => marginPercent(row),
      cell: (row) => marginPercent(row) ?? <Muted>–</Muted>,
      csv: (row) => marginPercent(row) ?? "",
    },
    {
      id: "known",
      title: t("margins.known"),
      rank: 3,
      width: 96,
      align: "right",
      cell: (row) => knownPercent(row) ?? <Muted>–</Muted>,
      csv: (row) => knownPercent(row) ?? "",
    },
  ];
}

function Name({ row, t }: { row: MarginRow; t: T }) {
  if (row.name !== "") return <CutText>{row.name}</CutText>;
  return <Muted>{row.id === 0 ? t("margins.none") : t("margins.deleted", { id: row.id })}</Muted>;
}

function Margin({ row, t }: { row: MarginRow; t: T }) {
  const margin = marginOf(row);
  if (margin === null) return <Muted>{t("margins.unknown")}</Muted>;
  if (margin >= 0) return <QuotaText quota={margin} />;
  return (
    <Badge tone="danger">
      <QuotaText quota={margin} />
    </Badge>
  );
}

export function lossColumns({ t, quotaPerUnit }: Omit<Deps, "title">): Column<CostedCall>[] {
  const csv = (quota: number): string => (quota / quotaPerUnit).toFixed(6);
  const money = (
    id: "cost" | "quota",
    title: string,
    rest: Pick<Column<CostedCall>, "rank">,
  ): Column<CostedCall> => ({
    ...rest,
    id,
    title,
    width: 110,
    align: "right",
    cell: (row) => <QuotaText quota={row[id]} />,
    csv: (row) => csv(row[id]),
  });
  return [
    {
      id: "created_at",
      title: t("margins.time"),
      rank: 1,
      width: 150,
      card: "title",
      cell: ({ created_at }) => <TimeCell seconds={created_at} />,
      csv: ({ created_at }) => showTimeExactly(created_at),
    },
    {
      id: "model_name",
      title: t("margins.model"),
      rank: 1,
      width: 140,
      grow: 1,
      card: "fact",
      cell: ({ model_name }) => <CutText>{model_name}</CutText>,
      csv: ({ model_name }) => model_name,
    },
    {
      id: "channel",
      title: t("margins.channel"),
      rank: 2,
      width: 120,
      grow: 1,
      cell: ({ channel, channel_name }) => <CutText>{`#${channel} ${channel_name}`}</CutText>,
      csv: ({ channel }) => String(channel),
    },
    {
      id: "username",
      title: t("margins.user"),
      rank: 3,
      width: 110,
      cell: ({ username }) => <CutText>{username}</CutText>,
      csv: ({ username }) => username,
    },
    money("quota", t("margins.charged"), { rank: 2 }),
    money("cost", t("margins.cost"), { rank: 2 }),
    {
      id: "loss",
      title: t("margins.margin"),
      rank: 1,
      width: 110,
      align: "right",
      card: "lead",
      cell: ({ cost, quota }) => (
        <Badge tone="danger">
          <QuotaText quota={quota - cost} />
        </Badge>
      ),
      csv: ({ cost, quota }) => csv(quota - cost),
    },
    {
      id: "request_id",
      title: t("margins.request"),
      rank: 5,
      width: 160,
      hidden: true,
      cell: ({ request_id }) => <CutText>{request_id}</CutText>,
      csv: ({ request_id }) => request_id,
    },
  ];
}
