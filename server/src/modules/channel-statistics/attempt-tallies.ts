/**
 * Counts of attempts by channel and model, for the statistics of channels. An attempt adds to a
 * typed array; a job writes the counts once a second. What a process that dies had not written is
 * lost: nothing is billed by these counts.
 */

import {
  type AttemptCount,
  attemptCounts,
  bucketOf,
  firstByteBuckets,
} from "#canonical/attempts.ts";

/** The counts of a channel and model since they were last taken. */
type AttemptTally = {
  readonly channelId: number;
  readonly model: string;
  /** The counts in the order of `attemptCounts`, then those of the buckets. */
  readonly counts: readonly number[];
};

/** The counter that the relay gets, and what the job takes from it. */
type AttemptTallies = {
  /** @param firstByteMs from the attempt's start to the first output, or to a whole answer. */
  answered(channelId: number, model: string, isRetry: boolean, firstByteMs: number): void;
  /** @param code the fault's code. */
  failed(channelId: number, model: string, isRetry: boolean, code: string): void;
  broke(channelId: number, model: string): void;
  /** Returns all counts that are not 0, and begins anew. */
  take(): AttemptTally[];
  /** Adds counts that were taken and could not be written. */
  giveBack(tallies: readonly AttemptTally[]): void;
};

const length = attemptCounts.length + firstByteBuckets;

const at = Object.fromEntries(attemptCounts.map((name, index) => [name, index])) as Readonly<
  Record<AttemptCount, number>
>; // Safe cast: the entries are made of exactly these names.

export function openAttemptTallies(): AttemptTallies {
  // As large as channels × models at most: calls reach only what a channel lists.
  let byChannel = new Map<number, Map<string, Float64Array>>();

  function find(channelId: number, model: string): Float64Array {
    let byModel = byChannel.get(channelId);
    if (byModel === undefined) byChannel.set(channelId, (byModel = new Map()));
    let counts = byModel.get(model);
    if (counts === undefined) byModel.set(model, (counts = new Float64Array(length)));
    return counts;
  }

  function begin(channelId: number, model: string, isRetry: boolean): Float64Array {
    const counts = find(channelId, model);
    add(counts, at.attempts);
    if (isRetry) add(counts, at.retries);
    return counts;
  }

  return {
    answered(channelId, model, isRetry, firstByteMs) {
      const counts = begin(channelId, model, isRetry);
      add(counts, at.answered);
      add(counts, attemptCounts.length + bucketOf(firstByteMs));
    },
    failed(channelId, model, isRetry, code) {
      const count = countOf(code);
      if (count === at.cancelled) add(find(channelId, model), count);
      else add(begin(channelId, model, isRetry), count);
    },
    broke: (channelId, model) => add(find(channelId, model), at.broken),
    take() {
      const taken = [...byChannel].flatMap(([channelId, models]) =>
        [...models].map(([model, counts]) => ({ channelId, model, counts: [...counts] })),
      );
      byChannel = new Map();
      return taken;
    },
    giveBack(tallies) {
      for (const { channelId, model, counts } of tallies) {
        const own = find(channelId, model);
        for (const [index, count] of counts.entries()) own[index] = (own[index] ?? 0) + count;
      }
    },
  };
}

function add(counts: Float64Array, index: number): void {
  counts[index] = (counts[index] ?? 0) + 1;
}

/** Returns the index of the count that a failed attempt with this fault code adds to. */
function countOf(code: string): number {
  switch (code) {
    case "aborted":
    case "cancelled":
      return at.cancelled;
    case "http-401":
    case "http-402":
    case "http-403":
      return at.failed_key;
    case "http-429":
      return at.failed_limit;
    case "http-408":
    case "override-invalid":
      return at.failed_server;
    default:
      if (code.startsWith("http-4")) return at.rejected;
      if (code.startsWith("http-")) return at.failed_server;
      return code.startsWith("answer-") ? at.failed_answer : at.failed_network;
  }
}
