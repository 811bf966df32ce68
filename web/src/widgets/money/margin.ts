/** What is earned with calls, as text. */

import type { MarginSums } from "@tollgate/contract/endpoints/margins.ts";

/** Returns charge − cost of the calls whose cost is known; null: it is known of none. */
export function marginOf({ cost, costed_quota, costed_calls }: MarginSums): number | null {
  return costed_calls === 0 ? null : costed_quota - cost;
}

/** Writes a margin in per cent of what was charged; null: nothing was charged, or no cost is known. */
export function marginPercent(sums: MarginSums): string | null {
  const margin = marginOf(sums);
  if (margin === null || sums.costed_quota === 0) return null;
  return `${((margin / sums.costed_quota) * 100).toFixed(1)}%`;
}

/** Writes of how much of what was charged the cost is known; null: nothing was charged. */
export function knownPercent({ quota, costed_quota }: MarginSums): string | null {
  return quota === 0 ? null : `${Math.floor((costed_quota / quota) * 100)}%`;
}
