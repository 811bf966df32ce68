/** Moves quota from one balance to another: a user's to an organisation's, and back. */

import type { Db } from "#db/database.ts";
import { loadAccounts, type Posted } from "#modules/ledger/accounts.ts";
import { postEntry, refuseDebtor } from "./postings.ts";

type Transfer = {
  readonly from: number;
  readonly to: number;
  /** Quota units above 0. */
  readonly amount: number;
  /** What asks for it; each moves quota once. */
  readonly requestId: string;
  /** What the entries say of the other side: where it went, and where it came from. */
  readonly toName: string;
  readonly fromName: string;
  /** Unix milliseconds. */
  readonly nowMs: number;
};

/**
 * Makes an entry on each side. What arrives pays a debt first.
 *
 * @returns what has changed where it arrived.
 * @throws Refusal `quota-too-low` when the balance, less what calls hold, has less; `not-allowed`
 * when it has a debt.
 */
export async function transferQuota(tx: Db, transfer: Transfer): Promise<Posted> {
  const { from, to, amount, requestId, nowMs } = transfer;
  // Both at once and in the order of their ids, so that two opposite transfers cannot deadlock.
  await loadAccounts(tx, [from, to], []);
  await refuseDebtor(tx, from);
  await postEntry(tx, {
    cause: `transfer_out:${requestId}`,
    kind: "transfer_out",
    userId: from,
    amount: 0 - amount,
    detail: transfer.toName,
    nowMs,
  });
  return await postEntry(tx, {
    cause: `transfer_in:${requestId}`,
    kind: "transfer_in",
    userId: to,
    amount,
    detail: transfer.fromName,
    nowMs,
  });
}

/** Returns which transfer an entry is a half of; undefined: its cause names none. */
export function transferOf(
  kind: "transfer_in" | "transfer_out",
  cause: string,
): string | undefined {
  return cause.startsWith(`${kind}:`) ? cause.slice(kind.length + 1) : undefined;
}
