/** What the stages need from outside; `context.ts` passes the real functions. */

import type { UnitPrice } from "@tollgate/contract/charge.ts";
import type { Logger } from "#base/logger.ts";
import type { RateLimits } from "#base/rate-limit.ts";
import type { CallLog, ChargedCallLog } from "#canonical/call-log.ts";
import type { ChannelView, Snapshot } from "./snapshot.ts";
import type { Ticker } from "#network/ticker.ts";
import type { Transport } from "#network/transport.ts";

/** What a call asks to be held. Amounts are quota units. */
export type HoldRequest = {
  /** The request id. */
  readonly id: string;
  readonly userId: number;
  /** 0: no token, e.g. the playground. */
  readonly tokenId: number;
  /** True: the token's own quota is held as well. */
  readonly tokenLimited: boolean;
  readonly modelName: string;
  readonly group: string;
  /** What the call may cost. */
  readonly want: number;
  /** Least it can start with; below `want` only for streams, which are cut at the hold. */
  readonly least: number;
};

export type HoldAnswer =
  | { readonly kind: "held"; readonly hold: Hold }
  /** The balance, or the token's quota, does not cover `least`; `available` is what there is. */
  | {
      readonly kind: "refused";
      readonly by: "user" | "token";
      readonly available: number;
      /** True: nothing would be left even if every open hold were given back. */
      readonly exhausted?: boolean;
    }
  /** The store cannot commit just now: answer 503 with Retry-After. */
  | { readonly kind: "unavailable" };

/** Quota held for one call. Ends exactly once: settled or released. */
export type Hold = {
  /** Quota units held at the moment. */
  amount(): number;
  /**
   * Asks for up to `want` more, at least 1.
   * @returns quota units added; 0 when nothing is left. A promise only where a node has to ask
   *   the database.
   */
  extend(want: number): number | Promise<number>;
  /**
   * Charges `settlement.charge`; what exceeds hold and balance is written off. Resolves when the
   * charge, its log row, counters and roll-up are committed; stays pending while the store cannot
   * commit, and is never lost by this process meanwhile.
   */
  settle(settlement: Settlement): Promise<Settled>;
  /** Gives everything back. Not awaited: after a crash it would be given back anyway. */
  release(): void;
};

/** How a call ended that is charged. */
export type Settlement = {
  /** Quota units by the price of the model asked for. */
  readonly charge: number;
  readonly log: ChargedCallLog;
};

export type Settled = { readonly charged: number; readonly writeOff: number };

/** Quota units behind a key. */
export type Spending = { readonly remain: number; readonly used: number };

export type RelayDeps = {
  readonly snapshot: Snapshot;
  /** Unix milliseconds. */
  readonly now: () => number;
  /** From 0 up to 1, exclusive. */
  readonly random: () => number;
  readonly newRequestId: () => string;
  /** Keyed hash under which a token's key is found; hex. */
  readonly lookupOf: (key: string) => string;
  /** The price in force of a model for a group. */
  readonly priceOf: (model: string, group: string) => UnitPrice | undefined;
  /** Decides a hold; at once where the judge holds the balance itself. */
  readonly reserve: (request: HoldRequest) => HoldAnswer | Promise<HoldAnswer>;
  /** Records a call that is not charged: failed on every channel, or broken by us. Not awaited. */
  readonly recordFailure: (log: CallLog) => void;
  readonly transport: Transport;
  /** The one that `transport` has, too. */
  readonly ticker: Ticker;
  readonly limits: RateLimits;
  /** The process cannot keep up, and this call is one of those refused at once. */
  readonly turnsAway: () => boolean;
  /** Tokens of a text by the model's encoding; runs in its own worker. */
  readonly countTokens: (model: string, text: string) => Promise<number>;
  /** The relay found this channel, called with this key, at fault in a way that disables it. */
  readonly disableChannel: (channel: ChannelView, key: string, reason: string) => void;
  /** A token turned out to be expired (3) or exhausted (4). Not awaited. */
  readonly markToken: (tokenId: number, status: 3 | 4) => void;
  /** Of a token, or of a user. Asks the database: for billing queries, never for a call. */
  readonly readSpending: (
    whose: { readonly tokenId: number } | { readonly userId: number },
  ) => Promise<Spending>;
  readonly log: Logger;
  readonly metrics: RelayMetrics;
};

/** Counters and histograms of the relay; labels are bounded by the caller. */
export type RelayMetrics = {
  callEnded(end: {
    readonly status: number;
    readonly stream: boolean;
    readonly durationMs: number;
    /** Null: no byte reached the client. */
    readonly firstByteMs: number | null;
    readonly inputTokens: number;
    readonly outputTokens: number;
  }): void;
  channelFault(channelId: number, code: string): void;
  settleLag(ms: number): void;
  callsOpen(change: 1 | -1): void;
};
