/**
 * Counts the hits of one key that still matter to a rate limit, in at most 64 numbers.
 *
 * Time is cut into steps. A counter holds the hits of one step and counts until a whole window has
 * passed since the end of that step. A hit therefore counts for its window and at most one step
 * longer, so a limit is never exceeded in any window. Counters of several nodes for the same step
 * can be added, which is what a shared store (Redis) needs.
 */

/** The counters of one key, sorted by time. Both arrays have the same length. */
export type RateCounters = {
  /** End of each step, in milliseconds: the latest moment of the hits it counts. */
  readonly endsMs: number[];
  readonly counts: number[];
};

/** The largest number of counters that are kept for one key. */
export const countersMax = 64;

/** Into how many steps a window is divided if its limit is too large for one counter per hit. */
const stepsPerWindow = 60;

export function openCounters(): RateCounters {
  return { endsMs: [], counts: [] };
}

/**
 * Returns how long a step is, in milliseconds. With a limit of up to 64 hits, each hit gets a
 * counter of its own, exact to the millisecond; with a higher limit, the hits share 60 steps of the
 * window.
 */
export function stepMsOf(windowMs: number, max: number): number {
  return max <= countersMax ? 1 : Math.ceil(windowMs / stepsPerWindow);
}

/**
 * Returns how many milliseconds to wait until one more hit is allowed; 0 if it is allowed now.
 * Changes nothing.
 *
 * @param sinceMs the beginning of the window; hits at this time or before do not count.
 */
export function waitMs(
  { endsMs, counts }: RateCounters,
  { max, sinceMs }: { readonly max: number; readonly sinceMs: number },
): number {
  let sum = 0;
  // Goes back from the newest counter until the hits reach the limit: the counter found must expire
  // before the next hit.
  for (let at = endsMs.length - 1; at >= 0; at -= 1) {
    const endMs = endsMs[at] ?? 0;
    if (endMs <= sinceMs) return 0;
    sum += counts[at] ?? 0;
    if (sum >= max) return Math.max(1, endMs - sinceMs);
  }
  return 0;
}

/**
 * Counts one hit.
 *
 * @param nowMs time of the hit, not before that of the previous one.
 */
export function addHit({ endsMs, counts }: RateCounters, nowMs: number, stepMs: number): void {
  const endMs = Math.ceil(nowMs / stepMs) * stepMs;
  const last = endsMs.length - 1;
  // After the limit was changed, the steps may be shorter. Hits that fall into the last step, which
  // is longer, are counted there.
  if (last >= 0 && (endsMs[last] ?? 0) >= endMs) {
    counts[last] = (counts[last] ?? 0) + 1;
    return;
  }
  endsMs.push(endMs);
  counts.push(1);
  // There are too many counters only after the limit was changed. The hits of the
  // oldest one are added to the next, so they count longer, not shorter.
  if (endsMs.length > countersMax) {
    endsMs.shift();
    const oldest = counts.shift() ?? 0;
    counts[0] = (counts[0] ?? 0) + oldest;
  }
}

/** Takes back the newest hit. */
export function removeHit({ endsMs, counts }: RateCounters): void {
  const last = counts.length - 1;
  if (last < 0) return;
  counts[last] = (counts[last] ?? 0) - 1;
  if (counts[last] !== 0) return;
  endsMs.pop();
  counts.pop();
}

/** Drops the counters that end at `sinceMs` or before, because their hits no longer count. */
export function forgetBefore({ endsMs, counts }: RateCounters, sinceMs: number): void {
  const kept = endsMs.findIndex((endMs) => endMs > sinceMs);
  const gone = kept === -1 ? endsMs.length : kept;
  endsMs.splice(0, gone);
  counts.splice(0, gone);
}
