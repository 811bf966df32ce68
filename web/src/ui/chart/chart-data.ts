import type { LinkTarget } from "#ui/controls/Link.tsx";

/** One position on the time axis. */
export type ChartBucket = {
  /** Short, for the axis. */
  readonly label: string;
  /** With all details, for the tooltip and the table. */
  readonly exact: string;
};

type ChartSeries = {
  readonly name: string;
  /** The position that determines the colour; null: the series of all others. */
  readonly place: number | null;
  /** One value for each bucket. */
  readonly values: readonly number[];
};

export type BarChartData = {
  readonly buckets: readonly ChartBucket[];
  readonly series: readonly ChartSeries[];
  /** Whether all values are whole numbers, so that no line stands between two of them. */
  readonly isWhole?: boolean;
};

/** Finds what a bar, or a cell of the chart's table, leads to. */
export type LinkOfBar = (bucket: number, series: number | null) => LinkTarget | null;

export function sumOf(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}

/** Adds up all series in one bucket. */
export function bucketSum({ series }: BarChartData, bucket: number): number {
  return series.reduce((total, { values }) => total + (values[bucket] ?? 0), 0);
}
