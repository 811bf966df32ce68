/** Folds hours into the bars of a chart, and models into its series. */

import {
  type Dashboard,
  type DashboardSums,
  type Granularity,
  seriesMax,
} from "@tollgate/contract/endpoints/dashboard.ts";
import {
  addDays,
  daySeconds,
  hourSeconds,
  startOfDay,
  startOfWeek,
} from "@tollgate/contract/fields/time-zone.ts";
import { added, type HourOfModel } from "./charges.repo.ts";
import type { Span } from "./dashboard.repo.ts";

type Cut = { readonly zone: string; readonly granularity: Granularity };

/** The starts of all bars of a span, oldest first, also of those without calls. */
export function bucketsOf({ start, end }: Span, { zone, granularity }: Cut): number[] {
  const buckets: number[] = [];
  if (granularity === "hour") {
    for (let at = start; at < end; at += hourSeconds) buckets.push(at);
    return buckets;
  }
  const days = granularity === "day" ? 1 : 7;
  const first = granularity === "day" ? startOfDay(zone, start) : startOfWeek(zone, start);
  for (let at = first; at < end; at = addDays(zone, at, days)) buckets.push(at);
  return buckets;
}

/** Whether all bars begin with a UTC day, so that sums of such days can be drawn. */
export function areUtcDays(buckets: readonly number[]): boolean {
  return buckets.every((at) => at % daySeconds === 0);
}

/** Returns the position of the bar that contains a time; the bars are in order. */
export function placeOf(buckets: readonly number[], at: number): number {
  let [low, high] = [0, buckets.length - 1];
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if ((buckets[middle] ?? 0) <= at) low = middle;
    else high = middle - 1;
  }
  return low;
}

type ModelSums = DashboardSums & { readonly name: string };

/** Adds up the hours of each model. */
export function sumModels(rows: readonly HourOfModel[]): ModelSums[] {
  const models = new Map<string, DashboardSums>();
  for (const row of rows) models.set(row.model_name, added(models.get(row.model_name), row));
  return [...models].map(([name, sums]) => ({ ...sums, name }));
}

/**
 * Makes the series of the models with the largest charges, and one of all others.
 *
 * @param models the sums of all models.
 */
export function seriesOf(
  rows: readonly HourOfModel[],
  models: readonly ModelSums[],
  buckets: readonly number[],
): Dashboard["series"] {
  const names = models
    .toSorted((a, b) => b.quota - a.quota || b.calls - a.calls || (a.name < b.name ? -1 : 1))
    .slice(0, seriesMax)
    .map(({ name }) => name);
  const zeros = (): number[] => buckets.map(() => 0);
  const make = (model_name: string | null) => ({ model_name, quota: zeros(), calls: zeros() });
  const series = new Map<string | null, ReturnType<typeof make>>(
    names.map((name) => [name, make(name)]),
  );
  if (models.length > names.length) series.set(null, make(null));
  for (const { hour, model_name, quota, calls } of rows) {
    const place = placeOf(buckets, hour);
    const own = series.get(model_name) ?? series.get(null);
    if (own === undefined) continue;
    own.quota[place] = (own.quota[place] ?? 0) + quota;
    own.calls[place] = (own.calls[place] ?? 0) + calls;
  }
  return [...series.values()];
}
