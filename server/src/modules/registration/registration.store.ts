/** Creates accounts with name and password, and resets passwords by an e-mailed link. */

import type { Db } from "#db/database.ts";
import { defineStore, type RemoteStore } from "#db/store.ts";
import { appendAudit } from "#modules/audit/audit.ts";
import {
  findResettable,
  giveAddress,
  isCode,
  saveCode,
  type SentCode,
  takeCode,
} from "#modules/identities/identities.ts";
import { bearInvited, type Invited, type Registered } from "#modules/new-accounts/new-accounts.ts";
import { forgetFailures } from "#modules/passwords/passwords.ts";
import { endSessions } from "#modules/sessions/sessions.ts";
import { noteUser, updateAccount } from "#modules/users/users.ts";

type Registration = Invited & {
  /** The e-mailed code that proves the e-mail address; null if none has to be proved. */
  readonly code: SentCode | null;
  readonly clientIp: string;
};

/**
 * Creates an account for a visitor.
 * @returns undefined if the code is not the one that was sent.
 * @throws Refusal `already-exists` if the name or the e-mail address is taken.
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
    row: await noteUser(tx, made.id),
    nowMs,
  });
  return made;
}

type Reset = {
  readonly code: SentCode;
  readonly passwordHash: string;
  readonly clientIp: string;
  readonly nowMs: number;
};

/**
 * Sets a new password for the user with this e-mail address, and ends the user's sessions.
 * @returns false if the link is not the one that was sent, or the user is deleted or disabled.
 */
async function resetPassword(tx: Db, reset: Reset): Promise<boolean> {
  const { code, passwordHash, clientIp, nowMs } = reset;
  if (!(await takeCode(tx, code, { nowMs, guessable: false }))) return false;
  const user = await findResettable(tx, code.address);
  if (user === undefined) return false;
  await updateAccount(tx, user.id, {
    password_hash: passwordHash,
    // The new password was shown on a page, so it is only valid to sign in and choose another one.
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
  reads: { findResettable, isCode },
  writes: { register, resetPassword, saveCode },
});

export type RegistrationStore = RemoteStore<typeof registrationStore>;
