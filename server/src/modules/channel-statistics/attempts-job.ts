import type { RemoteStore } from "#db/store.ts";
import type { Job } from "#jobs/job.ts";
import type { AttemptsAt, channelStatisticsStore } from "./channel-statistics.store.ts";

/** How often the counts of attempts are written, in milliseconds. */
const writeMs = 1_000;

const hourSeconds = 3_600;

/** Makes the job that writes the counts of attempts from memory; each node writes its own. */
export function attemptsJob(deps: {
  readonly store: Pick<RemoteStore<typeof channelStatisticsStore>, "addAttempts">;
  readonly attempts: {
    take(): AttemptsAt[];
    giveBack(tallies: readonly AttemptsAt[]): void;
  };
  /** Unix milliseconds. */
  readonly now: () => number;
}): Job {
  const { store, attempts, now } = deps;
  return {
    name: "write-attempts",
    everyMs: writeMs,
    runs: "every-node",
    async run() {
      const tallies = attempts.take();
      if (tallies.length === 0) return;
      const seconds = Math.floor(now() / 1_000);
      try {
        await store.addAttempts({ hour: seconds - (seconds % hourSeconds), tallies });
      } catch (error) {
        attempts.giveBack(tallies);
        throw error;
      }
    },
  };
}
