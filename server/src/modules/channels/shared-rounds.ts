/**
 * Rounds that every node sees: a round runs on the node that was asked for it, which notes its
 * progress in the database once a second, and learns there whether another node has stopped it.
 */

import type { ChannelRound } from "@tollgate/contract/endpoints/channel-probes.ts";
import type { RemoteStore } from "#db/store.ts";
import { openRounds } from "./channel-rounds.ts";
import type { channelStore } from "./channels.store.ts";
import type { RoundKind } from "./rounds.repo.ts";

type SharedRounds = {
  /**
   * Starts a round, as `start` of `openRounds` does.
   *
   * @returns false when a round of this kind is already running, on whatever node.
   */
  start(
    list: () => Promise<readonly number[]>,
    work: (id: number) => Promise<boolean>,
    ended?: (round: ChannelRound) => void,
  ): Promise<boolean>;
  /** Begins no further channels. @returns false when no round is running on any node. */
  stop(): Promise<boolean>;
  /** Returns the progress of the running round, or else of the last one. */
  read(): Promise<ChannelRound>;
};

/** How often a running round is noted, in milliseconds. */
const noteMs = 1_000;

/** `report` receives what `openRounds` reports, and why a round could not be noted. */
export function openSharedRounds(deps: {
  readonly kind: RoundKind;
  readonly store: Pick<
    RemoteStore<typeof channelStore>,
    "claimRound" | "findRound" | "noteRound" | "stopRound"
  >;
  readonly report: (error: unknown) => void;
}): SharedRounds {
  const { kind, store, report } = deps;
  const own = openRounds(report);
  /** The number, in all nodes, of the round that this node has begun last. */
  let run = 0;

  const readOwn = (): ChannelRound => ({ ...own.read(), run });

  /** Notes the round until it has ended. */
  async function follow(ended: Promise<void>): Promise<void> {
    for (;;) {
      await Promise.race([Bun.sleep(noteMs), ended]);
      const round = readOwn();
      try {
        const goesOn = await store.noteRound({ kind, round });
        if (!goesOn) own.stop();
      } catch (error) {
        report(error);
      }
      if (!round.running) return;
    }
  }

  return {
    async start(list, work, ended) {
      // A node that could not note its round for long still works on it.
      if (own.read().running) return false;
      const claimed = await store.claimRound(kind);
      if (claimed === null) return false;
      run = claimed;
      const end = Promise.withResolvers<void>();
      own.start(list, work, () => {
        end.resolve();
        ended?.(readOwn());
      });
      void follow(end.promise);
      return true;
    },
    async stop() {
      if (own.stop()) return true;
      return await store.stopRound(kind);
    },
    async read() {
      return own.read().running ? readOwn() : await store.findRound(kind);
    },
  };
}
