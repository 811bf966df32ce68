/** Where the parts of a chart of stacked bars stand, in pixels from its upper left corner. */

import type { BarChartData } from "./chart-data.ts";

export type BarLayout = {
  /** The edges of the bars' area. */
  readonly left: number;
  readonly right: number;
  readonly top: number;
  readonly bottom: number;
  /** The room of a bar and of the gap beside it, and the bar's own. */
  readonly step: number;
  readonly bar: number;
  /** The values of the lines behind the bars, least first: the last is the top. */
  readonly ticks: readonly number[];
};

/** The room above the bars, below them for the labels of the time, and at both sides. */
const topRoom = 12;
const labelRoom = 20;
const sideRoom = 4;
/** The gap between the labels of the values and the bars. */
const labelGap = 6;
const barMax = 40;
/** The part of its room that a bar takes. */
const barShare = 0.8;
/** About how many lines stand behind the bars. */
const linesWanted = 4;

/** The values drawn of a series; what is hidden, or below 0, is none. */
export function drawnValue(
  { series }: BarChartData,
  hidden: ReadonlySet<string>,
  place: { readonly series: number; readonly bucket: number },
): number {
  const one = series[place.series];
  if (one === undefined || hidden.has(one.name)) return 0;
  return Math.max(0, one.values[place.bucket] ?? 0);
}

/** @param widthOf measures the label of a value. */
export function layOut(
  data: BarChartData,
  hidden: ReadonlySet<string>,
  {
    width,
    height,
    widthOf,
  }: { readonly width: number; readonly height: number; widthOf: (value: number) => number },
): BarLayout {
  const sums = data.buckets.map((_, bucket) =>
    data.series.reduce(
      (sum, _one, series) => sum + drawnValue(data, hidden, { series, bucket }),
      0,
    ),
  );
  const ticks = ticksOf(Math.max(0, ...sums), data.isWhole);
  const left = sideRoom + Math.max(...ticks.map(widthOf)) + labelGap;
  const right = Math.max(left + 1, width - sideRoom);
  const step = (right - left) / Math.max(1, data.buckets.length);
  const bar = Math.min(barMax, step * barShare);
  return { left, right, top: topRoom, bottom: height - labelRoom, step, bar, ticks };
}

/**
 * Returns round values from 0 to one that is not below the largest.
 * @param isWhole whether they have to be whole numbers.
 */
export function ticksOf(largest: number, isWhole = false): readonly number[] {
  if (largest <= 0) return [0, 1];
  const rough = largest / linesWanted;
  const power = 10 ** Math.floor(Math.log10(rough));
  const round = power * ([1, 2, 5, 10].find((factor) => factor * power >= rough) ?? 10);
  const step = isWhole ? Math.max(1, round) : round;
  const count = Math.ceil(largest / step);
  return Array.from({ length: count + 1 }, (_, at) => at * step);
}

/** Returns the height at which a value stands. */
export function heightOf({ bottom, ticks, top }: BarLayout, value: number): number {
  return bottom - (value / (ticks.at(-1) ?? 1)) * (bottom - top);
}

/** Returns the bar nearest to a position. */
export function bucketAt({ left, step }: BarLayout, x: number, count: number): number {
  return Math.min(count - 1, Math.max(0, Math.floor((x - left) / step)));
}

/** Returns the series that is drawn at a height of a bar; null: none is. */
export function seriesAt(
  layout: BarLayout,
  data: BarChartData,
  hidden: ReadonlySet<string>,
  { bucket, y }: { readonly bucket: number; readonly y: number },
): number | null {
  let sum = 0;
  for (const series of data.series.keys()) {
    const value = drawnValue(data, hidden, { series, bucket });
    const isThere = y <= heightOf(layout, sum) && y >= heightOf(layout, sum + value);
    if (value > 0 && isThere) return series;
    sum += value;
  }
  return null;
}
