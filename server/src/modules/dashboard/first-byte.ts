import type { Dashboard } from "@tollgate/contract/dashboard.ts";
import { quantileOf } from "#canonical/attempts.ts";

/** Estimates the same from counts by bucket; null: there are none. */
export function firstByteIn(counts: readonly number[] | null): Dashboard["first_byte"] {
  if (counts === null) return null;
  const [p50, p99] = [quantileOf(counts, 0.5), quantileOf(counts, 0.99)];
  if (p50 === null || p99 === null) return null;
  return { p50, p99, calls: counts.reduce((sum, count) => sum + count, 0) };
}

/**
 * Computes the median and the 99th percentile of the times to the first byte.
 *
 * @param notes the column `other` of log rows, which has the time in milliseconds as `frt`, below 0
 *   for "never".
 */
export function firstByteOf(notes: readonly string[]): Dashboard["first_byte"] {
  const times = notes
    .flatMap((text) => /"frt":(\d+(?:\.\d+)?)/.exec(text)?.[1] ?? [])
    .map(Number)
    .toSorted((a, b) => a - b);
  if (times.length === 0) return null;
  const at = (share: number): number =>
    Math.round(times[Math.max(0, Math.ceil(share * times.length) - 1)] ?? 0);
  return { p50: at(0.5), p99: at(0.99), calls: times.length };
}
