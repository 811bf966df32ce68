/** What runs beside the database for notices. */

import {
  noticeEvent,
  type NoticeEvent,
  usualEvents,
} from "@tollgate/contract/endpoints/notifications.ts";
import { Refusal } from "#base/refusal.ts";
import type { Db } from "#db/database.ts";
import { defineStore, type RemoteStore } from "#db/store.ts";
import type { NotificationSettingTable } from "#db/tables/notifications.ts";
import { claimBroadcast, claimLost, findDueBroadcasts, finishReceiver } from "./broadcasts.repo.ts";
import {
  claimBudgetWarnings,
  findBudgetNews,
  finishBudgetWarning,
} from "./budget-warnings.repo.ts";
import { claimNotice, forgetNotice, planContact, readAccount } from "./contacts.repo.ts";
import { claimMoneyNotices, finishMoneyNotice, hasMoneyNotices } from "./money-notices.repo.ts";
import { claimWarnings, findBalanceNews, finishWarning } from "./quota-warnings.repo.ts";
import { findReceiver, findRootReceivers } from "./receivers.repo.ts";

type SettingSave = Omit<NotificationSettingTable, NoticeEvent> & {
  /**
   * The stored text `settings` before this change; empty: there was none. Detects that another save
   * came in between.
   */
  readonly before: string;
  /** The events that the user subscribes to; undefined: they stay as they are. */
  readonly events?: readonly NoticeEvent[] | undefined;
};

/**
 * Saves a user's notification settings.
 * @throws Refusal `stale` if another save came in between, because its changes would be lost.
 */
async function saveSetting(tx: Db, { before, events, ...columns }: SettingSave): Promise<void> {
  const changed = { ...columns, ...(events === undefined ? {} : flagsOf(events)) };
  const saved = await tx
    .insertInto("notification_settings")
    .values({ ...flagsOf(usualEvents), ...changed })
    .onConflict((conflict) =>
      conflict
        .column("user_id")
        .doUpdateSet(changed)
        .where("notification_settings.settings", "=", before),
    )
    .returning("user_id")
    .executeTakeFirst();
  if (saved === undefined) throw new Refusal("stale", "设置已被修改，请刷新后重试");
}

function flagsOf(events: readonly NoticeEvent[]): Record<NoticeEvent, number> {
  const flagOf = (event: NoticeEvent): number => (events.includes(event) ? 1 : 0);
  const { quota_low, price_change, announcement, promotion, periodic_contact } = noticeEvent.enum;
  return {
    quota_low: flagOf(quota_low),
    price_change: flagOf(price_change),
    announcement: flagOf(announcement),
    promotion: flagOf(promotion),
    periodic_contact: flagOf(periodic_contact),
  };
}

/** Reads a user's saved settings; undefined: the user has saved none. */
async function findSetting(db: Db, userId: number): Promise<NotificationSettingTable | undefined> {
  return await db
    .selectFrom("notification_settings")
    .selectAll()
    .where("user_id", "=", userId)
    .executeTakeFirst();
}

/** Reads the sealed settings of a user's notification ways; empty: the user has saved none. */
async function findSettings(db: Db, userId: number): Promise<string> {
  return (await findSetting(db, userId))?.settings ?? "";
}

export const notificationStore = defineStore({
  reads: {
    findBalanceNews,
    findBudgetNews,
    findDueBroadcasts,
    findReceiver,
    findRootReceivers,
    findSetting,
    findSettings,
    hasMoneyNotices,
    readAccount,
  },
  writes: {
    claimBroadcast,
    claimBudgetWarnings,
    claimLost,
    claimMoneyNotices,
    claimNotice,
    claimWarnings,
    finishBudgetWarning,
    finishMoneyNotice,
    finishReceiver,
    finishWarning,
    forgetNotice,
    planContact,
    saveSetting,
  },
});

export type NotificationStore = RemoteStore<typeof notificationStore>;
