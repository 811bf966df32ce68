import type {
  Dashboard,
  DashboardPart,
  DashboardShare,
} from "@tollgate/contract/endpoints/dashboard.ts";
import { Download } from "lucide-react";
import { type T, useT } from "#i18n/t.ts";
import { showQuotaShort } from "#display/quota.ts";
import { type RankedRow, RankedBars } from "#ui/chart/RankedBars.tsx";
import { IconButton } from "#ui/controls/IconButton.tsx";
import { saveFile } from "#ui/copy/save-file.ts";
import { Card } from "#ui/layout/Card.tsx";
import { byteOrderMark, csvCell } from "#ui/table/tools/csv.ts";
import { ModelMark } from "#widgets/brands/BrandMark.tsx";
import { useQuotaDisplay } from "#widgets/money/use-quota-display.ts";
import { showShare } from "./chart-values.ts";
import { type LogFilters, logLink, partFilters, type ShareKind } from "./log-links.ts";
import { partName } from "./part-name.ts";

const kinds = ["models", "tokens", "users", "channels"] as const;

/** The share of each model, token, user and channel in the cost of the span. */
export function ShareCards(props: { readonly data: Dashboard; readonly whole: LogFilters }) {
  const { data, whole } = props;
  return (
    <div className="grid gap-4 *:min-w-0 xl:grid-cols-2">
      {kinds.map((kind) => {
        const share = data[kind];
        return share === null ? null : (
          <ShareCard key={kind} kind={kind} data={data} share={share} whole={whole} />
        );
      })}
    </div>
  );
}

function ShareCard(props: {
  readonly kind: ShareKind;
  readonly data: Dashboard;
  readonly share: DashboardShare;
  readonly whole: LogFilters;
}) {
  const { kind, data, share, whole } = props;
  const t = useT();
  const display = useQuotaDisplay();
  const title = titleOf(kind, t);
  const { quota } = data.totals;
  const cellsOf = (row: Pick<DashboardPart, "calls" | "quota">): readonly string[] => [
    showQuotaShort(row.quota, display),
    showShare(row.quota, quota),
    row.calls.toLocaleString("en-US"),
  ];
  const placeOf = (row: DashboardPart, index: number): number | null => {
    // A model has the colour that it has in the charts.
    if (kind !== "models") return index;
    const place = data.series.findIndex(({ model_name }) => model_name === row.name);
    return place < 0 ? null : place;
  };
  const rows: RankedRow[] = share.top.map((row, index) => {
    const filters = partFilters(kind, row, whole);
    return {
      id: `${row.id} ${row.name}`,
      name: kind === "models" ? <ModelName name={row.name} /> : partName(kind, row, t),
      share: quota <= 0 ? 0 : Math.max(0, row.quota / quota),
      place: placeOf(row, index),
      cells: cellsOf(row),
      target: filters === null ? null : logLink(filters),
    };
  });
  if (share.rest.count > 0) {
    rows.push({
      id: "rest",
      name: t("dashboard.others", { count: share.rest.count }),
      share: quota <= 0 ? 0 : Math.max(0, share.rest.quota / quota),
      place: null,
      cells: cellsOf(share.rest),
      target: null,
    });
  }
  return (
    <Card
      title={<h2>{title}</h2>}
      actions={
        <IconButton
          label={t("dashboard.chartCsv", { title })}
          icon={<Download size={16} aria-hidden />}
          onClick={() => saveFile(csvOf(kind, share, t), `cost-by-${kind}.csv`)}
        />
      }
    >
      <RankedBars
        title={title}
        columns={[
          t("dashboard.name"),
          t("dashboard.cost"),
          t("dashboard.share"),
          t("dashboard.calls"),
        ]}
        rows={rows}
      />
    </Card>
  );
}

function ModelName({ name }: { readonly name: string }) {
  return (
    <span className="inline-flex max-w-full min-w-0 items-center gap-1.5 align-middle">
      <ModelMark model={name} />
      <span className="min-w-0 max-sm:wrap-anywhere sm:truncate">{name}</span>
    </span>
  );
}

function titleOf(kind: ShareKind, t: T): string {
  switch (kind) {
    case "channels":
      return t("dashboard.byChannel");
    case "models":
      return t("dashboard.byModel");
    case "tokens":
      return t("dashboard.byToken");
    case "users":
      return t("dashboard.byUser");
  }
}

/** Writes the parts with exact values. */
function csvOf(kind: ShareKind, { top, rest }: DashboardShare, t: T): Blob {
  const line = (cells: readonly (number | string)[]): string =>
    `${cells.map((cell) => csvCell(String(cell))).join(",")}\r\n`;
  const rowOf = (
    id: number | string,
    name: string,
    row: Omit<DashboardPart, "id" | "name">,
  ): string => line([id, name, row.quota, row.calls, row.prompt_tokens, row.completion_tokens]);
  const head = line(["id", "name", "quota", "calls", "prompt_tokens", "completion_tokens"]);
  const rows = top.map((row) => rowOf(row.id, partName(kind, row, t), row));
  if (rest.count > 0) rows.push(rowOf("", t("dashboard.others", { count: rest.count }), rest));
  return new Blob([byteOrderMark, head, ...rows], { type: "text/csv;charset=utf-8" });
}
