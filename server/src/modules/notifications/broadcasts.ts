/**
 * Notifies subscribers of changed prices and of announcements: the work of a job, of which one run
 * at a time takes place.
 */

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
    "claimBroadcast" | "claimLost" | "findDueBroadcasts" | "finishReceiver"
  >;
  readonly sendNotice: SendNotice;
  /** Option `ServerAddress`; empty: the administrator has not set it. */
  readonly serverAddress: () => string;
  /** Unix milliseconds. */
  readonly now: () => number;
  readonly log: Logger;
};

/**
 * The largest number of notices that are being sent at the same time. It is smaller than the same
 * limit for e-mails, so that e-mails with codes need not wait for broadcasts.
 */
const sendingMax = 5;

/**
 * Returns the function that the job runs. A run sends only one batch of each broadcast, so that a
 * shutdown never waits long for it. A notice that cannot be delivered is not retried.
 */
export function openBroadcasts(deps: BroadcastDeps): () => Promise<void> {
  const { store, now } = deps;
  return async () => {
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
      const sent = await sendNotice(receiver, noticeOf(deps, due, batch, receiver));
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

function noticeOf(
  { serverAddress }: BroadcastDeps,
  { event }: Due,
  { content }: BroadcastBatch,
  { language }: Receiver,
): Notice {
  if (event === "announcement") {
    return { type: event, ...writeNotice("announcement", language, [content]) };
  }
  const address = serverAddress().replace(/\/+$/, "");
  const text =
    address === ""
      ? writeNotice("priceChange", language)
      : writeNotice("priceChangeAt", language, [`${address}/pricing`]);
  return { type: event, ...text };
}
