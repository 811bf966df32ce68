/**
 * The hash chain of a user's entries: altering, removing or adding an entry breaks the hashes of
 * all entries after it. The user's row in `balances` stores the hash of the last entry.
 */

import { hashText } from "#base/secrets.ts";
import type { EarningEntryTable, EntryTable } from "#db/tables/ledger.ts";

/** The columns of an entry that its hash covers: all but the hash itself. */
export type HashedEntry = Omit<EntryTable, "hash">;

/** The hash that an empty chain has in place of the hash of its last entry. */
export const chainStart = "";

/**
 * Computes the hash of an entry: hex SHA-256 over the previous entry's hash and the fields of this
 * one, as JSON text in this order. `budget_at` and `debt` are left out when they are 0, as in entries
 * from before there were budgets and debts.
 */
export function entryHash(previous: string, entry: HashedEntry): string {
  const values: (number | string)[] = [
    previous,
    entry.cause,
    entry.kind,
    entry.user_id,
    entry.seq,
    entry.token_id,
    entry.channel_id,
    entry.amount,
    entry.balance_after,
    entry.used_after,
    entry.log_id,
    entry.detail,
    entry.created_at,
  ];
  if (entry.debt !== 0) values.push(entry.budget_at, "debt", entry.debt);
  else if (entry.budget_at !== 0) values.push(entry.budget_at);
  return hashText(JSON.stringify(values));
}

/**
 * Computes the hash of an entry of earnings: hex SHA-256 over the hash of the account's previous
 * entry and the fields of this one, as JSON text in this order.
 */
export function earningHash(previous: string, entry: Omit<EarningEntryTable, "hash">): string {
  return hashText(
    JSON.stringify([
      previous,
      entry.user_id,
      entry.account,
      entry.seq,
      entry.cause,
      entry.kind,
      entry.amount,
      entry.requested,
      entry.balance_after,
      entry.requested_after,
      entry.detail,
      entry.created_at,
    ]),
  );
}
