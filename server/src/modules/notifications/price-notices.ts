/** Notifies root when a scheduled sync of prices has found what only a person may accept. */

import type { Logger } from "#base/logger.ts";
import { writeNotice } from "./notice-texts.ts";
import type { PriceNotices } from "./notifications.ts";
import type { NotificationStore } from "./notifications.store.ts";
import type { SendNotice } from "./send-notice.ts";

type PriceNoticeDeps = {
  readonly store: Pick<NotificationStore, "claimNotice" | "findRootReceivers" | "forgetNotice">;
  readonly sendNotice: SendNotice;
  /** Unix milliseconds. */
  readonly now: () => number;
  readonly log: Logger;
};

/** A source is told of at most once in two hours, by all nodes together. */
export function openPriceNotices({ store, sendNotice, now, log }: PriceNoticeDeps): PriceNotices {
  return {
    async pricesWait({ sourceId, name, waiting, accepted }) {
      try {
        for (const receiver of await store.findRootReceivers()) {
          const { user_id: userId } = receiver;
          const type = `price_draft_${sourceId}` as const;
          const told = { userId, type, nowMs: now() };
          if (!(await store.claimNotice(told))) continue;
          const values = [name, name, String(waiting), String(accepted)];
          const text = writeNotice("pricesWait", receiver.language, values);
          const sent = await sendNotice(receiver, { type, ...text });
          if (sent.ok) continue;
          await store.forgetNotice(told);
          log.info({ userId, reason: sent.reason }, "a notice on prices was not delivered");
        }
      } catch (error) {
        log.warn({ err: error }, "root could not be told of prices that wait");
      }
    },
  };
}
