/** What runs beside the database for a sign-in. */

import type { Db } from "#db/database.ts";
import { lockRows } from "#db/dialect.ts";
import { defineStore, type RemoteStore } from "#db/store.ts";
import {
  forgetFailures,
  isKnownPlace,
  noteFailure,
  readFailures,
} from "#modules/passwords/passwords.ts";
import { updateAccount } from "#modules/users/users.ts";
import { findCredentials } from "./sign-in.repo.ts";

/**
 * Marks a user's password as expired, because it is the well-known default of an imported account.
 */
async function expirePassword(tx: Db, userId: number): Promise<void> {
  await updateAccount(tx, userId, { password_expired: 1 });
}

/** Stores a new hash of the same password, unless the password has changed in the meantime. */
async function replaceHash(
  tx: Db,
  userId: number,
  { before, after }: { readonly before: string; readonly after: string },
): Promise<void> {
  const row = await lockRows(
    tx,
    tx.selectFrom("users").select("password_hash").where("id", "=", userId),
  ).executeTakeFirst();
  if (row?.password_hash === before) await updateAccount(tx, userId, { password_hash: after });
}

export const signInStore = defineStore({
  reads: { findCredentials, isKnownPlace, readFailures },
  writes: { expirePassword, forgetFailures, noteFailure, replaceHash },
});

export type SignInStore = RemoteStore<typeof signInStore>;
