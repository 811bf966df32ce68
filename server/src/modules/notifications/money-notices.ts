/** Sends the notices about money that moved: the work of a job, of which one run at a time runs. */

import type { Logger } from "#base/logger.ts";
import { moneyEvents } from "./notifications.ts";
import type { NotificationStore } from "./notifications.store.ts";
import { writeNotice } from "./notice-texts.ts";
import type { SendNotice } from "./send-notice.ts";

type MoneyNoticeDeps = {
  readonly store: Pick<
    NotificationStore,
    "claimMoneyNotices" | "finishMoneyNotice" | "hasMoneyNotices"
  >;
  readonly sendNotice: SendNotice;
  /** Formats an amount of quota as the console does. */
  readonly showQuota: (quota: number) => string;
  /** Unix milliseconds. */
  readonly now: () => number;
  readonly log: Logger;
};

const texts = {
  order_paid: "orderPaid",
  order_refunded: "orderRefunded",
  rerated_less: "reratedLess",
  rerated_more: "reratedMore",
  debt: "debt",
  dividend: "dividend",
  withdrawal_paid: "withdrawalPaid",
  withdrawal_rejected: "withdrawalRejected",
} as const;

/** Returns one run of the job. A notice that cannot be delivered is not retried. */
export function openMoneyNotices(deps: MoneyNoticeDeps): () => Promise<void> {
  const { store, sendNotice, showQuota, now, log } = deps;
  return async () => {
    if (!(await store.hasMoneyNotices())) return;
    for (const { cause, kind, money, quota, receiver } of await store.claimMoneyNotices(now())) {
      const event = moneyEvents.find((each) => each === kind);
      if (receiver !== undefined && event !== undefined) {
        const values = [money, showQuota(quota)].filter((value) => value !== "");
        const text = writeNotice(texts[event], receiver.language, values);
        const sent = await sendNotice(receiver, { type: event, ...text });
        if (!sent.ok) {
          const { user_id: userId } = receiver;
          log.info({ userId, reason: sent.reason }, "a notice about money was not delivered");
        }
      }
      await store.finishMoneyNotice(cause);
    }
  };
}
