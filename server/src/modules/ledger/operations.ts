/**
 * What the judge of holds tells the database, in the order it happened. Values that cross to the
 * writer as JSON text; each is idempotent, so a batch whose fate is unknown is sent again.
 */

import type { CallLog, ChargedCallLog } from "#canonical/call-log.ts";

/** The parts of a call that its reservation remembers. */
export type ReservationFacts = {
  readonly id: string;
  readonly userId: number;
  readonly tokenId: number;
  /** True: the token's own quota is held as well. */
  readonly tokenLimited: boolean;
  readonly modelName: string;
  readonly group: string;
  /** Unix milliseconds. */
  readonly atMs: number;
};

export type Operation =
  /** Held in memory already; the row only tells what ran when the process died. */
  | { readonly type: "open"; readonly facts: ReservationFacts; readonly amount: number }
  /** Asks the database to grant up to `want`, at least `least`, and to hold it. */
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
    }
  | {
      readonly type: "settle";
      readonly id: string;
      readonly tokenLimited: boolean;
      readonly charge: number;
      /** What the judge charged; null: the database decides what the balance has. */
      readonly charged: number | null;
      readonly log: ChargedCallLog;
    }
  | {
      readonly type: "release";
      readonly id: string;
      readonly userId: number;
      readonly tokenId: number;
    }
  /** A call that is not charged leaves a row of type 5. */
  | { readonly type: "fail"; readonly log: CallLog };

export type OperationResult =
  | { readonly type: "done" }
  | { readonly type: "taken"; readonly amount: number }
  | {
      readonly type: "refused";
      readonly by: "token" | "user";
      readonly available: number;
      /** Nothing would be there even if every hold were given back. */
      readonly exhausted: boolean;
    }
  | { readonly type: "settled"; readonly charged: number; readonly writeOff: number }
  /** Others thought this node dead and ended the call before it could begin. */
  | { readonly type: "interrupted" };

/** One batch: one transaction. */
export type Batch = {
  readonly nodeId: string;
  /** Of the node; 1 is its first. */
  readonly epoch: number;
  /** The batch was sent before and its fate is unknown. */
  readonly again: boolean;
  readonly operations: readonly Operation[];
};

/** `fenced`: the epoch has ended, and nothing of the batch was done. */
export type BatchAnswer = readonly OperationResult[] | "fenced";
