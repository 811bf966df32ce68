/**
 * Counts of attempts at channels. An attempt is one request of a call to one channel; a call that
 * is retried has several.
 */

/** What is counted of attempts, in the order in which tallies hold the counts. */
export const attemptCounts = [
  /** Attempts that were sent, apart from `cancelled` ones. */
  "attempts",
  /** Attempts whose answer began well. */
  "answered",
  /** Attempts that were not the first one of their call. */
  "retries",
  /** The upstream refused the key, or its account has no money: 401, 402, 403. */
  "failed_key",
  /** The upstream had no capacity: 429. */
  "failed_limit",
  /** The upstream failed: 5xx, 408, a redirect. */
  "failed_server",
  /** No connection, or no answer in time. */
  "failed_network",
  /** A 200 whose body was an error or no answer. */
  "failed_answer",
  /** The answer began well and broke off. */
  "broken",
  /** The upstream refused the call itself: another 4xx. It says nothing about the channel. */
  "rejected",
  /** The gateway cancelled the attempt, mostly because the client disconnected. */
  "cancelled",
] as const;
export type AttemptCount = (typeof attemptCounts)[number];

/** The counts that say that the channel failed. */
export const failureCounts = [
  "failed_key",
  "failed_limit",
  "failed_server",
  "failed_network",
  "failed_answer",
  "broken",
] as const satisfies readonly AttemptCount[];

/**
 * The number of buckets in which times to the first byte are counted. Five buckets are a factor of
 * ten: the first holds times up to 10 ms, the last all over 250 s.
 */
export const firstByteBuckets = 24;
const firstBoundMs = 10;
const bucketsPerTenfold = 5;

/** Returns the bucket of a time to the first byte. */
export function bucketOf(ms: number): number {
  if (ms <= firstBoundMs) return 0;
  const bucket = Math.ceil(Math.log10(ms / firstBoundMs) * bucketsPerTenfold - 1e-9);
  return Math.min(bucket, firstByteBuckets - 1);
}

/** Returns the longest time that a bucket holds, in milliseconds. */
function boundOf(bucket: number): number {
  return firstBoundMs * 10 ** (bucket / bucketsPerTenfold);
}

/**
 * Estimates the time below which the share `q` of the counted times lies, in milliseconds. The true
 * one lies in the same bucket, so the estimate is wrong by a factor of 1.6 at most.
 *
 * @returns null if nothing was counted.
 */
export function quantileOf(counts: readonly number[], q: number): number | null {
  const total = counts.reduce((sum, count) => sum + count, 0);
  if (total === 0) return null;
  let left = q * total;
  for (const [bucket, count] of counts.entries()) {
    if (left > count) {
      left -= count;
      continue;
    }
    const lower = bucket === 0 ? firstBoundMs / 2 : boundOf(bucket - 1);
    return Math.round(lower * (boundOf(bucket) / lower) ** (left / count));
  }
  return Math.round(boundOf(counts.length - 1));
}
