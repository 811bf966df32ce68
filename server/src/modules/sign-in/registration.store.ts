/** New accounts by name and password, and what is proven by codes sent by mail. */

import type { Db } from "#db/database.ts";
import { defineStore, type RemoteStore } from "#db/store.ts";
import { Refusal } from "#base/refusal.ts";
import { findInviter, rewardInvitation } from "#modules/affiliates/affiliates.ts";
import { type Actor, appendAudit } from "#modules/audit/audit.ts";
import { type Birth, bearUser, updateAccount } from "#modules/users/users.ts";
import {
  findResettable,
  insertIdentity,
  isAddressTaken,
  mailIssuer,
  mailMethod,
  removeIdentity,
} from "./identities.ts";
import { isCode, saveCode, type SentCode, takeCode } from "./mail-codes.ts";
import { endSessions, forgetFailures } from "./sign-in.ts";

export type Gifts = { readonly quotaForInviter: number; readonly quotaForInvitee: number };

export type Registration = {
  readonly birth: Birth;
  /** Null: no mailbox is asked for. */
  readonly code: SentCode | null;
  /** Empty: nobody invited them. */
  readonly affCode: string;
  readonly gifts: Gifts;
  readonly clientIp: string;
};

export type Registered = {
  readonly id: number;
  /** What the account begins with, quota units. */
  readonly quota: number;
};

/**
 * @returns undefined when the code is not the one that was sent.
 * @throws Refusal `already-exists` when the name or the address is somebody's.
 */
async function register(tx: Db, input: Registration): Promise<Registered | undefined> {
  const { birth, code, clientIp } = input;
  const { nowMs } = birth;
  if (code !== null && !(await takeCode(tx, code, { nowMs, guessable: true }))) return undefined;
  const made = await bearInvited(tx, input);
  if (code !== null) await giveAddress(tx, made.id, code.address, nowMs);
  await appendAudit(tx, {
    actor: { userId: made.id, username: birth.username, clientIp },
    action: "user.register",
    target: `user:${made.id}`,
    nowMs,
  });
  return made;
}

/** A new account, and what an invitation brings to both sides. */
export async function bearInvited(
  tx: Db,
  { birth, affCode, gifts }: Pick<Registration, "affCode" | "birth" | "gifts">,
): Promise<Registered> {
  const inviterId = await findInviter(tx, affCode);
  const id = await bearUser(tx, birth);
  if (inviterId === undefined) return { id, quota: birth.quota };
  await updateAccount(tx, id, { inviter_id: inviterId });
  await rewardInvitation(tx, { inviterId, inviteeId: id, ...gifts, nowMs: birth.nowMs });
  return { id, quota: birth.quota + gifts.quotaForInvitee };
}

/** @throws Refusal `already-exists` when it is somebody's. */
async function giveAddress(tx: Db, userId: number, address: string, nowMs: number): Promise<void> {
  const identity = { issuer: mailIssuer, subject: address };
  const isFree =
    !(await isAddressTaken(tx, address)) &&
    (await insertIdentity(tx, identity, { method: mailMethod, userId, nowMs }));
  if (!isFree) throw new Refusal("already-exists", "邮箱地址已被占用");
  await updateAccount(tx, userId, { email: address });
}

export type MailBinding = {
  readonly actor: Actor;
  readonly code: SentCode;
  readonly nowMs: number;
};

/** In place of the address before. @returns false when the code is not the one that was sent. */
async function bindAddress(tx: Db, { actor, code, nowMs }: MailBinding): Promise<boolean> {
  if (!(await takeCode(tx, code, { nowMs, guessable: true }))) return false;
  const { userId } = actor;
  await removeIdentity(tx, userId, mailMethod);
  await updateAccount(tx, userId, { email: "" });
  await giveAddress(tx, userId, code.address, nowMs);
  const detail = { method: mailMethod, subject: code.address };
  await appendAudit(tx, { actor, action: "user.bind", target: `user:${userId}`, detail, nowMs });
  return true;
}

export type Reset = {
  readonly code: SentCode;
  readonly passwordHash: string;
  readonly clientIp: string;
  readonly nowMs: number;
};

/**
 * Gives the one user of the address another password; whoever was signed in no longer is.
 *
 * @returns false when the link is not the one that was sent, or its user is away by now.
 */
async function resetPassword(tx: Db, reset: Reset): Promise<boolean> {
  const { code, passwordHash, clientIp, nowMs } = reset;
  if (!(await takeCode(tx, code, { nowMs, guessable: false }))) return false;
  const user = await findResettable(tx, code.address);
  if (user === undefined) return false;
  await updateAccount(tx, user.id, {
    password_hash: passwordHash,
    // It came by mail, and stood on a page: good for one sign-in, to choose another one.
    password_expired: 1,
    access_token_lookup: null,
  });
  await forgetFailures(tx, user.id);
  await endSessions(tx, user.id);
  await appendAudit(tx, {
    actor: { userId: user.id, username: user.username, clientIp },
    action: "user.reset-password",
    target: `user:${user.id}`,
    nowMs,
  });
  return true;
}

export const registrationStore = defineStore({
  reads: { findResettable, isAddressTaken, isCode },
  writes: { bindAddress, register, resetPassword, saveCode },
});

export type RegistrationStore = RemoteStore<typeof registrationStore>;
