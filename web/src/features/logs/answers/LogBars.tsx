import { lazy, Suspense, useMemo, useState } from "react";
import { showQuotaShort } from "#display/quota.ts";
import { useT } from "#i18n/t.ts";
import { Legend } from "#ui/chart/ChartCard.tsx";
import { ChartTable } from "#ui/chart/ChartTable.tsx";
import type { LinkTarget } from "#ui/controls/Link.tsx";
import { ErrorState } from "#ui/feedback/ErrorState.tsx";
import { Muted } from "#ui/feedback/Muted.tsx";
import { Skeleton } from "#ui/feedback/Skeleton.tsx";
import type { SetListSearch } from "#ui/table/list-search.ts";
import { useQuotaDisplay } from "#widgets/money/use-quota-display.ts";
import type { LogInput } from "#features/logs/logs.api.ts";
import type { LogSearch } from "#features/logs/logs.search.ts";
import { useLogChart } from "./answers.api.ts";
import { barsOf, drawnSeries, seriesFilter, timeFilter } from "./chart-view.ts";

const BarCanvas = lazy(async () => ({
  default: (await import("#ui/chart/BarCanvas.tsx")).BarCanvas,
}));

/** The height of the chart with its legend in pixels, so that the list below does not move. */
const chartHeight = 192;

/** The bars above the list, or the same figures as a table. */
export function LogBars(props: {
  readonly input: LogInput;
  readonly search: LogSearch;
  readonly view: "chart" | "table";
  readonly onSearch: SetListSearch<LogSearch>;
  readonly live: boolean;
}) {
  const { input, search, view, onSearch, live } = props;
  const { by, measure } = search;
  const t = useT();
  const display = useQuotaDisplay();
  const { data, error, refetch } = useLogChart(input, { by, measure }, live);
  const [hidden, setHidden] = useState<ReadonlySet<string>>(new Set());
  const bars = useMemo(
    () => (data === undefined ? undefined : barsOf(data, { by, measure }, t)),
    [data, by, measure, t],
  );
  if (data === undefined || bars === undefined) {
    if (error !== null) return <ErrorState error={error} onRetry={() => void refetch()} />;
    return <Skeleton height={chartHeight} />;
  }
  if (bars.series.every(({ values }) => values.every((value) => value === 0))) {
    return (
      <div className="flex items-center justify-center" style={{ height: chartHeight }}>
        <Muted>{t("logAnswers.nothing")}</Muted>
      </div>
    );
  }
  const show = (value: number): string => {
    if (measure === "quota") return showQuotaShort(Math.round(value), display);
    const shown = Math.round(value).toLocaleString("en-US");
    return measure === "first_byte" ? t("logs.milliseconds", { ms: shown }) : shown;
  };
  const drawn = drawnSeries(data, measure);
  const filterOf = (bucket: number, series: number | null): Partial<LogSearch> => {
    const of = series === null ? null : seriesFilter(by, drawn[series]);
    return of ?? timeFilter(data, bucket, bucket);
  };
  const toggle = (name: string): void => {
    const next = new Set(hidden);
    if (!next.delete(name)) next.add(name);
    setHidden(next);
  };
  const title = t("logAnswers.title");
  const total = measure === "first_byte" ? "–" : show(data.totals[measure]);
  return (
    <div className="flex min-w-0 flex-col gap-2" style={{ minHeight: chartHeight }}>
      {view === "table" ? (
        <ChartTable
          title={title}
          data={bars}
          timeTitle={t("dashboard.time")}
          show={show}
          linkOf={(bucket, series): LinkTarget => ({
            to: ".",
            search: {
              ...search,
              ...timeFilter(data, bucket, bucket),
              ...(series === null ? {} : filterOf(bucket, series)),
              page: 1,
            },
          })}
        />
      ) : (
        <>
          <div role="img" aria-label={t("dashboard.chartSummary", { title, total })}>
            <Suspense fallback={<Skeleton height={160} />}>
              <BarCanvas
                data={bars}
                hidden={hidden}
                show={show}
                onPick={(bucket, series) => onSearch(filterOf(bucket, series))}
                onBrush={(first, last) => onSearch(timeFilter(data, first, last))}
                isLow
              />
            </Suspense>
          </div>
          <Legend data={bars} hidden={hidden} onToggle={toggle} />
        </>
      )}
      {!data.is_whole && <Muted>{t("logAnswers.notWhole")}</Muted>}
    </div>
  );
}
