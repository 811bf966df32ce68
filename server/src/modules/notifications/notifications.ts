/** What users want to be told and how; and the ways by which notices leave. */

import { notifyType, type UserSetting } from "contract/notifications.ts";
import type { Db } from "#db/database.ts";
import type { NotificationSettingTable } from "#db/tables/notifications.ts";

/** Posts and fetches at addresses that users name; refuses every address that is not public. */
export type Outbound = (request: {
  readonly method: "GET" | "POST";
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Empty: none. */
  readonly body: string;
}) => Promise<
  | { readonly ok: true }
  /** Without the address, for the log. */
  | { readonly ok: false; readonly reason: string }
>;

/** A notice before it is put into the form its way wants. */
export type Notice = {
  /** Name of what happened, for programs. */
  readonly type: "channel_test" | "quota_exceed" | `channel_update_${number}_${1 | 3}`;
  readonly title: string;
  /** Holds `{{value}}` once for each of `values`, in their order. */
  readonly content: string;
  readonly values: readonly string[];
};

/** Context that a webhook's secret is sealed for. */
export function webhookSecretContext(userId: number): string {
  return `notification_settings|webhook_secret|${userId}`;
}

/** JSON text of what a user saved, without the secret; `""`: nothing. */
export async function readSettingText(db: Db, userId: number): Promise<string> {
  const row = await db
    .selectFrom("notification_settings")
    .selectAll()
    .where("user_id", "=", userId)
    .executeTakeFirst();
  return row === undefined ? "" : JSON.stringify(showSetting(row));
}

/** Removes what a user saved whose account ends, in the transaction that ends it. */
export async function forgetSetting(tx: Db, userId: number): Promise<void> {
  await tx.deleteFrom("notification_settings").where("user_id", "=", userId).execute();
}

function showSetting({ user_id: _, webhook_secret, ...row }: NotificationSettingTable) {
  const shown: UserSetting = {
    ...row,
    notify_type: notifyType.parse(row.notify_type),
    has_webhook_secret: webhook_secret !== "",
  };
  return shown;
}
