/**
 * What users earn beside their balance: rewards for invitations and rebates (`invitations`), and the
 * dividends of agents (`purse`). Each change is an entry with a unique cause, chained by hash like
 * those of balances.
 */

import { unixSeconds } from "#base/clock.ts";
import { Refusal } from "#base/refusal.ts";
import type { Db } from "#db/database.ts";
import { lockRows } from "#db/dialect.ts";
import type { EarningAccount, EarningKind, EarningTable } from "#db/tables/ledger.ts";
import { chainStart, earningHash } from "#modules/ledger/chain.ts";

/** A change of an account of earnings. */
type EarningPosting = {
  readonly account: EarningAccount;
  /** Names what the change comes from. It is unique: a second posting with it fails. */
  readonly cause: string;
  readonly kind: EarningKind;
  readonly userId: number;
  /** Quota units to add to what can be moved; negative: to take away. */
  readonly amount: number;
  /** Quota units to add to what is requested for a payout; negative: to take away. */
  readonly requested?: number;
  readonly detail: string;
  /** Unix milliseconds. */
  readonly nowMs: number;
  /** The message of the refusal when there is too little. */
  readonly tooLittle?: string;
};

/** Kinds whose amounts make up what a user has earned in total. */
const earning: ReadonlySet<EarningKind> = new Set([
  "dividend",
  "invite",
  "rebate",
  "rebate_back",
  "rebate_restored",
]);

export function isEarning(kind: EarningKind): boolean {
  return earning.has(kind);
}

/**
 * Locks an account of earnings until the transaction ends, and creates it if there is none.
 */
export async function lockEarnings(
  tx: Db,
  userId: number,
  account: EarningAccount,
): Promise<EarningTable> {
  const empty = { balance: 0, requested: 0, earned: 0, entry_count: 0, head_hash: chainStart };
  await tx
    .insertInto("earnings")
    .values({ user_id: userId, account, ...empty })
    .onConflict((conflict) => conflict.columns(["user_id", "account"]).doNothing())
    .execute();
  const query = tx
    .selectFrom("earnings")
    .selectAll()
    .where("user_id", "=", userId)
    .where("account", "=", account);
  return await lockRows(tx, query).executeTakeFirstOrThrow();
}

/**
 * Changes an account of earnings by an entry.
 * @throws Refusal `quota-too-low` when the account would go below 0. A database error when the cause
 * was posted before; the transaction cannot be committed then.
 */
export async function postEarning(tx: Db, posting: EarningPosting): Promise<void> {
  const { account, kind, userId, amount, requested = 0, cause, detail } = posting;
  const before = await lockEarnings(tx, userId, account);
  const balance = before.balance + amount;
  if (balance < 0) throw new Refusal("quota-too-low", posting.tooLittle ?? "可用收益不足");
  if (!Number.isSafeInteger(balance)) throw new Refusal("invalid-input", "额度超出上限");
  const entry = {
    user_id: userId,
    account,
    seq: before.entry_count + 1,
    cause,
    kind,
    amount,
    requested,
    balance_after: balance,
    requested_after: before.requested + requested,
    detail,
    created_at: unixSeconds(posting.nowMs),
  };
  const hash = earningHash(before.head_hash, entry);
  await tx
    .insertInto("earning_entries")
    .values({ ...entry, hash })
    .execute();
  await tx
    .updateTable("earnings")
    .set({
      balance,
      requested: entry.requested_after,
      earned: before.earned + (isEarning(kind) ? amount : 0),
      entry_count: entry.seq,
      head_hash: hash,
    })
    .where("user_id", "=", userId)
    .where("account", "=", account)
    .execute();
}
