/** Changes of balances that do not come from calls, such as top-ups. */

import { unixSeconds } from "#base/clock.ts";
import { Refusal } from "#base/refusal.ts";
import type { Db } from "#db/database.ts";
import { dialectOf } from "#db/dialect.ts";
import { noteWritten } from "#db/written.ts";
import type { BalanceTable, EntryKind } from "#db/tables/ledger.ts";
import { loadAccounts, type Posted, saveAccounts } from "#modules/ledger/accounts.ts";
import { divide, inDebt, payDebtOf, paysDebt } from "#modules/ledger/debts/debts.ts";
import { type ChainedEntry, insertEntries } from "#modules/ledger/entries.ts";

/** A change of a balance that does not come from a call, such as a top-up. */
type Posting = {
  /**
   * Names what the change comes from, such as `redeem:17`. It is unique: a second posting with the
   * same cause fails.
   */
  readonly cause: string;
  readonly kind: Exclude<EntryKind, "debt_paid" | "refund" | "rerate" | "reversal" | "settle">;
  readonly userId: number;
  /** Quota units to add; negative: to take away. Not 0. */
  readonly amount: number;
  /** Of a posting that may make a debt: how much the balance may lose at most. */
  readonly most?: number | undefined;
  /** A free text about the change, such as an admin's reason. */
  readonly detail: string;
  /** Unix milliseconds. */
  readonly nowMs: number;
};

/**
 * Changes a user's balance by an entry, and the user's debt as `debts.ts` says for its kind.
 * @throws Refusal `quota-too-low` when the balance, less what calls hold, would go below 0. A
 * database error when the cause was posted before; the transaction cannot be committed then.
 */
export async function postEntry(tx: Db, posting: Posting): Promise<Posted> {
  const { cause, kind, userId, detail, nowMs } = posting;
  const accounts = await loadAccounts(tx, [userId], []);
  const loaded = accounts.users.get(userId);
  if (loaded === undefined) throw new Error(`user ${userId} has no balance`);
  const { before, now: user } = loaded;
  const { amount, debt } = divide(before, posting);
  const balance = user.balance + amount;
  if (balance < user.held) throw new Refusal("quota-too-low", "剩余额度不能小于0");
  if (!Number.isSafeInteger(balance)) throw new Refusal("invalid-input", "额度超出上限");
  user.balance = balance;
  user.debt += debt;
  const entries: ChainedEntry[] = [
    {
      cause,
      kind,
      user_id: userId,
      token_id: 0,
      channel_id: 0,
      amount,
      log_id: 0,
      detail,
      created_at: unixSeconds(nowMs),
      debt,
    },
  ];
  if (paysDebt(kind)) {
    // On SQLite calls may hold any part of the balance but the credit, which they do not have yet.
    const most = dialectOf(tx) === "postgres" ? user.balance : amount;
    const paid = payDebtOf(user, most, nowMs);
    if (paid !== undefined) entries.push(paid);
  }
  await insertEntries(tx, accounts, entries);
  await saveAccounts(tx, accounts);
  noteWritten(tx, { kind: "entry", what: cause });
  return postedOf(loaded);
}

/** Tells what was changed in a balance row. */
export function postedOf(row: {
  readonly before: BalanceTable;
  readonly now: BalanceTable;
}): Posted {
  const { before, now } = row;
  return {
    balance: now.balance,
    moved: now.balance - before.balance,
    debt: now.debt,
    owed: Math.max(0, now.debt - before.debt),
  };
}

/** Refuses what a user with a debt may not do. */
export async function refuseDebtor(db: Db, userId: number): Promise<void> {
  const debt = await readDebt(db, userId);
  if (debt > 0) throw inDebt(debt);
}

/** Reads what a user owes. */
export async function readDebt(db: Db, userId: number): Promise<number> {
  const row = await db
    .selectFrom("balances")
    .select("debt")
    .where("user_id", "=", userId)
    .executeTakeFirst();
  return row?.debt ?? 0;
}
