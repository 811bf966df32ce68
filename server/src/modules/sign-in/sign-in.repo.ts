/** Every statement on the table `sessions`, and what signing in reads of users. */

import type { Insertable, Selectable } from "kysely";
import type { Db } from "#db/database.ts";
import type { SessionTable, UserTable } from "#db/tables/users.ts";

export type Credentials = Pick<
  Selectable<UserTable>,
  | "id"
  | "username"
  | "display_name"
  | "password_hash"
  | "password_expired"
  | "role"
  | "status"
  | "group"
>;

const credentialColumns = [
  "id",
  "username",
  "display_name",
  "password_hash",
  "password_expired",
  "role",
  "status",
  "group",
] as const satisfies readonly (keyof Credentials)[];

/**
 * The user of that name, or the only one with that e-mail address. The owner of an address comes
 * before whoever took it for a name.
 */
export async function findCredentials(db: Db, name: string): Promise<Credentials | undefined> {
  if (name === "") return undefined; // Most users have no address.
  const rows = await db
    .selectFrom("users")
    .select([...credentialColumns, "email"])
    // Addresses are kept in small letters; those that came from another database may not be.
    .where((eb) =>
      eb.or([eb("username", "=", name), eb("email", "in", [name, name.toLowerCase()])]),
    )
    .where("DeletedAt", "is", null)
    .limit(10)
    .execute();
  const named = rows.find((row) => row.username === name);
  const [owner, second] = rows.filter((row) => row.email.toLowerCase() === name.toLowerCase());
  const only = second === undefined ? owner : undefined;
  return name.includes("@") ? (only ?? named) : named;
}

/** Who presents an access token or a session, whatever the state they are in. */
export type Bearer = Pick<
  Selectable<UserTable>,
  "id" | "username" | "role" | "status" | "password_expired"
>;

export async function findAccessToken(db: Db, lookup: string): Promise<Bearer | undefined> {
  return await db
    .selectFrom("users")
    .select(["id", "username", "role", "status", "password_expired"])
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
    .select(["users.password_expired", "sessions.expires_at", "sessions.seen_at"])
    .where("sessions.id", "=", id)
    .where("users.DeletedAt", "is", null)
    .executeTakeFirst();
}

export async function insertSession(tx: Db, row: Insertable<SessionTable>): Promise<void> {
  await tx.insertInto("sessions").values(row).execute();
}

/** Removes what has expired, of anybody. */
export async function removeExpired(tx: Db, nowMs: number): Promise<void> {
  await tx.deleteFrom("sessions").where("expires_at", "<=", nowMs).execute();
}

/** Keeps the `count` newest sessions of a user. */
export async function keepNewest(tx: Db, userId: number, count: number): Promise<void> {
  const kept = tx
    .selectFrom("sessions")
    .select("id")
    .where("user_id", "=", userId)
    .orderBy("created_at", "desc")
    .orderBy("id")
    .limit(count);
  await tx
    .deleteFrom("sessions")
    .where("user_id", "=", userId)
    .where("id", "not in", kept)
    .execute();
}

export async function removeSession(tx: Db, id: string): Promise<void> {
  await tx.deleteFrom("sessions").where("id", "=", id).execute();
}

export async function updateSeen(tx: Db, id: string, nowMs: number): Promise<void> {
  await tx
    .updateTable("sessions")
    .set({ seen_at: nowMs })
    .where("id", "=", id)
    .where("seen_at", "<", nowMs)
    .execute();
}
