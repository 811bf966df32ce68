/** Background work on many channels; a second round cannot start while one is running. */

import type { ChannelRound } from "@tollgate/contract/channel-probes.ts";

type Rounds = {
  /**
   * Starts a round over the channel ids that `list` returns. `work` resolves to whether it
   * succeeded for a channel. `ended` is called with the counts when the round has ended.
   *
   * @returns false when a round is already running.
   */
  start(
    list: () => Promise<readonly number[]>,
    work: (id: number) => Promise<boolean>,
    ended?: (round: ChannelRound) => void,
  ): boolean;
  /** The running round, or else the last one of this process. */
  read(): ChannelRound;
};

/** How many channels are worked on at the same time. */
const roundWidth = 4;

/** `report` receives the exceptions of `list` and `work`, which are not the channel's fault. */
export function openRounds(report: (error: unknown) => void): Rounds {
  let round: ChannelRound = { running: false, done: 0, failed: 0, total: 0 };

  async function run(
    list: () => Promise<readonly number[]>,
    work: (id: number) => Promise<boolean>,
  ): Promise<void> {
    const ids = await list();
    round = { ...round, total: ids.length };
    const left = ids.values();
    const workNext = async (): Promise<void> => {
      for (const id of left) {
        const well = await work(id).catch((error: unknown) => {
          report(error);
          return false;
        });
        round = { ...round, done: round.done + 1, failed: round.failed + (well ? 0 : 1) };
      }
    };
    // The workers share one iterator, so exactly one of them takes each channel.
    await Promise.all(Array.from({ length: roundWidth }, workNext));
  }

  return {
    start(list, work, ended) {
      if (round.running) return false;
      round = { running: true, done: 0, failed: 0, total: 0 };
      void run(list, work)
        .catch(report)
        .finally(() => {
          round = { ...round, running: false };
          ended?.(round);
        });
      return true;
    },
    read: () => round,
  };
}
