/**
 * Keeps this process a member of the nodes that share a database: sends heartbeats, stops taking
 * calls before other nodes may take this node for dead, and begins a new epoch if they did.
 */

import type { NodeEpoch } from "./nodes.ts";

/**
 * The age of the last acknowledged heartbeat from which on a node takes no new calls. It is half of
 * the time after which other nodes end the epoch, so that the calls taken until then have reached
 * the database.
 */
export const silentMaxMs = 5_000;

export type Membership = {
  /** Returns the node's current epoch. */
  epoch(): number;
  /** Whether other nodes have no reason to take this node for dead, so that it may take calls. */
  isCurrent(): boolean;
  /** Renews the heartbeat, and begins a new epoch if the current one has ended. */
  beat(): Promise<void>;
  /**
   * Begins a new epoch after the epoch `ended`. Does nothing if a newer one has begun already. Does
   * not throw.
   */
  rejoin(ended: number): Promise<void>;
};

type MembershipDeps = {
  readonly nodeId: string;
  /** Renews the heartbeat in the database. False: the epoch has ended. */
  readonly beat: (node: NodeEpoch) => Promise<boolean>;
  /** Begins a new epoch in the database and returns it. */
  readonly join: (node: NodeEpoch) => Promise<number>;
  /** Monotonic milliseconds. */
  readonly elapsed: () => number;
  /** Called when this node was taken for dead and has begun a new epoch. */
  readonly onRejoined: () => void;
};

/** Lets this node join the nodes of the database, and begins its first epoch. */
export async function openMembership(deps: MembershipDeps): Promise<Membership> {
  const { nodeId } = deps;
  let epoch = 0;
  /** When the last heartbeat that the database acknowledged was sent, by the monotonic clock. */
  let sentMs = 0;
  let joining: Promise<void> | null = null;

  async function join(): Promise<void> {
    const fromMs = deps.elapsed();
    epoch = await deps.join({ nodeId, epoch });
    sentMs = fromMs;
  }

  /**
   * Begins a new epoch. If this is running already, it waits for that run, because a second new
   * epoch would end the first.
   */
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

/**
 * Makes the membership of the only owner of a SQLite database, whom no other node can take for
 * dead.
 */
export function aloneInEpoch(epoch: number): Membership {
  return {
    epoch: () => epoch,
    isCurrent: () => true,
    beat: async () => {},
    rejoin: async () => {},
  };
}
