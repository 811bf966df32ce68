import { expect, test } from "bun:test";
import { openLogger } from "#base/logger.ts";
import { openLossNotices } from "./loss-notices.ts";
import type { Notice } from "./notifications.ts";

test("root is told how many answered calls the books have not charged", async () => {
  const sent: Notice[] = [];
  const root = { user_id: 1, notify_type: null, email: "", language: "en", settings: null };
  const notices = openLossNotices({
    store: { findRootReceivers: async () => [root] },
    sendNotice: async (_, notice) => {
      sent.push(notice);
      return { ok: true };
    },
    showQuota: String,
    log: openLogger("silent"),
  });
  await notices.chargesPending(3);
  expect(sent).toMatchObject([{ type: "charges_pending", title: "Charges are pending" }]);
  expect(sent[0]?.values).toEqual(["3"]);
});
