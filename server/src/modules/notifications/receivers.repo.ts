/** Reads the users who can be notified, with what is needed to notify them. */

import { role } from "@tollgate/contract/endpoints/users.ts";
import type { Db } from "#db/database.ts";

export type Receiver = {
  readonly user_id: number;
  /**
   * The notification way that the user chose; null: the user has saved no settings and is notified
   * by e-mail.
   */
  readonly notify_type: string | null;
  /** The e-mail address of the account. */
  readonly email: string;
  /** Language of the receiver: `en` or `zh`; empty: not known. */
  readonly language: string;
  /** Sealed settings of the notification ways, see `settings.ts`; null: the user has saved none. */
  readonly settings: string | null;
};

/**
 * The columns of a receiver, for queries in which `notification_settings` has the alias `settings`.
 */
export const receiverColumns = [
  "users.id as user_id",
  "users.email",
  "users.language",
  "settings.notify_type",
  "settings.settings",
] as const;

/** The status of users whose account is not disabled. */
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

/** Reads the root users who can be notified. */
export async function findRootReceivers(db: Db): Promise<Receiver[]> {
  return await receivers(db).where("users.role", "=", role.enum.root).execute();
}
