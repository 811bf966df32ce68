/** What runs beside the database for a sign-in. */

import { sql } from "kysely";
import type { Db } from "#db/database.ts";
import { databaseMs, lockRows } from "#db/dialect.ts";
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

/** How long a token that has passed the bot check is accepted again, and how often. */
type PassTerms = { readonly lastsMs: number; readonly uses: number };

/** Stores that a token has passed the bot check, and removes passes that have ended. */
async function addBotPass(tx: Db, id: string, { lastsMs, uses }: PassTerms): Promise<void> {
  const now = databaseMs(tx);
  await tx.deleteFrom("bot_passes").where("expires_at", "<", now).execute();
  const terms = { expires_at: sql<number>`${now} + ${sql.lit(lastsMs)}`, uses_left: uses };
  await tx
    .insertInto("bot_passes")
    .values({ id, ...terms })
    .onConflict((conflict) => conflict.column("id").doUpdateSet(terms))
    .execute();
}

/** Uses a pass once. @returns false when there is none. */
async function spendBotPass(tx: Db, id: string): Promise<boolean> {
  const { numUpdatedRows } = await tx
    .updateTable("bot_passes")
    .set({ uses_left: sql<number>`uses_left - 1` })
    .where("id", "=", id)
    .where("uses_left", ">", 0)
    .where("expires_at", ">", databaseMs(tx))
    .executeTakeFirstOrThrow();
  return Number(numUpdatedRows) > 0;
}

export const signInStore = defineStore({
  reads: { findCredentials, isKnownPlace, readFailures },
  writes: {
    addBotPass,
    expirePassword,
    forgetFailures,
    noteFailure,
    replaceHash,
    spendBotPass,
  },
});

export type SignInStore = RemoteStore<typeof signInStore>;
