/** Work on many channels in the background, one round of a kind at a time. */

import type { ChannelRound } from "@tollgate/contract/channel-probes.ts";

type Rounds = {
  /**
   * Starts a round over the channels `list` gives. `work` answers whether it went well; `ended` is
   * told of the round that is over.
   *
   * @returns false when one is running.
   */
  start(
    list: () => Promise<readonly number[]>,
    work: (id: number) => Promise<boolean>,
    ended?: (round: ChannelRound) => void,
  ): boolean;
  /** The running round, else the last one of this process. */
  read(): ChannelRound;
};

/** Channels worked on at the same time. */
const roundWidth = 4;

/** `report` is told of what failed for a reason that is not the channel's. */
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
    // They share one iterator, so each channel is taken by one of them.
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
