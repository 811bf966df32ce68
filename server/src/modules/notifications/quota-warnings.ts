/** Warns users of low balances: the work of a job, of which one run at a time takes place. */

import { trimEndOf } from "@tollgate/contract/fields/trim-end.ts";
import type { Logger } from "#base/logger.ts";
import { writeNotice } from "./notice-texts.ts";
import type { Notice } from "./notifications.ts";
import type { NotificationStore } from "./notifications.store.ts";
import type { LowReceiver } from "./quota-warnings.repo.ts";
import type { SendNotice } from "./send-notice.ts";

type QuotaWarningDeps = {
  readonly store: NotificationStore;
  readonly sendNotice: SendNotice;
  /** Option `QuotaRemindThreshold`. */
  readonly threshold: () => number;
  /** Option `ServerAddress`; empty: the administrator has not set it. */
  readonly serverAddress: () => string;
  /** Path of the screen that shows the balance, for the link in the warning. */
  readonly balancePath: () => string;
  /** Formats an amount of quota as the console does. */
  readonly showQuota: (quota: number) => string;
  /** Unix milliseconds. */
  readonly now: () => number;
  readonly log: Logger;
};

/** The largest number of warnings that are being sent at the same time. */
const sendingMax = 10;

/**
 * Returns one run of the job. A warning that cannot be delivered is not retried; the user is warned
 * again when the balance has recovered and is low again.
 */
export function openQuotaWarnings(deps: QuotaWarningDeps): () => Promise<void> {
  const { store, threshold, now } = deps;
  return async () => {
    const rules = { threshold: threshold(), nowMs: now() };
    const news = await store.findBalanceNews(rules);
    if (news.low.length + news.recovered.length === 0) return;
    const waiting = await store.claimWarnings(news, rules);
    const sendNext = async (): Promise<void> => {
      for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
        await warn(deps, next);
      }
    };
    await Promise.all(Array.from({ length: sendingMax }, sendNext));
  };
}

async function warn(deps: QuotaWarningDeps, receiver: LowReceiver): Promise<void> {
  const { store, sendNotice, log } = deps;
  const { user_id: userId } = receiver;
  try {
    const sent = await sendNotice(receiver, noticeOf(deps, receiver));
    if (!sent.ok) log.info({ userId, reason: sent.reason }, "a quota warning was not delivered");
  } catch (error) {
    // The error is only logged, because the other users must still be warned.
    log.warn({ userId, err: error }, "a quota warning could not be sent");
  }
  await store.finishWarning(userId);
}

function noticeOf(deps: QuotaWarningDeps, receiver: LowReceiver): Notice {
  const left = deps.showQuota(receiver.balance);
  const threshold = deps.showQuota(receiver.threshold);
  const address = trimEndOf(deps.serverAddress(), "/");
  const values = [left, threshold];
  const text =
    address === ""
      ? writeNotice("quotaLow", receiver.language, values)
      : writeNotice("quotaLowAt", receiver.language, [
          ...values,
          `${address}${deps.balancePath()}`,
        ]);
  return { type: "quota_exceed", ...text };
}
