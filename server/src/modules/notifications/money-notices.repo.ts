/**
 * Notices about money that moved: an order was paid or refunded, a dividend was credited, a
 * withdrawal was paid or rejected. They are stored in the transaction that moves the money and
 * removed when they were sent, so that no death of a node loses one.
 */

import type { Db } from "#db/database.ts";
import type { MoneyNoticeTable } from "#db/tables/notifications.ts";
import { lostMs } from "./broadcasts.repo.ts";
import { findReceiver, type Receiver } from "./receivers.repo.ts";

/** The largest number of notices in one run of the job. */
const batchMax = 50;

/** A notice to send; `receiver` undefined: the user is disabled or deleted. */
type MoneyNoticeDue = MoneyNoticeTable & { readonly receiver: Receiver | undefined };

/** Whether notices wait to be sent; nearly always there are none. */
export async function hasMoneyNotices(db: Db): Promise<boolean> {
  const row = await db.selectFrom("money_notices").select("cause").limit(1).executeTakeFirst();
  return row !== undefined;
}

/**
 * Takes notices for this node to send: new ones, and those that a dead node left behind.
 * @param nowMs Unix milliseconds.
 */
export async function claimMoneyNotices(tx: Db, nowMs: number): Promise<MoneyNoticeDue[]> {
  const open = await tx
    .selectFrom("money_notices")
    .select("cause")
    .where("claimed_at", "<=", Math.max(0, nowMs - lostMs))
    .orderBy("cause")
    .limit(batchMax)
    .execute();
  const due: MoneyNoticeDue[] = [];
  for (const { cause } of open) {
    const claimed = await tx
      .updateTable("money_notices")
      .set({ claimed_at: nowMs })
      .where("cause", "=", cause)
      .where("claimed_at", "<=", Math.max(0, nowMs - lostMs))
      .returningAll()
      .executeTakeFirst();
    if (claimed === undefined) continue;
    due.push({ ...claimed, receiver: await findReceiver(tx, claimed.user_id) });
  }
  return due;
}

/** Removes a notice that was sent, or cannot be. */
export async function finishMoneyNotice(tx: Db, cause: string): Promise<void> {
  await tx.deleteFrom("money_notices").where("cause", "=", cause).execute();
}
