/**
 * The log that users see. The ledger inserts rows of type 2 together with their settlement, through
 * `modules/logs`, which is the only writer. What the columns hold stands in the contract.
 */

import type { AddedName, StoredLog } from "@tollgate/contract/logs/fields.ts";
import type { Generated } from "kysely";

/** The columns that have a value of their own in the database. */
type WithDefault =
  | AddedName
  | "cost_reported"
  | "cost_version"
  | "ending"
  | "id"
  | "refunded"
  | "rerated"
  | "reversed"
  | "salt"
  | "seen_output";

export type LogTable = {
  [Name in keyof StoredLog]: Name extends WithDefault
    ? Generated<StoredLog[Name]>
    : StoredLog[Name];
};

/**
 * The tags of calls. Written by `modules/logs` only, in the transaction that inserts the row of the
 * call, and removed with it. No hash covers them.
 */
export type LogTagTable = {
  /** The row of the call. */
  log_id: number;
  tag: string;
  /** Of the row, so that rows of one tag are listed without reading others. */
  user_id: number;
  /** Unix seconds. */
  created_at: number;
};

/** The tags that a user's calls of a day have had, of which there are only so many. */
export type TagDayTable = {
  user_id: number;
  /** The start of the UTC day, in Unix seconds. */
  day: number;
  tag: string;
};
