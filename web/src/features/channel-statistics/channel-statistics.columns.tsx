/** The columns of the statistics of channels. */

import type { T } from "#i18n/t.ts";
import { Badge } from "#ui/feedback/Badge.tsx";
import { Muted } from "#ui/feedback/Muted.tsx";
import { CutText } from "#ui/table/cells/CutText.tsx";
import { Tip } from "#ui/table/cells/TipArea.tsx";
import type { Column } from "#ui/table/column.ts";
import { successOf, type UseRow } from "./use-rows.ts";

type Deps = { readonly t: T; readonly quotaPerUnit: number };

export function statisticsColumns({ t, quotaPerUnit }: Deps): Column<UseRow>[] {
  /** Makes a column with a whole number, which the row of the sums has too. */
  const number = (
    id: "attempts" | "count" | "retries" | "token_used",
    rest: Omit<Column<UseRow>, "cell" | "csv" | "id">,
  ): Column<UseRow> => ({
    ...rest,
    id,
    align: "right",
    sort: true,
    cell: (row) => <Sum row={row} text={row[id].toLocaleString("en-US")} />,
    csv: (row) => String(row[id]),
  });
  const dollars = (row: UseRow) => `$${(row.quota / quotaPerUnit).toFixed(6)}`;
  return [
    {
      id: "channel_id",
      title: t("channelStatistics.channel"),
      rank: 1,
      width: 140,
      grow: 1,
      sort: true,
      card: "title",
      cell: (row) =>
        row.isTotal ? (
          <strong>{t("channelStatistics.total")}</strong>
        ) : (
          <ChannelText row={row} t={t} />
        ),
      csv: (row) => String(row.channel_id),
    },
    {
      id: "model_name",
      title: t("channelStatistics.model"),
      rank: 1,
      width: 140,
      grow: 1,
      sort: true,
      card: "fact",
      brief: (row) => row.model_name || null,
      cell: (row) =>
        row.model_name === "" ? <Muted>–</Muted> : <CutText>{row.model_name}</CutText>,
      csv: (row) => row.model_name,
    },
    number("token_used", { title: t("channelStatistics.tokens"), rank: 2, width: 96 }),
    number("count", {
      title: t("channelStatistics.count"),
      rank: 1,
      width: 72,
      card: "fact",
      brief: ({ count }) => t("channelStatistics.countShort", { count }),
    }),
    {
      id: "quota",
      title: t("channelStatistics.cost"),
      rank: 1,
      width: 110,
      align: "right",
      sort: true,
      card: "lead",
      cell: (row) => <Sum row={row} text={dollars(row)} />,
      csv: (row) => (row.quota / quotaPerUnit).toFixed(6),
    },
    ...outcomeColumns(t),
    number("attempts", { title: t("channelStatistics.attempts"), rank: 4, width: 84 }),
    number("retries", { title: t("channelStatistics.retries"), rank: 3, width: 72 }),
  ];
}

function outcomeColumns(t: T): Column<UseRow>[] {
  const time = (id: "first_byte_p50" | "first_byte_p99", title: string): Column<UseRow> => ({
    id,
    title,
    rank: 3,
    width: 84,
    align: "right",
    sort: true,
    cell: (row) => (row[id] === null ? <Muted>–</Muted> : showMs(row[id])),
    csv: (row) => String(row[id] ?? ""),
  });
  return [
    {
      id: "success",
      title: t("channelStatistics.success"),
      rank: 2,
      width: 84,
      align: "right",
      sort: true,
      card: "fact",
      brief: (row) => (successOf(row) === null ? null : <Success row={row} t={t} />),
      cell: (row) => <Success row={row} t={t} />,
      csv: (row) => String(successOf(row) ?? ""),
    },
    time("first_byte_p50", t("channelStatistics.p50")),
    time("first_byte_p99", t("channelStatistics.p99")),
  ];
}

/** Shows a number, in bold in the row of totals. */
function Sum({ row, text }: { row: UseRow; text: string }) {
  return row.isTotal ? <strong>{text}</strong> : text;
}

function ChannelText({ row, t }: { row: UseRow; t: T }) {
  return (
    <span className="flex min-w-0 items-center gap-1.5">
      <Muted>{row.channel_id}</Muted>
      <CutText>{row.channel_name || t("channelStatistics.deleted")}</CutText>
    </span>
  );
}

/** From these shares of successful attempts on a channel is shown as good, or as passable. */
const goodFrom = 0.99;
const passableFrom = 0.9;

/** The share of successful attempts; its tooltip says why the others failed. */
function Success({ row, t }: { row: UseRow; t: T }) {
  const share = successOf(row);
  if (share === null) return <Muted>–</Muted>;
  const tone = share >= goodFrom ? "success" : share >= passableFrom ? "warning" : "danger";
  return (
    <Tip text={failuresOf(row, t)}>
      <span tabIndex={0}>
        <Badge tone={tone}>{`${(Math.floor(share * 1_000) / 10).toFixed(1)} %`}</Badge>
      </span>
    </Tip>
  );
}

function failuresOf(row: UseRow, t: T): string {
  const causes = [
    [row.failed_key, t("channelStatistics.failedKey")],
    [row.failed_limit, t("channelStatistics.failedLimit")],
    [row.failed_server, t("channelStatistics.failedServer")],
    [row.failed_network, t("channelStatistics.failedNetwork")],
    [row.failed_answer, t("channelStatistics.failedAnswer")],
    [row.broken, t("channelStatistics.broken")],
  ] as const;
  const { succeeded, failed } = row;
  return [
    t("channelStatistics.outcome", { succeeded, failed }),
    ...causes.filter(([count]) => count > 0).map(([count, name]) => `${name}: ${count}`),
  ].join("\n");
}

function showMs(ms: number): string {
  return ms < 1_000 ? `${ms} ms` : `${(ms / 1_000).toFixed(ms < 10_000 ? 2 : 1)} s`;
}
