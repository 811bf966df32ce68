/** Makes what the chart above the log shows from the server's answer. */

import type {
  ChartMeasure,
  ChartPart,
  LogChart,
} from "@tollgate/contract/endpoints/log-answers.ts";
import { daySeconds, hourSeconds, zoneOffset } from "@tollgate/contract/fields/time-zone.ts";
import type { T } from "#i18n/t.ts";
import type { BarChartData, ChartBucket } from "#ui/chart/chart-data.ts";
import { endingText } from "#features/logs/describe-log.ts";
import type { LogSearch } from "#features/logs/logs.search.ts";

/** The bars of a chart, by what they measure. */
export function barsOf(
  chart: LogChart,
  { by, measure }: { readonly by: ChartPart; readonly measure: ChartMeasure },
  t: T,
): BarChartData {
  const buckets = bucketsOf(chart);
  if (measure === "first_byte") {
    const values = chart.first_byte.map((ms) => ms ?? 0);
    return { buckets, series: [{ name: t("logAnswers.firstByteMedian"), place: 0, values }] };
  }
  const series = chart.series
    .map((one, place) => ({
      name: seriesName(one, by, t),
      place: one.value === null ? null : place,
      values: one[measure],
    }))
    .filter(({ values }) => values.some((value) => value !== 0));
  return { buckets, series, isWhole: measure !== "quota" };
}

type Series = LogChart["series"][number];

/** The series that a chart draws of a measure, in their order. */
export function drawnSeries(chart: LogChart, measure: ChartMeasure): readonly Series[] {
  if (measure === "first_byte") return [];
  return chart.series.filter((one) => one[measure].some((value) => value !== 0));
}

function seriesName({ value: key, name }: Series, by: ChartPart, t: T): string {
  if (key === null) return by === "reason" ? t("logAnswers.notFailed") : t("logAnswers.others");
  if (by === "reason") return endingText(key, t);
  if (by === "token" && key === "0") return t("logAnswers.noToken");
  if (by === "channel" && key === "0") return t("logAnswers.noChannel");
  const isId = by === "channel" || by === "token" || by === "user";
  if (name === "") return isId ? `#${key}` : "–";
  return by === "channel" ? `${name} #${key}` : name;
}

function bucketsOf({ buckets, time_zone: zone }: LogChart): ChartBucket[] {
  const step = (buckets[1] ?? 0) - (buckets[0] ?? 0);
  const span = (buckets.at(-1) ?? 0) - (buckets[0] ?? 0);
  return buckets.map((at) => {
    const text = new Date((at + zoneOffset(zone, at)) * 1_000).toISOString();
    const [day, time] = [text.slice(0, 10), text.slice(11, 16)];
    const isOfDays = step >= daySeconds - hourSeconds;
    if (isOfDays) return { label: day.slice(5), exact: day };
    const label = span > daySeconds ? `${day.slice(5)} ${time}` : time;
    return { label, exact: `${day} ${time}` };
  });
}

/** The filters for the calls of some bars; the log's end is inclusive. */
export function timeFilter(
  { buckets, start, end }: LogChart,
  first: number,
  last: number,
): Pick<LogSearch, "end" | "start"> {
  return {
    start: Math.max(start, buckets[first] ?? start),
    end: Math.min(end, buckets[last + 1] ?? end) - 1,
  };
}

/** The filter for the calls of a series; null: there is none. */
export function seriesFilter(
  by: ChartPart,
  series: Pick<Series, "name" | "value"> | undefined,
): Partial<LogSearch> | null {
  const key = series?.value ?? null;
  if (series === undefined || key === null) return null;
  switch (by) {
    case "channel":
      return key === "0" ? null : { channel: key };
    case "group":
      return key === "" ? null : { group: key };
    case "model":
      return key === "" ? null : { model_name: `=${key}` };
    case "reason":
      return { ending: key };
    case "token":
      return { token_id: key === "0" ? "-1" : key, token_name: "" };
    case "user":
      return series.name === "" ? null : { username: series.name };
  }
}
