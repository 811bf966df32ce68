/** OAuth identities and e-mail addresses (mailboxes), and the users they belong to. */

import type { Selectable } from "kysely";
import { userStatus } from "@tollgate/contract/endpoints/users.ts";
import { Refusal } from "#base/refusal.ts";
import type { Db } from "#db/database.ts";
import type { UserTable } from "#db/tables/users.ts";
import { updateAccount } from "#modules/users/users.ts";
import type { Identity } from "./methods/method.ts";

export {
  checkMailAddress,
  isCode,
  mailRules,
  saveCode,
  type SentCode,
  sentCode,
  takeCode,
} from "./mail-codes.ts";

/**
 * A user's mailbox is stored like an OAuth identity, with this issuer and method, so that two users
 * cannot have the same one.
 */
export const mailIssuer = "mail";
export const mailMethod = "email";

export type Owner = Pick<
  Selectable<UserTable>,
  | "DeletedAt"
  | "display_name"
  | "github_id"
  | "group"
  | "id"
  | "linux_do_id"
  | "oidc_id"
  | "password_expired"
  | "role"
  | "status"
  | "telegram_id"
  | "username"
  | "wechat_id"
>;

/** Finds the user to whom an identity belongs; the user may be disabled or deleted. */
export async function findOwner(db: Db, { issuer, subject }: Identity): Promise<Owner | undefined> {
  return await db
    .selectFrom("identities")
    .innerJoin("users", "users.id", "identities.user_id")
    .select(["users.id", "users.username", "users.display_name", "users.role", "users.status"])
    .select(["users.group", "users.password_expired", "users.DeletedAt"])
    .select(["users.github_id", "users.linux_do_id", "users.oidc_id"])
    .select(["users.telegram_id", "users.wechat_id"])
    .where("identities.issuer", "=", issuer)
    .where("identities.subject", "=", subject)
    .executeTakeFirst();
}

/**
 * Refuses a user who must not sign in.
 * @throws Refusal `not-allowed` if the user is deleted or disabled.
 */
export function refuseInactive({ DeletedAt, status }: Pick<Owner, "DeletedAt" | "status">): void {
  if (DeletedAt !== null) throw new Refusal("not-allowed", "用户已注销");
  if (status !== userStatus.enum.enabled) throw new Refusal("not-allowed", "用户已被封禁");
}

/** Gives a user an identity. @returns false, without any write, if it belongs to a user already. */
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

/**
 * Removes a user's identity of one sign-in method.
 *
 * @returns the subject of the identity; undefined: the user had none of this method.
 */
export async function removeIdentity(
  tx: Db,
  userId: number,
  method: string,
): Promise<string | undefined> {
  const removed = await tx
    .deleteFrom("identities")
    .where("user_id", "=", userId)
    .where("method", "=", method)
    .returning("subject")
    .executeTakeFirst();
  return removed?.subject;
}

/** Lists the names of the methods by which a user can sign in or receive a password reset link. */
export async function listMethods(db: Db, userId: number): Promise<string[]> {
  const rows = await db
    .selectFrom("identities")
    .select("method")
    .where("user_id", "=", userId)
    .execute();
  return rows.map(({ method }) => method);
}

/** Whether a mailbox belongs to any user, including deleted ones. */
export async function isAddressTaken(db: Db, address: string): Promise<boolean> {
  if ((await findOwner(db, { issuer: mailIssuer, subject: address })) !== undefined) return true;
  // Users of an imported database have their address only in `users`, not in `identities`.
  const row = await db
    .selectFrom("users")
    .select("id")
    .where("email", "=", address)
    .limit(1)
    .executeTakeFirst();
  return row !== undefined;
}

type Resettable = { readonly id: number; readonly username: string; readonly language: string };

/**
 * Finds the user who may reset the password by mail to this address. Undefined if no user or more
 * than one has the address, or if its user is disabled.
 */
export async function findResettable(db: Db, address: string): Promise<Resettable | undefined> {
  const rows = await db
    .selectFrom("users")
    .select(["id", "username", "language", "status"])
    .where("email", "=", address)
    .where("DeletedAt", "is", null)
    .limit(2)
    .execute();
  const [only, second] = rows;
  if (only === undefined || second !== undefined) return undefined;
  if (only.status !== userStatus.enum.enabled) return undefined;
  return { id: only.id, username: only.username, language: only.language };
}

/** Assigns a mailbox to a user. @throws Refusal `already-exists` if another user has it. */
export async function giveAddress(
  tx: Db,
  userId: number,
  address: string,
  nowMs: number,
): Promise<void> {
  const identity = { issuer: mailIssuer, subject: address };
  const isFree =
    !(await isAddressTaken(tx, address)) &&
    (await insertIdentity(tx, identity, { method: mailMethod, userId, nowMs }));
  if (!isFree) throw new Refusal("already-exists", "邮箱地址已被占用");
  await updateAccount(tx, userId, { email: address });
}
