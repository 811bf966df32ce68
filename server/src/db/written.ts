/**
 * What a transaction of the console leaves in the database, by which it can be found again: if a
 * database goes back, as by a fail-over that loses changes, this tells which confirmed writes are
 * missing.
 */

import type { Db } from "./database.ts";

/** A row that a transaction wrote and that stays. `what` names it for people. */
export type Written =
  | {
      readonly kind: "change";
      readonly version: number;
      readonly mark: string;
      readonly what: string;
    }
  /** A row of the audit log, by its hash. */
  | { readonly kind: "audit"; readonly hash: string; readonly what: string }
  /** An entry of the ledger, by its cause. */
  | { readonly kind: "entry"; readonly what: string };

/** The most rows that are noted of one transaction: of a large one, some are enough. */
const writtenMax = 20;

const notes = new WeakMap<Db, Written[]>();

/** Notes what the transaction has written. */
export function noteWritten(tx: Db, written: Written): void {
  const noted = notes.get(tx);
  if (noted === undefined) notes.set(tx, [written]);
  else if (noted.length < writtenMax) noted.push(written);
}

/** Returns what was noted of the transaction. */
export function writtenIn(tx: Db): readonly Written[] {
  return notes.get(tx) ?? [];
}
