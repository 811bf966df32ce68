/** Makes the charts of the dashboard from the server's answer. */

import type { Dashboard } from "@tollgate/contract/endpoints/dashboard.ts";
import type { BarChartData } from "#ui/chart/chart-data.ts";
import { bucketText } from "./bucket-text.ts";

/** @param restName the name of the series that adds up all models without a series of their own. */
export function chartOf(
  { buckets, series, granularity, time_zone: zone }: Dashboard,
  measure: "calls" | "quota",
  restName: string,
): BarChartData {
  return {
    isWhole: measure === "calls",
    buckets: buckets.map((at) => bucketText(at, zone, granularity)),
    series: series.map(({ model_name: name, ...values }, place) => ({
      name: name ?? restName,
      place: name === null ? null : place,
      values: values[measure],
    })),
  };
}

/**
 * The change against the span before, as a share of it: 0.25 is a quarter more. Null: there was
 * nothing before.
 */
export function changeOf(now: number, before: number): number | null {
  return before === 0 ? null : (now - before) / before;
}

/** Writes a change with its sign and without false exactness: `+12%`, `−3.5%`, `±0%`. */
export function showChange(change: number): string {
  const percent = Math.abs(change) * 100;
  const digits = percent < 10 ? 1 : 0;
  const shown = percent.toLocaleString("en-US", { maximumFractionDigits: digits });
  if (shown === "0") return "±0%";
  return `${change > 0 ? "+" : "−"}${shown}%`;
}

/** Writes a share of a whole: `12.5%`; a small one is never written as nothing. */
export function showShare(part: number, whole: number): string {
  if (whole <= 0 || part <= 0) return "0%";
  const percent = (part / whole) * 100;
  return percent < 0.1
    ? "<0.1%"
    : `${percent.toLocaleString("en-US", { maximumFractionDigits: 1 })}%`;
}
