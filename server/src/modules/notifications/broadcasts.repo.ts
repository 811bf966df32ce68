/**
 * Broadcasts: notices to all subscribers of an event. Users are notified in the order of their ids,
 * one batch at a time; a stored cursor is the last id so far. A node moves the cursor past a batch
 * before it notifies the users in it, so that only one of several nodes notifies them, and a
 * restarted node goes on with the next batch.
 */

import type { Db } from "#db/database.ts";
import { type BroadcastEvent, noticeEveryMs } from "./notifications.ts";
import { enabled, type Receiver, receiverColumns } from "./receivers.repo.ts";

/** The largest number of users in a batch. */
const batchMax = 50;

export type DueBroadcast = {
  readonly id: number;
  readonly event: BroadcastEvent;
  readonly cursor: number;
};

/**
 * Finds broadcasts that have begun or may begin. A broadcast may begin when all earlier ones of its
 * event are over and none was sent in the last two hours, so that no user is notified twice within
 * that time.
 * @param nowMs Unix milliseconds.
 */
export async function findDueBroadcasts(db: Db, nowMs: number): Promise<DueBroadcast[]> {
  const rows = await db
    .selectFrom("broadcasts")
    .select(["broadcasts.id", "broadcasts.event", "broadcasts.cursor"])
    .where("is_over", "=", 0)
    .where((eb) =>
      eb.or([
        eb("claimed_at", ">", 0),
        eb.and([
          eb("begins_at", "<=", nowMs),
          eb.not(
            eb.exists(
              eb
                .selectFrom("broadcasts as earlier")
                .select("earlier.id")
                .whereRef("earlier.event", "=", "broadcasts.event")
                .whereRef("earlier.id", "<>", "broadcasts.id")
                .where((other) =>
                  other.or([
                    other("earlier.is_over", "=", 0),
                    other("earlier.claimed_at", ">", Math.max(0, nowMs - noticeEveryMs)),
                  ]),
                ),
            ),
          ),
        ]),
      ]),
    )
    .orderBy("broadcasts.id")
    .execute();
  return rows.map(({ id, event, cursor }) => ({ id, cursor, event: eventOf(event) }));
}

function eventOf(event: string): BroadcastEvent {
  return event === "price_change" ? event : "announcement";
}

export type BroadcastBatch = {
  /** The text of the announcement; empty for other events. */
  readonly content: string;
  readonly receivers: readonly Receiver[];
};

/**
 * Takes the next batch of users for this node to notify; if none are left, the broadcast is over.
 * @param nowMs Unix milliseconds.
 * @returns undefined if another node took the batch first, or the broadcast was removed meanwhile.
 */
export async function claimBroadcast(
  tx: Db,
  { id, event, cursor }: DueBroadcast,
  nowMs: number,
): Promise<BroadcastBatch | undefined> {
  const receivers = await tx
    .selectFrom("users")
    .innerJoin("notification_settings as settings", "settings.user_id", "users.id")
    .select(receiverColumns)
    .where(`settings.${event}`, "=", 1)
    .where("users.id", ">", cursor)
    .where("users.status", "=", enabled)
    .where("users.DeletedAt", "is", null)
    .orderBy("users.id")
    .limit(batchMax)
    .execute();
  const last = receivers.at(-1);
  const claimed = await tx
    .updateTable("broadcasts")
    .set(last === undefined ? { is_over: 1 } : { cursor: last.user_id, claimed_at: nowMs })
    .where("id", "=", id)
    .where("cursor", "=", cursor)
    .where("is_over", "=", 0)
    .returning("content")
    .executeTakeFirst();
  return claimed === undefined ? undefined : { content: claimed.content, receivers };
}
