import {
  noticeEvent,
  type NoticeEvent,
  robotType,
  usualEvents,
} from "@tollgate/contract/notifications.ts";
import { Refusal } from "#base/refusal.ts";
import type { Db } from "#db/database.ts";
import { defineStore, type RemoteStore } from "#db/store.ts";
import type { NotificationSettingTable } from "#db/tables/notifications.ts";
import { claimBroadcast, findDueBroadcasts } from "./broadcasts.repo.ts";
import { claimWarnings, findBalanceNews } from "./quota-warnings.repo.ts";
import { findReceiver, findRootReceivers } from "./receivers.repo.ts";

/** Secret and key are sealed; where one is empty, the one there is stays. */
export type SettingSave = Omit<NotificationSettingTable, NoticeEvent | "robot_type"> & {
  /** Undefined: as they are. */
  readonly events?: readonly NoticeEvent[] | undefined;
};

/** @throws Refusal `invalid-input` where a robot is chosen whose key nobody gave. */
async function saveSetting(tx: Db, setting: SettingSave): Promise<void> {
  const { events, webhook_secret, robot_key, ...columns } = setting;
  const robot_type = robotType.safeParse(setting.notify_type).data;
  if (robot_type !== undefined && robot_key === "") {
    const present = await tx
      .selectFrom("notification_settings")
      .select(["robot_type", "robot_key"])
      .where("user_id", "=", setting.user_id)
      .executeTakeFirst();
    if (present?.robot_type !== robot_type) {
      throw new Refusal("invalid-input", "请填写机器人密钥", { field: "robot_key" });
    }
  }
  const changed = {
    ...columns,
    ...(webhook_secret === "" ? {} : { webhook_secret }),
    ...(robot_type === undefined || robot_key === "" ? {} : { robot_type, robot_key }),
    ...(events === undefined ? {} : flagsOf(events)),
  };
  const first = { webhook_secret: "", robot_type: "", robot_key: "", ...flagsOf(usualEvents) };
  await tx
    .insertInto("notification_settings")
    .values({ ...first, ...changed })
    .onConflict((conflict) => conflict.column("user_id").doUpdateSet(changed))
    .execute();
}

function flagsOf(events: readonly NoticeEvent[]): Record<NoticeEvent, number> {
  const flagOf = (event: NoticeEvent): number => (events.includes(event) ? 1 : 0);
  const { quota_low, price_change, announcement } = noticeEvent.enum;
  return {
    quota_low: flagOf(quota_low),
    price_change: flagOf(price_change),
    announcement: flagOf(announcement),
  };
}

export const notificationStore = defineStore({
  reads: { findBalanceNews, findDueBroadcasts, findReceiver, findRootReceivers },
  writes: { claimBroadcast, claimWarnings, saveSetting },
});

export type NotificationStore = RemoteStore<typeof notificationStore>;
