/** How quota is held for a call: what the relay asks, and what the ledger answers. */

import type { BudgetKind } from "@tollgate/contract/money/budgets.ts";
import type { ChargedCallLog } from "#canonical/call-log.ts";
import type { TokenBudgets } from "./snapshot.ts";

/** A request to hold quota for a call. All amounts are quota units. */
export type HoldRequest = {
  /** The request id. */
  readonly id: string;
  readonly userId: number;
  /** 0: the call has no token, because it is the playground's. */
  readonly tokenId: number;
  /** Whether the token's quota is limited, so that it is held as well as the user's. */
  readonly tokenLimited: boolean;
  readonly modelName: string;
  readonly group: string;
  /** The tags of the call, one a line; absent: it has none. */
  readonly tags?: string | undefined;
  /** The most the call can cost. */
  readonly want: number;
  /**
   * The quota with which the call can start. Below `want` only for streams, which end when the hold
   * is used up.
   */
  readonly least: number;
  /** The token's budgets; null: it has none. */
  readonly budgets: TokenBudgets | null;
};

/** Why quota is not held for a call. */
export type NotHeld =
  /**
   * Less than `least` is left of the user's balance or the token's quota; `available` is what is
   * left.
   */
  | {
      readonly kind: "refused";
      readonly by: "user" | "token";
      readonly available: number;
      /** What would be left if every open hold were released. */
      readonly rest: number;
    }
  /** The user must first pay a debt. */
  | { readonly kind: "in-debt"; readonly debt: number }
  /** The token's budget of a window, which ends at `resetsAt`, has only `available` left. */
  | {
      readonly kind: "over-budget";
      readonly window: BudgetKind;
      /** Unix seconds. */
      readonly resetsAt: number;
      readonly available: number;
    }
  /** The user's or the gateway's calls have cost too much in the last time. */
  | {
      readonly kind: "over-limit";
      readonly by: "gateway" | "user";
      /** The limit in quota units. */
      readonly most: number;
      readonly retryAfterSeconds: number;
    }
  /** The database cannot commit at the moment. The call is answered with 503 and `retry-after`. */
  | { readonly kind: "unavailable" };

export type HoldAnswer = { readonly kind: "held"; readonly hold: Hold } | NotHeld;

/**
 * What can leave too little for a call: the user's balance, the token's quota or one of its budgets,
 * or what calls may cost in an hour.
 */
export type Short = "budget" | "limit" | "token" | "user";

/** Quota held for one call. Ends exactly once: settled or released. */
export type Hold = {
  /** Returns the quota units that are held now. */
  amount(): number;
  /**
   * Requests up to `want` more quota units, at least 1.
   *
   * @returns quota units granted; 0 when nothing is left. A promise only where the database has to
   *   be asked.
   */
  extend(want: number): number | Promise<number>;
  /** Tells what left too little when the last extension granted less than it was asked for. */
  shortOf(): Short;
  /**
   * Charges `settlement.charge`. What exceeds hold and balance is written off. Resolves once
   * charge, log row, counters and roll-up are committed. While the database cannot commit, the
   * settlement stays queued in this process and the promise pending.
   */
  settle(settlement: Settlement): Promise<Settled>;
  /**
   * Gives back what `settle` charged or will charge, because the answer is withheld. May be called
   * once, after `settle`. Returns before the reversal is stored.
   */
  reverse(): void;
  /**
   * Releases the hold. Returns before the release is stored: if the process crashes, its next start
   * releases the hold.
   */
  release(): void;
};

/** What is stored when a call ends that is charged. */
export type Settlement = {
  /** The charge in quota units, at the price of the model that the client named. */
  readonly charge: number;
  readonly log: ChargedCallLog;
};

type Settled = { readonly charged: number; readonly writeOff: number };
