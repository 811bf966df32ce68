/**
 * Keeps this process a member of the nodes that share a database: sends heartbeats, stops taking
 * calls before other nodes may take this node for dead, and begins a new epoch if they did. It also
 * notices when the database has gone back.
 */

import type { Beat, Joined, NodeEpoch } from "./nodes.ts";

/**
 * The age of the last acknowledged heartbeat from which on a node takes no new calls. It is half of
 * the time after which other nodes end the epoch, so that the calls taken until then have reached
 * the database.
 */
export const silentMaxMs = 5_000;

export type Membership = {
  /** Returns the node's current epoch. */
  epoch(): number;
  /**
   * Whether the node may take calls: other nodes have no reason to take it for dead, and the
   * database has not gone back, or what it lost is dealt with.
   */
  isCurrent(): boolean;
  /** Renews the heartbeat, and begins a new epoch if the current one has ended. */
  beat(): Promise<void>;
  /**
   * Begins a new epoch after the epoch `ended`. Does nothing if a newer one has begun already. Does
   * not throw.
   */
  rejoin(ended: number): Promise<void>;
  /** Begins a new epoch, whether or not the present one has ended. */
  renew(): Promise<void>;
  /** Notes that the database has gone back; the node takes no calls until `caughtUp`. */
  fellBehind(): void;
  /** Notes that everything is done that a database which went back makes necessary. */
  caughtUp(): void;
};

type MembershipDeps = {
  readonly nodeId: string;
  /**
   * Renews the heartbeat in the database.
   * `seenMs`: the time of the last heartbeat that was acknowledged.
   */
  readonly beat: (node: NodeEpoch, seenMs: number) => Promise<Beat>;
  /** Begins a new epoch in the database. */
  readonly join: (node: NodeEpoch, seenMs: number) => Promise<Joined>;
  /** Reads which history the database is in; empty: it does not tell. */
  readonly lineage: () => Promise<string>;
  /** Monotonic milliseconds. */
  readonly elapsed: () => number;
  /** Called when another epoch than the first has begun, before anything is sent under it. */
  readonly onEpoch: () => void;
  /** Called when this node was taken for dead and has begun a new epoch. */
  readonly onRejoined: () => void;
  /** Called each time that the database shows less than it has acknowledged. */
  readonly onBehind: () => void;
};

/** Lets this node join the nodes of the database, and begins its first epoch. */
export async function openMembership(deps: MembershipDeps): Promise<Membership> {
  let epoch = 0;
  /** When the last heartbeat that the database acknowledged was sent, by the monotonic clock. */
  let sentMs = 0;
  /** The time of that heartbeat by the database's clock. */
  let seenMs = 0;
  let behind = false;
  let joining: Promise<void> | null = null;

  function fellBehind(): void {
    behind = true;
    deps.onBehind();
  }

  async function join(): Promise<boolean> {
    const fromMs = deps.elapsed();
    const last = epoch;
    const joined = await deps.join({ nodeId: deps.nodeId, epoch }, seenMs);
    ({ epoch } = joined);
    if (last > 0) deps.onEpoch();
    seenMs = joined.atMs;
    sentMs = fromMs;
    return joined.isBehind;
  }

  /**
   * Begins a new epoch. If this is running already, it waits for that run, because a second new
   * epoch would end the first.
   */
  async function joinAgain(ended: number): Promise<void> {
    if (ended !== epoch) return;
    joining ??= whileJoining((isBehind) => (isBehind ? fellBehind() : deps.onRejoined()));
    await joining;
  }

  async function whileJoining(done: (isBehind: boolean) => void): Promise<void> {
    try {
      done(await join());
    } finally {
      joining = null;
    }
  }

  await join();
  const isOtherHistory = await watchHistory(deps.lineage);
  return {
    epoch: () => epoch,
    isCurrent: () => !behind && deps.elapsed() - sentMs < silentMaxMs,
    async beat() {
      const fromMs = deps.elapsed();
      const present = epoch;
      const answer = await deps.beat({ nodeId: deps.nodeId, epoch: present }, seenMs);
      // Another epoch may have begun meanwhile; this answer is about the last one.
      if (present !== epoch) return;
      switch (answer.kind) {
        case "acknowledged":
          sentMs = Math.max(sentMs, fromMs);
          seenMs = answer.atMs;
          break;
        case "ended":
          await joinAgain(present);
          break;
        case "behind":
          fellBehind();
          break;
      }
      if (await isOtherHistory()) fellBehind();
    },
    async rejoin(ended) {
      await joinAgain(ended).catch(() => {});
    },
    async renew() {
      while (joining !== null) await joining;
      joining = whileJoining(() => {});
      await joining;
    },
    fellBehind,
    caughtUp() {
      behind = false;
    },
  };
}

/**
 * Returns a function that tells whether the database is in another history than when it was asked
 * last, as far as it tells.
 */
async function watchHistory(read: () => Promise<string>): Promise<() => Promise<boolean>> {
  let known = await read();
  return async () => {
    const before = known;
    const present = await read();
    if (present !== "") known = present;
    return before !== "" && known !== before;
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
    renew: async () => {},
    fellBehind() {},
    caughtUp() {},
  };
}
