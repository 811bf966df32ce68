/**
 * Broadcasts: notices to all subscribers of an event. Users are notified in the order of their ids,
 * one batch at a time; a stored cursor is the last id so far. A node moves the cursor past a batch
 * before it notifies the users in it, so that only one of several nodes notifies them. In the same
 * transaction it stores the batch, and removes each user from it who was notified, so that after
 * the death of a node another one notifies the rest.
 */

import type { Db } from "#db/database.ts";
import { type BroadcastEvent, noticeEveryMs } from "./planned-broadcasts.repo.ts";
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
                    // Two that were planned at once by two nodes do not wait for each other.
                    other.and([
                      other("earlier.is_over", "=", 0),
                      other("earlier.id", "<", other.ref("broadcasts.id")),
                    ]),
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

const broadcastEvents: readonly BroadcastEvent[] = [
  "announcement",
  "periodic_contact",
  "price_change",
  "promotion",
];

function eventOf(event: string): BroadcastEvent {
  return broadcastEvents.find((each) => each === event) ?? "announcement";
}

/**
 * Time after which a batch that a node took is offered again, because the node must have died. A
 * living node needs less: its requests and e-mails have time limits.
 */
export const lostMs = 10 * 60_000;

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
  const receivers = await subscribers(tx, event)
    .where("users.id", ">", cursor)
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
  if (claimed === undefined) return undefined;
  if (receivers.length > 0) {
    const rows = receivers.map(({ user_id }) => ({
      broadcast_id: id,
      user_id,
      claimed_at: nowMs,
    }));
    await tx.insertInto("broadcast_receivers").values(rows).execute();
  }
  return { content: claimed.content, receivers };
}

/** Notes that a user needs no notice of a broadcast any more: it was sent, or cannot be. */
export async function finishReceiver(
  tx: Db,
  { broadcastId, userId }: { readonly broadcastId: number; readonly userId: number },
): Promise<void> {
  await tx
    .deleteFrom("broadcast_receivers")
    .where("broadcast_id", "=", broadcastId)
    .where("user_id", "=", userId)
    .execute();
}

/** A batch of users whom another node took and did not notify. */
type LostBatch = BroadcastBatch & { readonly due: Pick<DueBroadcast, "event" | "id"> };

/**
 * Takes the users for this node whom a dead node left behind. A user to whom it was just sending
 * may get the notice twice: nobody can know whether it arrived.
 * @param nowMs Unix milliseconds.
 */
export async function claimLost(tx: Db, nowMs: number): Promise<LostBatch[]> {
  const taken = await tx
    .updateTable("broadcast_receivers")
    .set({ claimed_at: nowMs })
    .where("claimed_at", "<=", Math.max(0, nowMs - lostMs))
    .returning(["broadcast_id", "user_id"])
    .execute();
  const batches: LostBatch[] = [];
  for (const id of new Set(taken.map((row) => row.broadcast_id))) {
    const userIds = taken.filter((row) => row.broadcast_id === id).map((row) => row.user_id);
    const batch = await readLost(tx, id, userIds);
    if (batch !== undefined) batches.push(batch);
    const kept = new Set(batch?.receivers.map(({ user_id }) => user_id));
    for (const userId of userIds.filter((each) => !kept.has(each))) {
      await finishReceiver(tx, { broadcastId: id, userId });
    }
  }
  return batches;
}

/**
 * Reads a batch again; without users who are disabled, deleted or no longer subscribed. Undefined:
 * the broadcast was removed.
 */
async function readLost(
  tx: Db,
  id: number,
  userIds: readonly number[],
): Promise<LostBatch | undefined> {
  const broadcast = await tx
    .selectFrom("broadcasts")
    .select(["event", "content"])
    .where("id", "=", id)
    .executeTakeFirst();
  if (broadcast === undefined) return undefined;
  const event = eventOf(broadcast.event);
  const receivers = await subscribers(tx, event).where("users.id", "in", userIds).execute();
  return { due: { id, event }, content: broadcast.content, receivers };
}

/** The users who can be notified of an event and want to be, in the order of their ids. */
function subscribers(db: Db, event: BroadcastEvent) {
  return db
    .selectFrom("users")
    .innerJoin("notification_settings as settings", "settings.user_id", "users.id")
    .select(receiverColumns)
    .where(`settings.${event}`, "=", 1)
    .where("users.status", "=", enabled)
    .where("users.DeletedAt", "is", null)
    .orderBy("users.id");
}
