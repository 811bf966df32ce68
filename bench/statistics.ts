import type { Latency } from "#bench/load/load-job.ts";

/** Returns the middle value, or the mean of the two in the middle; NaN without values. */
export function median(values: readonly number[]): number {
  return quantile(values, 0.5);
}

/**
 * Returns the value below which the share `part` of the values lies. Interpolates between two
 * values; NaN without values.
 * @param part 0.25: the lower quartile.
 */
export function quantile(values: readonly number[], part: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  const at = part * (sorted.length - 1);
  const lower = sorted[Math.floor(at)] ?? Number.NaN;
  const upper = sorted[Math.ceil(at)] ?? Number.NaN;
  return lower + (upper - lower) * (at - Math.floor(at));
}

/**
 * Returns the percentiles of durations.
 * @param durationsMs in any order; may be a million of them.
 */
export function latencyOf(durationsMs: number[]): Latency {
  const sorted = Float64Array.from(durationsMs).sort();
  const at = (part: number): number =>
    sorted[Math.min(sorted.length - 1, Math.ceil(part * sorted.length) - 1)] ?? 0;
  return { p50Ms: at(0.5), p99Ms: at(0.99), p999Ms: at(0.999), maxMs: at(1) };
}
