/**
 * Computes by how much to change a balance when a console sends the quota that a user should have.
 * Calls change the balance while the console's form is open. So the change is the difference
 * between the quota that was sent and the balance that the form showed.
 */

import { Refusal } from "#base/refusal.ts";
import type { Db } from "#db/database.ts";
import { balancesBefore } from "#modules/ledger/ledger.ts";

export type QuotaWish = {
  /** Quota units to add to the balance. If present, the other fields are ignored. */
  readonly quota_delta?: number | undefined;
  /** The balance that the user should have. */
  readonly quota?: number | undefined;
  /**
   * The number of ledger entries at the time when the console read the balance. It tells which
   * balance the form showed.
   */
  readonly quota_version?: number | undefined;
  /**
   * The used quota that the console read together with the balance. For consoles that send no
   * `quota_version`, it tells which balance the form showed.
   */
  readonly used_quota?: number | undefined;
};

export type QuotaChange = {
  /** The present balance. */
  readonly balance: number;
  /** Quota units to add to the balance; 0 leaves it unchanged. */
  readonly delta: number;
};

/**
 * Computes the change of a balance that a console asks for.
 * @throws Refusal `stale` when the balance that the console showed cannot be determined,
 * `not-found` when the user does not exist, and `quota-too-low` when the balance would go below 0.
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
  const used = used_quota === undefined ? undefined : used_quota - (await usedBefore(db, userId));
  // If the used quota is the same or was not sent, the console most likely showed the present
  // balance.
  if (used === undefined || used === present.used) return quota - present.balance;
  const seen = await balancesBefore(db, userId, used);
  if (seen.includes(quota)) return 0;
  const [only, second] = seen;
  if (only === undefined || second !== undefined) throw stale();
  return quota - only;
}

/** Reads what a user had used before the import; consoles show it with what was used since. */
async function usedBefore(db: Db, userId: number): Promise<number> {
  const row = await db
    .selectFrom("opening_counters")
    .select("used_quota")
    .where("kind", "=", "user")
    .where("id", "=", userId)
    .executeTakeFirst();
  return row?.used_quota ?? 0;
}

/** Computes the balance after the first `version` entries of the user. */
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

/**
 * True when the request does not say which balance the admin saw, so that the new balance is
 * compared with the present one.
 */
export function isFromPresent(wish: QuotaWish): boolean {
  const { quota_delta, quota_version, used_quota } = wish;
  return quota_delta === undefined && quota_version === undefined && used_quota === undefined;
}

export function stale(): Refusal {
  return new Refusal("stale", "用户数据已变化，请刷新后重试");
}
