/**
 * Regular contact: users who want it are told of their balance and spending once in so many days,
 * as a broadcast. Also, when root was last told of what.
 */

import type { Db } from "#db/database.ts";
import { noticeEveryMs, planBroadcast } from "./planned-broadcasts.repo.ts";

const dayMs = 86_400_000;

/**
 * Plans the next contact when the last one is long enough ago. The first one comes that long after
 * the first call of this function.
 */
export async function planContact(
  tx: Db,
  { everyDays, nowMs }: { readonly everyDays: number; readonly nowMs: number },
): Promise<void> {
  if (everyDays === 0) return;
  const event = "periodic_contact";
  const last = await tx
    .selectFrom("broadcasts")
    .select(["id", "begins_at", "is_over"])
    .where("event", "=", event)
    .orderBy("begins_at", "desc")
    .orderBy("id")
    .limit(1)
    .executeTakeFirst();
  if (last === undefined) {
    const started = { content: "", begins_at: nowMs, cursor: 0, claimed_at: 0, is_over: 1 };
    await tx
      .insertInto("broadcasts")
      .values({ event, ...started })
      .execute();
  } else if (last.is_over === 1 && last.begins_at <= nowMs - everyDays * dayMs) {
    // Of several nodes, the one plans that removes the row of the contact before.
    const removed = await tx
      .deleteFrom("broadcasts")
      .where("id", "=", last.id)
      .returning("id")
      .executeTakeFirst();
    if (removed !== undefined) await planBroadcast(tx, event, { content: "", nowMs });
  }
}

/** What a user is told: the balance, and what was spent since a time, in quota units. */
type Account = { readonly balance: number; readonly spent: number; readonly calls: number };

/** @param since Unix seconds. */
export async function readAccount(
  db: Db,
  { userId, since }: { readonly userId: number; readonly since: number },
): Promise<Account> {
  const balance = await db
    .selectFrom("balances")
    .select("balance")
    .where("user_id", "=", userId)
    .executeTakeFirst();
  const used = await db
    .selectFrom("usage_hours")
    .select((eb) => [
      eb.fn.sum<number>("quota").as("spent"),
      eb.fn.sum<number>("request_count").as("calls"),
    ])
    .where("user_id", "=", userId)
    .where("hour", ">=", since)
    .executeTakeFirst();
  return {
    balance: balance?.balance ?? 0,
    spent: Number(used?.spent ?? 0),
    calls: Number(used?.calls ?? 0),
  };
}

type NoticeTime = {
  readonly userId: number;
  /** The type of the notice. */
  readonly type: string;
  /** Unix milliseconds. */
  readonly nowMs: number;
};

/**
 * Records that a user is told of something now.
 * @returns false when the user was told of it less than two hours ago, by whatever node.
 */
export async function claimNotice(tx: Db, { userId, type, nowMs }: NoticeTime): Promise<boolean> {
  const latest = Math.max(0, nowMs - noticeEveryMs);
  await tx
    .deleteFrom("notice_times")
    .where("user_id", "=", userId)
    .where("type", "<>", type)
    .where("sent_at", "<=", latest)
    .execute();
  const row = await tx
    .insertInto("notice_times")
    .values({ user_id: userId, type, sent_at: nowMs })
    .onConflict((conflict) =>
      conflict
        .columns(["user_id", "type"])
        .doUpdateSet({ sent_at: nowMs })
        .where("notice_times.sent_at", "<=", latest),
    )
    .returning("user_id")
    .executeTakeFirst();
  return row !== undefined;
}

/** Forgets a notice that could not be delivered, so that the next one is sent. */
export async function forgetNotice(tx: Db, { userId, type }: NoticeTime): Promise<void> {
  await tx
    .deleteFrom("notice_times")
    .where("user_id", "=", userId)
    .where("type", "=", type)
    .execute();
}
