/** Warns users of low balances. A job runs one round at a time. */

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
  /** Option `ServerAddress`; empty: not known. */
  readonly serverAddress: () => string;
  /** Option `DisplayInCurrencyEnabled`. */
  readonly inCurrency: () => boolean;
  /** Option `QuotaPerUnit`: a decimal, quota units of a US dollar. */
  readonly quotaPerUnit: () => string;
  /** Unix milliseconds. */
  readonly now: () => number;
  readonly log: Logger;
};

/** The screen that shows the balance. */
const accountPath = "/setting";

/** The warnings that are being sent. */
const sendingMax = 10;

/** A warning that cannot be delivered is not retried: the next one follows in time. */
export function openQuotaWarnings(deps: QuotaWarningDeps): () => Promise<void> {
  const { store, sendNotice, threshold, now, log } = deps;
  return async () => {
    const rules = { threshold: threshold(), nowMs: now() };
    const news = await store.findBalanceNews(rules);
    if (news.low.length + news.recovered.length === 0) return;
    const waiting = await store.claimWarnings(news, rules);
    const sendNext = async (): Promise<void> => {
      for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
        const sent = await sendNotice(next, noticeOf(deps, next));
        if (sent.ok) continue;
        log.info(
          { userId: next.user_id, reason: sent.reason },
          "a quota warning was not delivered",
        );
      }
    };
    await Promise.all(Array.from({ length: sendingMax }, sendNext));
  };
}

function noticeOf(deps: QuotaWarningDeps, receiver: LowReceiver): Notice {
  const left = showQuota(deps, receiver.balance);
  const threshold = showQuota(deps, receiver.threshold);
  const address = deps.serverAddress().replace(/\/+$/, "");
  const values = [left, threshold];
  const text =
    address === ""
      ? writeNotice("quotaLow", receiver.language, values)
      : writeNotice("quotaLowAt", receiver.language, [...values, `${address}${accountPath}`]);
  return { type: "quota_exceed", ...text };
}

/** Formats an amount as the screens do. */
function showQuota({ inCurrency, quotaPerUnit }: QuotaWarningDeps, quota: number): string {
  return inCurrency() ? `$${(quota / Number(quotaPerUnit())).toFixed(6)}` : String(quota);
}
