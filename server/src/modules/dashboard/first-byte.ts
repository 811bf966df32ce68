import type { Dashboard } from "@tollgate/contract/endpoints/dashboard.ts";
import { quantileOf } from "#canonical/attempts.ts";

/**
 * Estimates the median and the 99th percentile of the times to the first byte from their counts by
 * bucket; null: there are none.
 */
export function firstByteIn(counts: readonly number[] | null): Dashboard["first_byte"] {
  if (counts === null) return null;
  const [p50, p99] = [quantileOf(counts, 0.5), quantileOf(counts, 0.99)];
  if (p50 === null || p99 === null) return null;
  return { p50, p99, calls: counts.reduce((sum, count) => sum + count, 0) };
}
