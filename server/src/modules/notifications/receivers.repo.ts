/** Who can be told something, and by what way. */

import { role } from "@tollgate/contract/users.ts";
import type { Db } from "#db/database.ts";

export type Receiver = {
  readonly user_id: number;
  /** Null: nothing was saved, which means by mail. */
  readonly notify_type: string | null;
  /** The account's address. */
  readonly email: string;
  readonly notification_email: string | null;
  readonly webhook_url: string | null;
  /** Sealed. */
  readonly webhook_secret: string | null;
  readonly bark_url: string | null;
  /** Which robot the key is of; empty: of none. */
  readonly robot_type: string | null;
  /** Sealed. */
  readonly robot_key: string | null;
};

/** A receiver, of `users` and of `notification_settings` as `settings`. */
export const receiverColumns = [
  "users.id as user_id",
  "users.email",
  "settings.notify_type",
  "settings.notification_email",
  "settings.webhook_url",
  "settings.webhook_secret",
  "settings.bark_url",
  "settings.robot_type",
  "settings.robot_key",
] as const;

/** Status of a user whose account is not disabled. */
export const enabled = 1;

function receivers(db: Db) {
  return db
    .selectFrom("users")
    .leftJoin("notification_settings as settings", "settings.user_id", "users.id")
    .select(receiverColumns)
    .where("users.status", "=", enabled)
    .where("users.DeletedAt", "is", null);
}

export async function findReceiver(db: Db, userId: number): Promise<Receiver | undefined> {
  return await receivers(db).where("users.id", "=", userId).executeTakeFirst();
}

/** Root users who can be told something. */
export async function findRootReceivers(db: Db): Promise<Receiver[]> {
  return await receivers(db).where("users.role", "=", role.enum.root).execute();
}
