/** Broadcasts that are planned: when they begin, and how often they may come. */

import type { NoticeEvent } from "@tollgate/contract/endpoints/notifications.ts";
import type { Db } from "#db/database.ts";

/**
 * The events of broadcasts, of which all subscribers are notified. A low balance concerns only one
 * user.
 */
export type BroadcastEvent = Exclude<NoticeEvent, "quota_low">;

/**
 * The shortest time between two notices of the same event to the same user. Source: the
 * specification.
 */
export const noticeEveryMs = 2 * 3_600_000;

/**
 * How long a broadcast waits before it begins, so that changes within this time are announced
 * together.
 */
const gatherMs = {
  announcement: 60_000,
  periodic_contact: 0,
  price_change: 10 * 60_000,
  promotion: 60_000,
} as const satisfies Record<BroadcastEvent, number>;

/**
 * Plans a broadcast. It replaces one of the same event that has not begun; one that has begun goes
 * on beside it.
 */
export async function planBroadcast(
  tx: Db,
  event: BroadcastEvent,
  { content, nowMs }: { readonly content: string; readonly nowMs: number },
): Promise<void> {
  await dropPlanned(tx, event);
  // Finished broadcasts are kept only as long as they delay the next one of their event.
  await tx
    .deleteFrom("broadcasts")
    .where("event", "=", event)
    .where("is_over", "=", 1)
    .where("claimed_at", "<=", Math.max(0, nowMs - noticeEveryMs))
    .execute();
  const known = tx.selectFrom("broadcasts").select("id");
  await tx.deleteFrom("broadcast_receivers").where("broadcast_id", "not in", known).execute();
  await tx
    .insertInto("broadcasts")
    .values({
      event,
      content,
      begins_at: nowMs + gatherMs[event],
      cursor: 0,
      claimed_at: 0,
      is_over: 0,
    })
    .execute();
}

/** Removes the planned broadcast of an event, if it has not begun. */
export async function dropPlanned(tx: Db, event: BroadcastEvent): Promise<void> {
  await tx
    .deleteFrom("broadcasts")
    .where("event", "=", event)
    .where("is_over", "=", 0)
    .where("claimed_at", "=", 0)
    .execute();
}
