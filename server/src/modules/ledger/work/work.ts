/** The state of a batch of operations from its first statement to its last; see `batch.ts`. */

import type { ChargedCallLog } from "#canonical/call-log.ts";
import type { Db } from "#db/database.ts";
import type { ReservationTable } from "#db/tables/ledger.ts";
import type { Accounts } from "#modules/ledger/accounts.ts";
import type { Applied } from "#modules/ledger/applied.ts";
import type { BudgetRows } from "#modules/ledger/budgets/budget-rows.ts";
import type { BudgetClaim } from "#modules/ledger/budgets/budgets.ts";
import type { ChainedEntry } from "#modules/ledger/entries.ts";
import type { NodeEpoch } from "#modules/ledger/nodes.ts";
import type { KnownReversals, Reversal } from "#modules/ledger/reversals.ts";
import type { DroppedRerate } from "#modules/ledger/rerate/drop-rerate.ts";
import type { CallLogRow } from "#modules/logs/logs.ts";

/** The state of a batch while its operations are decided one after the other. */
export type Work = {
  /** The transaction in the form that `pipelined` returns. */
  readonly tx: Db;
  readonly node: NodeEpoch;
  /** Whether the batch settles calls again whose settlements a database that went back has lost. */
  readonly restores: boolean;
  readonly accounts: Accounts;
  readonly budgets: BudgetRows;
  /** What the batch had already committed when it was sent before. */
  readonly applied: Applied;
  /** Request ids of calls that other nodes ended, because they took this node for dead. */
  readonly interrupted: ReadonlySet<string>;
  /** Ids for the log rows of the batch; none on SQLite, which numbers rows when they are inserted. */
  readonly logIds: readonly number[];
  /** Open reservations by id: those in the database and those that the batch opens. */
  readonly reservations: Map<string, ReservationTable>;
  readonly opened: Map<string, ReservationTable>;
  readonly ended: Set<string>;
  /** Settlements and reversals of settlements, in the order of their operations. */
  readonly booked: (Reversal | Settlement)[];
  /** The stored settlements that reversals in this batch take back. */
  readonly known: KnownReversals;
  /** The log rows of settlements and of failed calls, in the order of their operations. */
  readonly rows: CallLogRow[];
  /**
   * The debts that users pay with what calls of the batch held and did not spend, and what is taken
   * back of re-rates.
   */
  readonly debts: ChainedEntry[];
  /** What re-rates had added to charges that the batch reverses. */
  readonly dropped: DroppedRerate[];
  /**
   * The charges of calls that are not charged, because other nodes had ended them as interrupted.
   */
  readonly writeOffs: { readonly requestId: string; readonly amount: number }[];
};

type Settlement = {
  readonly log: ChargedCallLog;
  readonly charged: number;
  readonly row: CallLogRow;
  readonly budget: BudgetClaim | undefined;
  readonly again: boolean;
};
