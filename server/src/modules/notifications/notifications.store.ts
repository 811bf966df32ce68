import type { Db } from "#db/database.ts";
import { defineStore, type RemoteStore } from "#db/store.ts";
import type { NotificationSettingTable } from "#db/tables/notifications.ts";
import { claimWarnings, findBalanceNews, findRootReceivers } from "./quota-warnings.repo.ts";

/** @param setting with an empty secret: the one there is stays. */
async function saveSetting(tx: Db, setting: NotificationSettingTable): Promise<void> {
  const { user_id: _, webhook_secret, ...columns } = setting;
  const secret = webhook_secret === "" ? {} : { webhook_secret };
  await tx
    .insertInto("notification_settings")
    .values(setting)
    .onConflict((conflict) => conflict.column("user_id").doUpdateSet({ ...columns, ...secret }))
    .execute();
}

export const notificationStore = defineStore({
  reads: { findBalanceNews, findRootReceivers },
  writes: { claimWarnings, saveSetting },
});

export type NotificationStore = RemoteStore<typeof notificationStore>;
