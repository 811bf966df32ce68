/**
 * The operations on holds and charges that are sent to the database in the order they happened
 * (`batch-text.ts` makes their text). Each is idempotent, because a batch is sent again as long as it is unknown whether it
 * was committed.
 */

import type { BudgetKind } from "@tollgate/contract/money/budgets.ts";
import type { ChargedCallLog, FailedCallLog } from "#canonical/call-log.ts";
import type { BudgetClaim } from "./budgets/budgets.ts";
import type { Short } from "./judge.ts";

/** What the row of a reservation stores about its call. */
export type ReservationFacts = {
  readonly id: string;
  readonly userId: number;
  readonly tokenId: number;
  /** Whether the call also holds quota of the token, which then has a limit of its own. */
  readonly tokenLimited: boolean;
  readonly modelName: string;
  readonly group: string;
  /** The tags of the call, one a line; absent: it has none. */
  readonly tags?: string | undefined;
  /** Unix milliseconds. */
  readonly atMs: number;
  /** The token's budgets in which the call counts; absent: the token has none. */
  readonly budget?: BudgetClaim | undefined;
};

export type Operation =
  /**
   * Inserts the row of a reservation whose amount the judge holds in memory already. The row only
   * serves to find the call if the process dies.
   */
  | { readonly type: "open"; readonly facts: ReservationFacts; readonly amount: number }
  /**
   * Asks the database to grant and hold up to `want`, but refuse if less than `least` is available.
   */
  | {
      readonly type: "take";
      readonly facts: ReservationFacts;
      readonly want: number;
      readonly least: number;
    }
  /** Asks the database to grant up to `want` more to a reservation that holds `before`. */
  | {
      readonly type: "more";
      readonly id: string;
      readonly userId: number;
      readonly tokenId: number;
      readonly tokenLimited: boolean;
      readonly before: number;
      readonly want: number;
      readonly budget?: BudgetClaim | undefined;
    }
  | {
      readonly type: "settle";
      readonly id: string;
      readonly tokenLimited: boolean;
      readonly charge: number;
      /**
       * The charge that is decided, because the call holds as much; null: the database decides, and
       * charges as much as the balance has.
       */
      readonly charged: number | null;
      readonly log: ChargedCallLog;
      readonly budget?: BudgetClaim | undefined;
    }
  | {
      readonly type: "release";
      readonly id: string;
      readonly userId: number;
      readonly tokenId: number;
      /** An extension of the hold is on its way, which the release must not overtake. */
      readonly behind?: true;
    }
  /**
   * The answer of a settled call was withheld from its client, so what the settlement charged is
   * given back. This operation follows the settlement and repeats its values.
   */
  | {
      readonly type: "reverse";
      readonly id: string;
      readonly tokenLimited: boolean;
      readonly charge: number;
      readonly log: ChargedCallLog;
      /** Unix milliseconds. */
      readonly atMs: number;
      readonly budget?: BudgetClaim | undefined;
    }
  /** Asks how much the token has spent in the windows of the budgets. */
  | { readonly type: "budget"; readonly tokenId: number; readonly budget: BudgetClaim }
  /** A call that is not charged: inserts a log row of type 5. */
  | { readonly type: "fail"; readonly log: FailedCallLog };

export type OperationResult =
  | { readonly type: "done" }
  /** `short`: what left too little for all of an extension. */
  | { readonly type: "taken"; readonly amount: number; readonly short?: Short }
  | {
      readonly type: "refused";
      readonly by: "token" | "user";
      readonly available: number;
      /** What the account still has, with what other calls hold of it. */
      readonly rest: number;
    }
  /** The user must first pay a debt. */
  | { readonly type: "in-debt"; readonly debt: number }
  /** The budget of a window, which ends at `resetsAt`, has only `available` left. */
  | {
      readonly type: "over-budget";
      readonly window: BudgetKind;
      readonly resetsAt: number;
      readonly available: number;
    }
  /** What a token has spent in each window of the question, in their order. */
  | { readonly type: "spent"; readonly amounts: readonly number[] }
  | { readonly type: "settled"; readonly charged: number; readonly writeOff: number }
  /**
   * The quota that a reversal gave back; 0: nothing had been charged. `rerated`: what re-rates had
   * added to the charge, which the user got back beside it; below 0: what was taken back.
   */
  | { readonly type: "reversed"; readonly amount: number; readonly rerated: number }
  /**
   * Other nodes took this node for dead and ended the call before it could begin, or the database
   * has no reservation of it.
   */
  | { readonly type: "interrupted" };

/** The operations that one transaction applies. */
export type Batch = {
  readonly nodeId: string;
  /** The node's epoch, from 1. */
  readonly epoch: number;
  /** Whether the batch was sent before without an answer that tells whether it was committed. */
  readonly again: boolean;
  /**
   * Whether the batch settles calls again, because a database that went back has lost their
   * settlements; absent: it does not.
   */
  readonly restores?: boolean;
  readonly operations: readonly Operation[];
};

/**
 * The results in the order of the operations. `fenced`: the node's epoch has ended, and no
 * operation of the batch was applied.
 */
export type BatchAnswer = readonly OperationResult[] | "fenced";

/** Returns the request id of the call that an operation is about; empty: about none. */
export function idOf(operation: Operation): string {
  switch (operation.type) {
    case "open":
    case "take":
      return operation.facts.id;
    case "fail":
      return operation.log.requestId;
    case "budget":
      return "";
    case "more":
    case "release":
    case "reverse":
    case "settle":
      return operation.id;
  }
}
