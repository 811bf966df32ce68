/**
 * Finds users to warn of a low balance: subscribed, with a recent call, below their threshold, and
 * not warned yet. A node records a warning before it sends it, so that only one of several nodes
 * does, and notes when it was sent, so that another one sends it if the node dies before. A user is
 * warned again only after the balance has been above the threshold.
 */

import { sql } from "kysely";
import type { Db } from "#db/database.ts";
import { lostMs } from "./broadcasts.repo.ts";
import { noticeEveryMs } from "./planned-broadcasts.repo.ts";
import { enabled, type Receiver, receiverColumns } from "./receivers.repo.ts";

/** The largest number of users in one run of the job; the next run finds the rest. */
const newsMax = 200;

const hourSeconds = 3_600;

type WarningRules = {
  /** Option `QuotaRemindThreshold` in quota units: the threshold of users who have set none. */
  readonly threshold: number;
  /** Unix milliseconds. */
  readonly nowMs: number;
};

type BalanceNews = {
  /** Ids of users to warn. */
  readonly low: readonly number[];
  /** Ids of warned users whose balance is sufficient again. */
  readonly recovered: readonly number[];
};

export async function findBalanceNews(db: Db, rules: WarningRules): Promise<BalanceNews> {
  const seconds = Math.floor(rules.nowMs / 1_000);
  // The start of the previous hour: the roll-up counts a call in the hour it began, so a call that
  // ended just now may be there.
  const since = (Math.floor(seconds / hourSeconds) - 1) * hourSeconds;
  const active = db
    .selectFrom("usage_hours")
    .select("usage_hours.user_id")
    .where("usage_hours.hour", ">=", since);
  const low = await accounts(db)
    .select("balances.user_id")
    .where(sql<boolean>`balances.balance < ${thresholdOf(rules)}`)
    .where(wantsToKnow)
    .where("users.status", "=", enabled)
    .where("users.DeletedAt", "is", null)
    .where((eb) =>
      eb.or([
        eb.and([
          eb("balances.user_id", "in", active),
          eb.or([
            eb("quota_warnings.user_id", "is", null),
            eb.and([
              eb("quota_warnings.is_low", "=", 0),
              eb("quota_warnings.warned_at", "<=", latestBefore(rules)),
            ]),
          ]),
        ]),
        eb.and([
          eb("quota_warnings.is_sent", "=", 0),
          eb("quota_warnings.warned_at", "<=", lostBefore(rules)),
        ]),
      ]),
    )
    .orderBy("balances.user_id")
    .limit(newsMax)
    .execute();
  const recovered = await accounts(db)
    .select("balances.user_id")
    .where("quota_warnings.is_low", "=", 1)
    .where(sql<boolean>`balances.balance >= ${thresholdOf(rules)}`)
    .orderBy("balances.user_id")
    .limit(newsMax)
    .execute();
  return {
    low: low.map(({ user_id }) => user_id),
    recovered: recovered.map(({ user_id }) => user_id),
  };
}

/**
 * Returns the latest time at which a user may have been warned before and still be warned again.
 */
function latestBefore({ nowMs }: WarningRules): number {
  return Math.max(0, nowMs - noticeEveryMs);
}

/** Returns the latest time at which a warning was recorded that counts as lost if it is not sent. */
function lostBefore({ nowMs }: WarningRules): number {
  return Math.max(0, nowMs - lostMs);
}

function accounts(db: Db) {
  return db
    .selectFrom("balances")
    .innerJoin("users", "users.id", "balances.user_id")
    .leftJoin("notification_settings as settings", "settings.user_id", "balances.user_id")
    .leftJoin("quota_warnings", "quota_warnings.user_id", "balances.user_id");
}

function thresholdOf({ threshold }: WarningRules) {
  return sql<number>`coalesce(settings.quota_warning_threshold, cast(${threshold} as bigint))`;
}

/** Whether a user wants to be warned. Users who saved no settings do. */
const wantsToKnow = sql<boolean>`coalesce(settings.quota_low, 1) = 1`;

/** A user with a low balance. Balance and threshold are in quota units. */
export type LowReceiver = Receiver & { readonly balance: number; readonly threshold: number };

/**
 * Records the warnings that this node will send, and whose balance has recovered.
 * @returns the users whom this node has to warn.
 */
export async function claimWarnings(
  tx: Db,
  { low, recovered }: BalanceNews,
  rules: WarningRules,
): Promise<LowReceiver[]> {
  if (recovered.length > 0) {
    await tx
      .updateTable("quota_warnings")
      .set({ is_low: 0 })
      .where("user_id", "in", recovered)
      .execute();
  }
  if (low.length === 0) return [];
  const receivers = await accounts(tx)
    .select(receiverColumns)
    .select(["balances.balance", thresholdOf(rules).as("threshold")])
    .where("balances.user_id", "in", low)
    .where(wantsToKnow)
    .where(sql<boolean>`balances.balance < ${thresholdOf(rules)}`)
    .orderBy("balances.user_id")
    .execute();
  const claimed: LowReceiver[] = [];
  for (const receiver of receivers) {
    if (await claim(tx, receiver.user_id, rules)) claimed.push(receiver);
  }
  return claimed;
}

/** Records that this node warns a user. False: another node has recorded it first. */
async function claim(tx: Db, userId: number, rules: WarningRules): Promise<boolean> {
  const warned = { warned_at: rules.nowMs, is_low: 1, is_sent: 0 };
  const row = await tx
    .insertInto("quota_warnings")
    .values({ user_id: userId, ...warned })
    .onConflict((conflict) =>
      conflict
        .column("user_id")
        .doUpdateSet(warned)
        .where((eb) =>
          eb.or([
            eb.and([
              eb("quota_warnings.is_low", "=", 0),
              eb("quota_warnings.warned_at", "<=", latestBefore(rules)),
            ]),
            eb.and([
              eb("quota_warnings.is_sent", "=", 0),
              eb("quota_warnings.warned_at", "<=", lostBefore(rules)),
            ]),
          ]),
        ),
    )
    .returning("user_id")
    .executeTakeFirst();
  return row !== undefined;
}

/** Notes that a warning was sent, or cannot be. */
export async function finishWarning(tx: Db, userId: number): Promise<void> {
  await tx
    .updateTable("quota_warnings")
    .set({ is_sent: 1 })
    .where("user_id", "=", userId)
    .execute();
}
