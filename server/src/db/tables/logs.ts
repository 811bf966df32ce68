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
  | "id"
  | "refunded"
  | "reversed"
  | "salt"
  | "seen_output";

export type LogTable = {
  [Name in keyof StoredLog]: Name extends WithDefault
    ? Generated<StoredLog[Name]>
    : StoredLog[Name];
};
