/**
 * This node among those that share the database: it tells that it lives, notices first when others
 * may think it dead, and begins anew when they did.
 */

import type { NodeEpoch } from "./nodes.ts";

/**
 * A node whose last heartbeat that was acknowledged is older takes no more calls. Half of what
 * others wait for, because what it takes now has to be over the way to the database by then.
 */
export const silentMaxMs = 5_000;

export type Membership = {
  /** Of this node now. */
  epoch(): number;
  /** False: others may think this node dead. */
  isCurrent(): boolean;
  /** Renews the heartbeat, in a new epoch when the present one has ended. */
  beat(): Promise<void>;
  /** Begins a new epoch if `ended` is still this node's. Does not throw. */
  rejoin(ended: number): Promise<void>;
};

type MembershipDeps = {
  readonly nodeId: string;
  /** False: the epoch has ended. */
  readonly beat: (node: NodeEpoch) => Promise<boolean>;
  /** The new epoch. */
  readonly join: (node: NodeEpoch) => Promise<number>;
  /** Monotonic milliseconds. */
  readonly elapsed: () => number;
  /** This node was thought dead and lives in a new epoch. */
  readonly onRejoined: () => void;
};

/** Joins the nodes. */
export async function openMembership(deps: MembershipDeps): Promise<Membership> {
  const { nodeId } = deps;
  let epoch = 0;
  /** When the last heartbeat that was acknowledged was sent. */
  let sentMs = 0;
  let joining: Promise<void> | null = null;

  async function join(): Promise<void> {
    const fromMs = deps.elapsed();
    epoch = await deps.join({ nodeId, epoch });
    sentMs = fromMs;
  }

  /** One at a time: a second one would end the epoch that the first one began. */
  async function joinAgain(ended: number): Promise<void> {
    if (ended !== epoch) return;
    joining ??= join()
      .then(deps.onRejoined)
      .finally(() => {
        joining = null;
      });
    await joining;
  }

  await join();
  return {
    epoch: () => epoch,
    isCurrent: () => deps.elapsed() - sentMs < silentMaxMs,
    async beat() {
      const fromMs = deps.elapsed();
      const present = epoch;
      if (await deps.beat({ nodeId, epoch: present })) sentMs = Math.max(sentMs, fromMs);
      else await joinAgain(present);
    },
    async rejoin(ended) {
      await joinAgain(ended).catch(() => {});
    },
  };
}

/** The owner of a SQLite database: nobody else can think anything. */
export function aloneInEpoch(epoch: number): Membership {
  return {
    epoch: () => epoch,
    isCurrent: () => true,
    beat: async () => {},
    rejoin: async () => {},
  };
}
