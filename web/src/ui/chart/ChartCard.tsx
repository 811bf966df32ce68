import { ChartColumn, Download, Table } from "lucide-react";
import { lazy, Suspense, useMemo, useState } from "react";
import { useNavigate } from "@tanstack/react-router";
import { useT } from "#i18n/t.ts";
import { IconButton } from "#ui/controls/IconButton.tsx";
import { Segmented } from "#ui/controls/Segmented.tsx";
import { saveFile } from "#ui/copy/save-file.ts";
import { Skeleton } from "#ui/feedback/Skeleton.tsx";
import { Card } from "#ui/layout/Card.tsx";
import { byteOrderMark, csvCell } from "#ui/table/tools/csv.ts";
import { colourVariable } from "./chart-colours.ts";
import { type BarChartData, bucketSum, type LinkOfBar, sumOf } from "./chart-data.ts";
import { ChartTable } from "./ChartTable.tsx";

const BarCanvas = lazy(async () => ({ default: (await import("./BarCanvas.tsx")).BarCanvas }));

type View = "chart" | "table";

/**
 * A card with stacked bars over time. The same figures are there as a table, whose cells lead to
 * the same places as the bars, and as a CSV file.
 */
export function ChartCard(props: {
  readonly title: string;
  readonly data: BarChartData;
  /** The name of the table's first column. */
  readonly timeTitle: string;
  readonly show: (value: number) => string;
  readonly linkOf: LinkOfBar;
  readonly view: View;
  readonly onView: (view: View) => void;
  /** The name of the CSV file, without its ending. */
  readonly fileName: string;
}) {
  const { title, data, timeTitle, show, linkOf, view, onView, fileName } = props;
  const t = useT();
  const navigate = useNavigate();
  const [hidden, setHidden] = useState<ReadonlySet<string>>(new Set());
  const total = useMemo(
    () => data.series.reduce((sum, { values }) => sum + sumOf(values), 0),
    [data],
  );
  const pick = (bucket: number, series: number): void => {
    const target = linkOf(bucket, series);
    if (target?.to === undefined) return;
    // Safe cast: the kit does not know the routes, so any path is allowed here.
    void navigate({ to: target.to, search: (target.search ?? {}) as unknown as true });
  };
  const toggle = (name: string): void => {
    const next = new Set(hidden);
    if (!next.delete(name)) next.add(name);
    setHidden(next);
  };
  return (
    <Card
      title={<h2>{title}</h2>}
      actions={
        <>
          <Segmented<View>
            aria-label={t("dashboard.chartView", { title })}
            items={[
              {
                value: "chart",
                label: t("dashboard.chart"),
                icon: <ChartColumn size={14} aria-hidden />,
              },
              {
                value: "table",
                label: t("dashboard.table"),
                icon: <Table size={14} aria-hidden />,
              },
            ]}
            value={view}
            onChange={onView}
          />
          <IconButton
            label={t("dashboard.chartCsv", { title })}
            icon={<Download size={16} aria-hidden />}
            onClick={() => saveFile(csvOf(data, timeTitle), `${fileName}.csv`)}
          />
        </>
      }
    >
      {view === "table" ? (
        <ChartTable title={title} data={data} timeTitle={timeTitle} show={show} linkOf={linkOf} />
      ) : (
        <div className="flex flex-col gap-3">
          <div role="img" aria-label={t("dashboard.chartSummary", { title, total: show(total) })}>
            <Suspense fallback={<Skeleton height={256} />}>
              <BarCanvas data={data} hidden={hidden} show={show} onPick={pick} />
            </Suspense>
          </div>
          {data.series.length > 1 && <Legend data={data} hidden={hidden} onToggle={toggle} />}
        </div>
      )}
    </Card>
  );
}

/** The names of the series; pressing one hides its bars or shows them again. */
export function Legend(props: {
  readonly data: BarChartData;
  readonly hidden: ReadonlySet<string>;
  readonly onToggle: (name: string) => void;
}) {
  const { data, hidden, onToggle } = props;
  const t = useT();
  return (
    <ul aria-label={t("dashboard.chartLegend")} className="flex flex-wrap gap-x-1 gap-y-1">
      {data.series.map(({ name, place }) => (
        <li key={name} className="max-w-full">
          <button
            type="button"
            aria-pressed={!hidden.has(name)}
            onClick={() => onToggle(name)}
            className="inline-flex max-w-full items-center gap-1.5 rounded-inner px-1.5 py-0.5 text-sm hover:bg-hover aria-[pressed=false]:text-muted aria-[pressed=false]:line-through max-md:min-h-10"
          >
            <span
              aria-hidden
              className="size-2.5 shrink-0 rounded-inner"
              style={{ background: colourVariable(place) }}
            />
            <span className="truncate">{name}</span>
          </button>
        </li>
      ))}
    </ul>
  );
}

/** Writes the figures with their exact values, one line for each position on the time axis. */
export function csvOf(data: BarChartData, timeTitle: string): Blob {
  const line = (cells: readonly string[]): string => `${cells.map(csvCell).join(",")}\r\n`;
  const head = line([timeTitle, "total", ...data.series.map(({ name }) => name)]);
  const rows = data.buckets.map(({ exact }, bucket) =>
    line([
      exact,
      String(bucketSum(data, bucket)),
      ...data.series.map(({ values }) => String(values[bucket] ?? 0)),
    ]),
  );
  return new Blob([byteOrderMark, head, ...rows], { type: "text/csv;charset=utf-8" });
}
