/**
 * What a console means that sends a quota back. A balance moves while a form is open, so what
 * counts is by how much the caller wants to change the balance that was on the screen.
 */

import { Refusal } from "#base/refusal.ts";
import type { Db } from "#db/database.ts";
import { balancesBefore } from "#modules/ledger/ledger.ts";

export type QuotaWish = {
  /** To be added; what the others say does not count then. */
  readonly quota_delta?: number | undefined;
  /** What the balance should be. */
  readonly quota?: number | undefined;
  /** Number of ledger entries behind the balance the caller saw. */
  readonly quota_version?: number | undefined;
  /** What had been used when the caller saw it. */
  readonly used_quota?: number | undefined;
};

export type QuotaChange = {
  /** The balance now. */
  readonly balance: number;
  /** To be added to it; 0: leave it. */
  readonly delta: number;
};

/**
 * @throws Refusal `stale` when it cannot be told what the caller saw, `not-found`, and
 *   `quota-too-low` when the balance would go below 0.
 */
export async function readQuotaChange(
  db: Db,
  userId: number,
  wish: QuotaWish,
): Promise<QuotaChange> {
  const present = await db
    .selectFrom("balances")
    .select(["balance", "used", "entry_count"])
    .where("user_id", "=", userId)
    .executeTakeFirst();
  if (present === undefined) throw new Refusal("not-found", "用户不存在");
  const { balance } = present;
  const delta = await wishedDelta(db, userId, wish, present);
  if ((wish.quota ?? 0) < 0 || balance + delta < 0) {
    throw new Refusal("quota-too-low", "剩余额度不能小于0");
  }
  return { balance, delta };
}

type Present = { readonly balance: number; readonly used: number; readonly entry_count: number };

async function wishedDelta(
  db: Db,
  userId: number,
  wish: QuotaWish,
  present: Present,
): Promise<number> {
  const { quota, quota_version, used_quota } = wish;
  if (wish.quota_delta !== undefined) return wish.quota_delta;
  if (quota === undefined) return 0;
  if (quota_version !== undefined) {
    return quota - (await balanceAt(db, userId, quota_version, present));
  }
  // Nothing was used since, so what the caller saw is most likely what there is.
  if (used_quota === undefined || used_quota === present.used) return quota - present.balance;
  const seen = await balancesBefore(db, userId, used_quota);
  if (seen.includes(quota)) return 0;
  const [only, second] = seen;
  if (only === undefined || second !== undefined) throw stale();
  return quota - only;
}

/** The balance once `version` entries had been booked. */
async function balanceAt(
  db: Db,
  userId: number,
  version: number,
  present: Present,
): Promise<number> {
  if (version === 0) return 0;
  if (version === present.entry_count) return present.balance;
  const entry = await db
    .selectFrom("entries")
    .select("balance_after")
    .where("user_id", "=", userId)
    .where("seq", "=", version)
    .executeTakeFirst();
  if (entry === undefined) throw stale();
  return entry.balance_after;
}

/** Whether the change is measured from whatever the balance is when it is read. */
export function isFromPresent(wish: QuotaWish): boolean {
  const { quota_delta, quota_version, used_quota } = wish;
  return quota_delta === undefined && quota_version === undefined && used_quota === undefined;
}

export function stale(): Refusal {
  return new Refusal("stale", "用户数据已变化，请刷新后重试");
}
