/** What a proof finds. */

import type { RawBuilder } from "kysely";
import type { Db } from "#db/database.ts";

/** The first row that breaks a check, and the reason in words that an operator can act on. */
export type Flaw = {
  readonly check:
    | "T1"
    | "T2"
    | "T3"
    | "T4"
    | "T5"
    | "T6"
    | "T7"
    | "T8"
    | "T10"
    | "T11"
    | "T12"
    | "T14"
    | "T15"
    | "T16"
    | "T17"
    | "T18";
  readonly table: string;
  /** Names the row by its identifying columns, such as `user_id=7 seq=12`. */
  readonly row: string;
  readonly reason: string;
};

/** Runs a query that finds wrong rows, and returns the name of the first. */
export async function firstRow(db: Db, query: RawBuilder<unknown>): Promise<string | null> {
  const { rows } = await query.$castTo<{ row: string }>().execute(db);
  return rows[0]?.row ?? null;
}
