import { attemptCounts, firstByteBuckets } from "#canonical/attempts.ts";
import type { Db } from "#db/database.ts";
import { bindStore } from "#db/store.ts";
import { channelStatisticsStore } from "#modules/channel-statistics/channel-statistics.store.ts";

/** Adds attempts at a channel whose times to the first byte are in one bucket. */
export async function addAttempts(
  db: Db,
  attempts: {
    readonly hour: number;
    readonly channel: number;
    readonly bucket: number;
    readonly count: number;
  },
): Promise<void> {
  const { hour: at, channel, bucket, count } = attempts;
  const counts = [...attemptCounts, ...Array.from({ length: firstByteBuckets })].map(() => 0);
  counts[attemptCounts.indexOf("attempts")] = count;
  counts[attemptCounts.length + bucket] = count;
  const tallies = [{ channelId: channel, model: "gpt-4o", counts }];
  await bindStore(channelStatisticsStore, db).addAttempts({ hour: at, tallies });
}
