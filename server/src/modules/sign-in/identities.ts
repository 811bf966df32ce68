/** Who somebody is elsewhere, and which user that makes them here. */

import type { Selectable } from "kysely";
import { userStatus } from "@tollgate/contract/users.ts";
import { Refusal } from "#base/refusal.ts";
import type { Db } from "#db/database.ts";
import type { UserTable } from "#db/tables/users.ts";
import type { Identity } from "./methods/method.ts";

/** A mailbox is an identity like any other, so that no two users can share one. */
export const mailIssuer = "mail";
export const mailMethod = "email";

export type Owner = Pick<
  Selectable<UserTable>,
  | "DeletedAt"
  | "display_name"
  | "group"
  | "id"
  | "password_expired"
  | "role"
  | "status"
  | "username"
>;

/** Whose identity it is, whatever the state they are in. */
export async function findOwner(db: Db, { issuer, subject }: Identity): Promise<Owner | undefined> {
  return await db
    .selectFrom("identities")
    .innerJoin("users", "users.id", "identities.user_id")
    .select(["users.id", "users.username", "users.display_name", "users.role", "users.status"])
    .select(["users.group", "users.password_expired", "users.DeletedAt"])
    .where("identities.issuer", "=", issuer)
    .where("identities.subject", "=", subject)
    .executeTakeFirst();
}

/** @throws Refusal `not-allowed` for who may not sign in. */
export function refuseAway({ DeletedAt, status }: Pick<Owner, "DeletedAt" | "status">): void {
  if (DeletedAt !== null) throw new Refusal("not-allowed", "用户已注销");
  if (status !== userStatus.enum.enabled) throw new Refusal("not-allowed", "用户已被封禁");
}

/** False: it is somebody's, and nothing was written. */
export async function insertIdentity(
  tx: Db,
  { issuer, subject }: Identity,
  of: { readonly method: string; readonly userId: number; readonly nowMs: number },
): Promise<boolean> {
  const inserted = await tx
    .insertInto("identities")
    .values({ issuer, subject, method: of.method, user_id: of.userId, created_at: of.nowMs })
    .onConflict((conflict) => conflict.doNothing())
    .returning("user_id")
    .executeTakeFirst();
  return inserted !== undefined;
}

export async function removeIdentity(tx: Db, userId: number, method: string): Promise<void> {
  await tx
    .deleteFrom("identities")
    .where("user_id", "=", userId)
    .where("method", "=", method)
    .execute();
}

/** Names of the methods by which a user can sign in, or have a password sent. */
export async function listMethods(db: Db, userId: number): Promise<string[]> {
  const rows = await db
    .selectFrom("identities")
    .select("method")
    .where("user_id", "=", userId)
    .execute();
  return rows.map(({ method }) => method);
}

/** Whether a mailbox is anybody's, those of deleted users included. */
export async function isAddressTaken(db: Db, address: string): Promise<boolean> {
  if ((await findOwner(db, { issuer: mailIssuer, subject: address })) !== undefined) return true;
  // Users that came from another database have no identities.
  const row = await db
    .selectFrom("users")
    .select("id")
    .where("email", "=", address)
    .limit(1)
    .executeTakeFirst();
  return row !== undefined;
}

export type Resettable = { readonly id: number; readonly username: string };

/** The one enabled user of that mailbox; undefined: none, or more than one. */
export async function findResettable(db: Db, address: string): Promise<Resettable | undefined> {
  const rows = await db
    .selectFrom("users")
    .select(["id", "username", "status"])
    .where("email", "=", address)
    .where("DeletedAt", "is", null)
    .limit(2)
    .execute();
  const [only, second] = rows;
  if (only === undefined || second !== undefined) return undefined;
  if (only.status !== userStatus.enum.enabled) return undefined;
  return { id: only.id, username: only.username };
}
