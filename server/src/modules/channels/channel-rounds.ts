/**
 * Background work of this process on many channels. One such pass over a list of channels is called
 * a round; a round cannot start while another is running.
 */

import {
  type ChannelRound,
  roundFailuresMax,
} from "@tollgate/contract/endpoints/channel-probes.ts";

type Rounds = {
  /**
   * Starts a round, which calls `work` for each channel id that `list` returns. `work` resolves to
   * whether it succeeded for the channel. `ended` is called with the counts when the round has
   * ended.
   *
   * @returns false when a round is already running; a second one is not started then.
   */
  start(
    list: () => Promise<readonly number[]>,
    work: (id: number) => Promise<boolean>,
    ended?: (round: ChannelRound) => void,
  ): boolean;
  /** Begins no further channels. @returns false when no round is running. */
  stop(): boolean;
  /**
   * Returns the progress of the running round, or else of the last one since the process started.
   */
  read(): ChannelRound;
};

/** What is read before any round has begun. */
export const idleRound: ChannelRound = {
  run: 0,
  running: false,
  done: 0,
  failed: 0,
  total: 0,
  failed_ids: [],
  current: [],
  stopped: false,
};

/** How many channels a round works on at the same time. */
const roundWidth = 4;

/**
 * Opens a runner of rounds. `report` receives the exceptions that `list` and `work` throw: they are
 * faults of this server, because `work` resolves to false when the channel is at fault.
 */
export function openRounds(report: (error: unknown) => void): Rounds {
  let round = idleRound;

  async function run(
    list: () => Promise<readonly number[]>,
    work: (id: number) => Promise<boolean>,
  ): Promise<void> {
    const ids = await list();
    round = { ...round, total: ids.length };
    const left = ids.values();
    const workNext = async (): Promise<void> => {
      for (const id of left) {
        if (round.stopped) return;
        round = { ...round, current: [...round.current, id] };
        const well = await work(id).catch((error: unknown) => {
          report(error);
          return false;
        });
        round = {
          ...round,
          done: round.done + 1,
          failed: round.failed + (well ? 0 : 1),
          failed_ids: well
            ? round.failed_ids
            : [...round.failed_ids, id].slice(0, roundFailuresMax),
          current: round.current.filter((other) => other !== id),
        };
      }
    };
    // The parallel loops share one iterator, so each channel is taken by exactly one loop.
    await Promise.all(Array.from({ length: roundWidth }, workNext));
  }

  return {
    start(list, work, ended) {
      if (round.running) return false;
      round = { ...idleRound, run: round.run + 1, running: true };
      void run(list, work)
        .catch(report)
        .finally(() => {
          round = { ...round, running: false };
          ended?.(round);
        });
      return true;
    },
    stop() {
      if (!round.running) return false;
      round = { ...round, stopped: true };
      return true;
    },
    read: () => round,
  };
}
