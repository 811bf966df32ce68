/**
 * Undoes a change of a user's e-mail address, or an identity that was bound, by the link that was
 * mailed to the old address.
 */

import { Refusal } from "#base/refusal.ts";
import type { Db } from "#db/database.ts";
import { lockRows } from "#db/dialect.ts";
import { appendAudit } from "#modules/audit/audit.ts";
import { forgetFailures } from "#modules/passwords/passwords.ts";
import { forgetFactorsSince } from "#modules/second-factor/second-factor.ts";
import { endSessions } from "#modules/sessions/sessions.ts";
import { updateAccount } from "#modules/users/users.ts";
import { giveAddress, mailMethod, removeIdentity } from "./identities.ts";
import {
  dropCode,
  dropCodesSince,
  findExpiry,
  saveCode,
  type SavedCode,
  type SentCode,
  takeLink,
} from "./mail-codes.ts";
import type { IdentityColumn } from "./methods/method.ts";

/** How long a change of an e-mail address can be undone. */
export const undoLastsMs = 72 * 3_600_000;

/** What is stored about a change of address or identities, so that it can be undone. */
export type MailUndo = {
  /** The address before the change. */
  readonly address: string;
  readonly code: SavedCode;
};

/**
 * Saves what undoes a change. It also undoes the earlier changes that a link to the same address
 * could still undo, because there is only one link for an address.
 */
export async function saveUndo(tx: Db, { code }: MailUndo, nowMs: number): Promise<void> {
  const before = (await findExpiry(tx, code, nowMs)) ?? code.expiresAt;
  await saveCode(tx, { ...code, expiresAt: Math.min(before, code.expiresAt) }, nowMs);
}

/** Reads the user's current e-mail address; empty: none. */
export async function readAddress(db: Db, userId: number): Promise<string> {
  const row = await db
    .selectFrom("users")
    .select("email")
    .where("id", "=", userId)
    .executeTakeFirst();
  return row?.email ?? "";
}

/**
 * Makes sure that the user's e-mail address is still the one that `AddressGuard.prove` allowed to
 * change, and locks it until the transaction ends.
 *
 * @throws Refusal `stale` if the address was changed in the meantime.
 */
export async function lockAddress(tx: Db, userId: number, undo: MailUndo | null): Promise<void> {
  const row = await lockRows(
    tx,
    tx.selectFrom("users").select("email").where("id", "=", userId),
  ).executeTakeFirst();
  if ((row?.email ?? "") === (undo?.address ?? "")) return;
  throw new Refusal("stale", "邮箱地址已被修改，请刷新后重试");
}

type Undoing = {
  readonly userId: number;
  readonly code: SentCode;
  /** Sign-in method → the column of `users` that displays the user's identity of that method. */
  readonly columns: Readonly<Record<string, IdentityColumn>>;
  readonly clientIp: string;
  readonly nowMs: number;
};

/**
 * Gives the account back to the owner of the old e-mail address, in case somebody who knew the
 * password has changed the address. Restores the old address and removes the password, the access
 * token and all sessions, and the OAuth identities and second factors that were added since the
 * change.
 *
 * @returns false if the link is not the one that was sent, or was used, or is too old.
 * @throws Refusal `already-exists` if another account has the old address by now.
 */
export async function undoMailChange(tx: Db, undoing: Undoing): Promise<boolean> {
  const { userId, code, columns, clientIp, nowMs } = undoing;
  const link = await takeLink(tx, code, nowMs);
  if (link === undefined) return false;
  const user = await lockRows(
    tx,
    tx
      .selectFrom("users")
      .select(["username", "email"])
      .where("id", "=", userId)
      .where("DeletedAt", "is", null),
  ).executeTakeFirst();
  if (user === undefined) return false;
  const changedMs = link.expiresAt - undoLastsMs;
  // Later changes of the address are undone together with this one. The links that would undo only
  // a later change are removed, because they would restore an address from after this change.
  await dropCodesSince(tx, code.purpose, link.expiresAt);
  await dropCode(tx, { purpose: "reset", address: user.email });
  await removeIdentitiesSince(tx, { userId, columns, sinceMs: changedMs });
  await removeIdentity(tx, userId, mailMethod);
  await updateAccount(tx, userId, {
    email: "",
    password_hash: "",
    password_expired: 0,
    access_token_lookup: null,
  });
  await giveAddress(tx, userId, code.address, nowMs);
  await forgetFactorsSince(tx, userId, changedMs);
  await forgetFailures(tx, userId);
  await endSessions(tx, userId);
  await appendAudit(tx, {
    actor: { userId, username: user.username, clientIp },
    action: "user.undo-mail",
    target: `user:${userId}`,
    detail: { before: user.email, after: code.address },
    nowMs,
  });
  return true;
}

async function removeIdentitiesSince(
  tx: Db,
  of: Pick<Undoing, "columns" | "userId"> & { readonly sinceMs: number },
): Promise<void> {
  const removed = await tx
    .deleteFrom("identities")
    .where("user_id", "=", of.userId)
    .where("created_at", ">=", of.sinceMs)
    .returning("method")
    .execute();
  for (const { method } of removed) {
    const column = of.columns[method];
    if (column !== undefined) await updateAccount(tx, of.userId, { [column]: "" });
  }
}
