/** Queries on the table `sessions`, and on the users to whom sessions and access tokens belong. */

import type { Insertable, Selectable } from "kysely";
import type { Db } from "#db/database.ts";
import type { SessionTable, UserTable } from "#db/tables/users.ts";

/** The user to whom an access token or a session belongs; may be disabled. */
export type Bearer = Pick<
  Selectable<UserTable>,
  "id" | "language" | "username" | "role" | "status" | "password_expired"
>;

export async function findAccessToken(db: Db, lookup: string): Promise<Bearer | undefined> {
  return await db
    .selectFrom("users")
    .select(["id", "language", "username", "role", "status", "password_expired"])
    .where("access_token_lookup", "=", lookup)
    .where("DeletedAt", "is", null)
    .executeTakeFirst();
}

export async function findSessionRow(
  db: Db,
  id: string,
): Promise<(Bearer & Pick<Selectable<SessionTable>, "expires_at" | "seen_at">) | undefined> {
  return await db
    .selectFrom("sessions")
    .innerJoin("users", "users.id", "sessions.user_id")
    .select(["users.id", "users.username", "users.role", "users.status"])
    .select(["users.language", "users.password_expired", "sessions.expires_at", "sessions.seen_at"])
    .where("sessions.id", "=", id)
    .where("users.DeletedAt", "is", null)
    .executeTakeFirst();
}

export async function insertSession(tx: Db, row: Insertable<SessionTable>): Promise<void> {
  await tx.insertInto("sessions").values(row).execute();
}

/** Removes the expired sessions of all users. */
export async function removeExpired(tx: Db, nowMs: number): Promise<void> {
  await tx.deleteFrom("sessions").where("expires_at", "<=", nowMs).execute();
}

export async function removeSession(tx: Db, id: string): Promise<void> {
  await tx.deleteFrom("sessions").where("id", "=", id).execute();
}

/** Removes a session. Returns the removed row. */
export async function takeSession(
  tx: Db,
  id: string,
): Promise<Pick<Selectable<SessionTable>, "by_given_password" | "user_id"> | undefined> {
  return await tx
    .deleteFrom("sessions")
    .where("id", "=", id)
    .returning(["by_given_password", "user_id"])
    .executeTakeFirst();
}

/**
 * Whether a session was opened with a password that somebody else gave the user, and which the user
 * has not changed since.
 */
export async function hasGivenPassword(db: Db, id: string): Promise<boolean> {
  const found = await db
    .selectFrom("sessions")
    .innerJoin("users", "users.id", "sessions.user_id")
    .select("sessions.id")
    .where("sessions.id", "=", id)
    .where("sessions.by_given_password", "=", 1)
    .where("users.password_expired", "=", 1)
    .executeTakeFirst();
  return found !== undefined;
}

export async function updateSeen(tx: Db, id: string, nowMs: number): Promise<void> {
  await tx
    .updateTable("sessions")
    .set({ seen_at: nowMs })
    .where("id", "=", id)
    .where("seen_at", "<", nowMs)
    .execute();
}
