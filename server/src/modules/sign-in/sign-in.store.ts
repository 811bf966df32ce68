import type { Db } from "#db/database.ts";
import { lockRows } from "#db/dialect.ts";
import { defineStore, type RemoteStore } from "#db/store.ts";
import { type Actor, appendAudit } from "#modules/audit/audit.ts";
import { updateAccount } from "#modules/users/users.ts";
import { endOtherSessions, endOwnSession, listOwnSessions } from "./own-sessions.repo.ts";
import { noteFailure, readFailures, rememberPlace } from "./password-failures.ts";
import { forgetFailures, isAlive, signedIn } from "./sign-in.ts";
import * as repo from "./sign-in.repo.ts";

/** Sessions one user may have at a time; a further one ends the oldest. */
const sessionsPerUserMax = 20;

export type NewSession = {
  /** Hash of the id the browser gets. */
  readonly id: string;
  /** Who signed in, and from where. */
  readonly actor: Actor;
  readonly userAgent: string;
  readonly lastsMs: number;
  /** The session it takes the place of; null: none. */
  readonly replaces: string | null;
  /** What the audit log calls it; null: nothing worth a note. */
  readonly action: string | null;
  /** When a second factor was proven for it; 0: none was. */
  readonly factorAtMs: number;
  readonly nowMs: number;
};

/** Undefined when it has ended, by itself or by its user's. */
async function findSession(
  db: Db,
  id: string,
  nowMs: number,
): Promise<(repo.Bearer & { seen_at: number }) | undefined> {
  const found = await repo.findSessionRow(db, id);
  if (found === undefined || !isAlive(found, found.role, nowMs)) return undefined;
  return found;
}

async function startSession(tx: Db, session: NewSession): Promise<void> {
  const { actor, nowMs } = session;
  await repo.removeExpired(tx, nowMs);
  if (session.replaces !== null) await repo.removeSession(tx, session.replaces);
  await repo.insertSession(tx, {
    id: session.id,
    user_id: actor.userId,
    created_at: nowMs,
    seen_at: nowMs,
    expires_at: nowMs + session.lastsMs,
    client_ip: actor.clientIp,
    user_agent: session.userAgent,
    factor_at: session.factorAtMs,
  });
  await repo.keepNewest(tx, actor.userId, sessionsPerUserMax);
  if (session.action === null) return;
  if (session.action === signedIn) await rememberPlace(tx, actor.userId, actor.clientIp, nowMs);
  await appendAudit(tx, {
    actor,
    action: session.action,
    target: `user:${actor.userId}`,
    nowMs,
  });
}

/** Of an account that came from elsewhere with the password everybody knows. */
async function expirePassword(tx: Db, userId: number): Promise<void> {
  await updateAccount(tx, userId, { password_expired: 1 });
}

/** Another hash of the same password, unless that became another one meanwhile. */
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
  reads: {
    findAccessToken: repo.findAccessToken,
    findCredentials: repo.findCredentials,
    findSession,
    listOwnSessions,
    readFailures,
  },
  writes: {
    endOtherSessions,
    endOwnSession,
    endSession: repo.removeSession,
    expirePassword,
    forgetFailures,
    noteFailure,
    replaceHash,
    seeSession: repo.updateSeen,
    startSession,
  },
});

export type SignInStore = RemoteStore<typeof signInStore>;
