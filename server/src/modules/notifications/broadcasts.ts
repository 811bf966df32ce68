/**
 * Notifies subscribers of changed prices and of announcements: the work of a job, of which one run
 * at a time takes place.
 */

import { trimEndOf } from "@tollgate/contract/fields/trim-end.ts";
import type { Logger } from "#base/logger.ts";
import type { BroadcastBatch, DueBroadcast } from "./broadcasts.repo.ts";
import { writeNotice } from "./notice-texts.ts";
import type { Notice } from "./notifications.ts";
import type { NotificationStore } from "./notifications.store.ts";
import type { Receiver } from "./receivers.repo.ts";
import type { SendNotice } from "./send-notice.ts";

type BroadcastDeps = {
  readonly store: Pick<
    NotificationStore,
    | "claimBroadcast"
    | "claimLost"
    | "findDueBroadcasts"
    | "finishReceiver"
    | "planContact"
    | "readAccount"
  >;
  readonly sendNotice: SendNotice;
  /** Option `ServerAddress`; empty: the administrator has not set it. */
  readonly serverAddress: () => string;
  /** Option `ContactEveryDays`. */
  readonly contactEveryDays: () => number;
  /** Formats an amount of quota as the console does. */
  readonly showQuota: (quota: number) => string;
  /** Unix milliseconds. */
  readonly now: () => number;
  readonly log: Logger;
};

/**
 * The largest number of notices that are being sent at the same time. It is smaller than the same
 * limit for e-mails, so that e-mails with codes need not wait for broadcasts.
 */
const sendingMax = 5;

/** How often it is checked whether the next regular contact is due. */
const planEveryMs = 10 * 60_000;

/**
 * Returns the function that the job runs. A run sends only one batch of each broadcast, so that a
 * shutdown never waits long for it. A notice that cannot be delivered is not retried.
 */
export function openBroadcasts(deps: BroadcastDeps): () => Promise<void> {
  const { store, now } = deps;
  let plannedAtMs = -Infinity;
  async function planContactAtTimes(): Promise<void> {
    if (now() - plannedAtMs < planEveryMs) return;
    plannedAtMs = now();
    await store.planContact({ everyDays: deps.contactEveryDays(), nowMs: now() });
  }
  return async () => {
    await planContactAtTimes();
    for (const { due, ...batch } of await store.claimLost(now())) await sendAll(deps, due, batch);
    for (const due of await store.findDueBroadcasts(now())) {
      const batch = await store.claimBroadcast(due, now());
      if (batch !== undefined) await sendAll(deps, due, batch);
    }
  };
}

type Due = Pick<DueBroadcast, "event" | "id">;

async function sendAll(deps: BroadcastDeps, due: Due, batch: BroadcastBatch): Promise<void> {
  const { store, sendNotice, log } = deps;
  const waiting = batch.receivers.toReversed();
  const send = async (receiver: Receiver): Promise<void> => {
    const { user_id: userId } = receiver;
    try {
      const sent = await sendNotice(receiver, await noticeOf(deps, due, batch, receiver));
      if (!sent.ok) log.info({ userId, reason: sent.reason }, "a broadcast was not delivered");
    } catch (error) {
      // The error is only logged, because the rest of the batch must still be sent: no other node
      // sends it while this one lives.
      log.warn({ userId, err: error }, "a broadcast could not be sent");
    }
    await store.finishReceiver({ broadcastId: due.id, userId });
  };
  const sendNext = async (): Promise<void> => {
    for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) await send(next);
  };
  await Promise.all(Array.from({ length: sendingMax }, sendNext));
}

async function noticeOf(
  deps: BroadcastDeps,
  { event }: Due,
  { content }: BroadcastBatch,
  receiver: Receiver,
): Promise<Notice> {
  const { language } = receiver;
  switch (event) {
    case "announcement":
    case "promotion":
      return { type: event, ...writeNotice(event, language, [content]) };
    case "periodic_contact":
      return { type: event, ...(await contactOf(deps, receiver)) };
    case "price_change": {
      const address = trimEndOf(deps.serverAddress(), "/");
      const text =
        address === ""
          ? writeNotice("priceChange", language)
          : writeNotice("priceChangeAt", language, [`${address}/pricing`]);
      return { type: event, ...text };
    }
  }
}

async function contactOf(
  { store, now, contactEveryDays, showQuota }: BroadcastDeps,
  { user_id: userId, language }: Receiver,
): Promise<Omit<Notice, "type">> {
  const days = Math.max(1, contactEveryDays());
  const since = Math.floor(now() / 1_000) - days * 86_400;
  const { balance, calls, spent } = await store.readAccount({ userId, since });
  const values = [String(days), String(calls), showQuota(spent), showQuota(balance)];
  return writeNotice("contact", language, values);
}
