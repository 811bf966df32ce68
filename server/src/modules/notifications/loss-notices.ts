/**
 * Notifies root when the database went back and has lost charges or writes of the console, and when
 * the books refuse what calls were told to cost.
 */

import type { Logger } from "#base/logger.ts";
import { writeNotice } from "./notice-texts.ts";
import type { LossNotices, Notice } from "./notifications.ts";
import type { NotificationStore } from "./notifications.store.ts";
import type { SendNotice } from "./send-notice.ts";

type LossNoticeDeps = {
  readonly store: Pick<NotificationStore, "findRootReceivers">;
  readonly sendNotice: SendNotice;
  /** Formats an amount of quota as the console does. */
  readonly showQuota: (quota: number) => string;
  readonly log: Logger;
};

type RootNotice = {
  readonly type: Notice["type"];
  readonly text: "chargesPending" | "databaseBack";
  readonly values: readonly string[];
};

/** The most writes that a notice names; the audit log names all. */
const namesMax = 20;

/** Each node tells what it knows of, so several notices may follow one fail-over. */
export function openLossNotices({
  store,
  sendNotice,
  showQuota,
  log,
}: LossNoticeDeps): LossNotices {
  async function tellRoot({ type, text, values }: RootNotice): Promise<void> {
    try {
      for (const receiver of await store.findRootReceivers()) {
        const notice = { type, ...writeNotice(text, receiver.language, values) };
        const sent = await sendNotice(receiver, notice);
        if (sent.ok) continue;
        const { user_id: userId } = receiver;
        log.info({ userId, reason: sent.reason }, "a notice on a database was not delivered");
      }
    } catch (error) {
      log.warn({ err: error }, "root could not be told what the ledger could not keep");
    }
  }

  return {
    chargesPending: async (count) =>
      await tellRoot({ type: "charges_pending", text: "chargesPending", values: [String(count)] }),
    async databaseBack({ charges, writes }) {
      const again = charges.reduce((sum, one) => sum + one.again, 0);
      const lost = charges.reduce((sum, one) => sum + one.acknowledged - one.again, 0);
      const names = writes.slice(0, namesMax).map(({ atMs, written }) => {
        const rows = written.map(({ what }) => what);
        return `${new Date(atMs).toISOString()} ${rows.join(", ")}`;
      });
      const values = [
        String(charges.length),
        showQuota(again),
        showQuota(lost),
        String(writes.length),
        names.length === 0 ? "-" : names.join("; "),
      ];
      await tellRoot({ type: "database_back", text: "databaseBack", values });
    },
  };
}
