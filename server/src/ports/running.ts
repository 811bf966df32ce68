/** What runs now, and how it is stopped: what the relay tells the console, and what it is told. */

import type { RunningFilter } from "#canonical/running-filter.ts";

/**
 * Why the call is at its channel. `issuer`: only there can be read what the request sends back;
 * `only`: no other has the model; `pinned`: the key names it; `priority`: it is the highest;
 * `retry`: another one failed; `weight`: it was drawn. Empty: none is chosen yet.
 */
export type ChannelReason = "" | "issuer" | "only" | "pinned" | "priority" | "retry" | "weight";

/** A running call, or an open session. Times are milliseconds, amounts are quota units. */
export type RunningCall = {
  /** The request id; of a session an id of its own. */
  readonly id: string;
  readonly kind: "call" | "session";
  readonly userId: number;
  readonly username: string;
  /** 0: the playground's. */
  readonly tokenId: number;
  readonly tokenName: string;
  readonly model: string;
  readonly group: string;
  readonly formatId: string;
  readonly isStream: boolean;
  /** 0: none yet. */
  readonly channelId: number;
  readonly channelName: string;
  readonly reason: ChannelReason;
  /** How many channels were tried, with the present one. */
  readonly attempts: number;
  readonly ageMs: number;
  /** Null: nothing has come yet. */
  readonly firstByteMs: number | null;
  /** The output tokens so far, estimated. */
  readonly outputTokens: number;
  /** What has come would be charged about this much. */
  readonly cost: number;
  readonly held: number;
  /** Whether the client has left, and the answer is read on for its usage. */
  readonly clientGone: boolean;
  /** Whether the gateway is ending it. */
  readonly isStopping: boolean;
};

export type RunningPage = {
  /** The calls that have run longest, in that order. */
  readonly calls: readonly RunningCall[];
  /** How many match, with those that are not among them. */
  readonly total: number;
};

/** Who stops calls, and why. */
export type StoppedBy = {
  readonly userId: number;
  readonly username: string;
  /** Empty: none was given. */
  readonly reason: string;
};

/** The calls that run on this node. */
export type Running = {
  list(filter: RunningFilter, most: number): RunningPage;
  /**
   * Ends calls and sessions: the client gets an error in its format, the upstream is cut off, and
   * what came is billed.
   *
   * @returns how many were ended.
   */
  stop(filter: RunningFilter, by: StoppedBy): number;
  /** Whether this node takes no more calls, and waits for those that run. */
  isDraining(): boolean;
};
