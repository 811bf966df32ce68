/**
 * Finds budgets of tokens of which 80 % are spent in the present window, and whose owners were not
 * warned yet. A node records a warning before it sends it, so that only one of several nodes does,
 * and notes when it was sent, so that another one sends it if the node dies before.
 */

import { sql } from "kysely";
import type { Db } from "#db/database.ts";
import type { BudgetWarningTable } from "#db/tables/notifications.ts";
import { lostMs } from "./broadcasts.repo.ts";
import { enabled, type Receiver, receiverColumns } from "./receivers.repo.ts";

/** The largest number of budgets in one run of the job; the next run finds the rest. */
const newsMax = 200;

/** For how long a warning is kept, in seconds: longer than the longest window. */
const keptSeconds = 40 * 86_400;

/** An owner of a token, and the budget that is nearly spent. Amounts in quota units. */
export type BudgetReceiver = Receiver & {
  readonly name: string;
  readonly token_id: number;
  readonly kind: BudgetWarningTable["kind"];
  readonly starts_at: number;
  readonly ends_at: number;
  readonly spent: number;
  readonly limit_quota: number;
};

const limitQuota = sql<number>`case budget.kind
  when 'day' then tokens.budget_day
  when 'week' then tokens.budget_week
  else tokens.budget_month end`;

/** @param nowMs Unix milliseconds. */
export async function findBudgetNews(db: Db, nowMs: number): Promise<BudgetReceiver[]> {
  const nowSeconds = Math.floor(nowMs / 1_000);
  return await db
    .selectFrom("token_budgets as budget")
    .innerJoin("tokens", "tokens.id", "budget.token_id")
    .innerJoin("users", "users.id", "tokens.user_id")
    .leftJoin("notification_settings as settings", "settings.user_id", "users.id")
    .leftJoin("budget_warnings as warning", (join) =>
      join
        .onRef("warning.token_id", "=", "budget.token_id")
        .onRef("warning.kind", "=", "budget.kind")
        .onRef("warning.starts_at", "=", "budget.starts_at"),
    )
    .select(receiverColumns)
    .select(["tokens.name", "budget.token_id", "budget.kind", "budget.starts_at"])
    .select(["budget.ends_at", "budget.spent", limitQuota.as("limit_quota")])
    .where((eb) =>
      eb.or([
        eb("warning.token_id", "is", null),
        eb.and([eb("warning.is_sent", "=", 0), eb("warning.claimed_at", "<=", lostBefore(nowMs))]),
      ]),
    )
    .where("budget.starts_at", "<=", nowSeconds)
    .where("budget.ends_at", ">", nowSeconds)
    .where(sql<boolean>`${limitQuota} > 0 and budget.spent * 5.0 >= ${limitQuota} * 4.0`)
    .where(sql<boolean>`coalesce(settings.quota_low, 1) = 1`)
    .where("tokens.DeletedAt", "is", null)
    .where("users.status", "=", enabled)
    .where("users.DeletedAt", "is", null)
    .orderBy("budget.token_id")
    .limit(newsMax)
    .execute();
}

/** Returns the latest time at which a warning was recorded that counts as lost if it is not sent. */
function lostBefore(nowMs: number): number {
  return Math.max(0, nowMs - lostMs);
}

/**
 * Records the warnings that this node will send.
 * @param nowMs Unix milliseconds.
 * @returns those that no other node has recorded first.
 */
export async function claimBudgetWarnings(
  tx: Db,
  news: readonly BudgetReceiver[],
  nowMs: number,
): Promise<BudgetReceiver[]> {
  const claimed: BudgetReceiver[] = [];
  for (const one of news) {
    const { token_id, kind, starts_at } = one;
    const row = await tx
      .insertInto("budget_warnings")
      .values({ token_id, kind, starts_at, claimed_at: nowMs, is_sent: 0 })
      .onConflict((conflict) =>
        conflict
          .columns(["token_id", "kind", "starts_at"])
          .doUpdateSet({ claimed_at: nowMs })
          .where("budget_warnings.is_sent", "=", 0)
          .where("budget_warnings.claimed_at", "<=", lostBefore(nowMs)),
      )
      .returning("token_id")
      .executeTakeFirst();
    if (row === undefined) continue;
    claimed.push(one);
    await tx
      .deleteFrom("budget_warnings")
      .where("token_id", "=", token_id)
      .where("starts_at", "<", Math.max(0, starts_at - keptSeconds))
      .execute();
  }
  return claimed;
}

/** Notes that a warning was sent, or cannot be. */
export async function finishBudgetWarning(
  tx: Db,
  { token_id, kind, starts_at }: Pick<BudgetReceiver, "kind" | "starts_at" | "token_id">,
): Promise<void> {
  await tx
    .updateTable("budget_warnings")
    .set({ is_sent: 1 })
    .where("token_id", "=", token_id)
    .where("kind", "=", kind)
    .where("starts_at", "=", starts_at)
    .execute();
}
