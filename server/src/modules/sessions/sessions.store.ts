/** What runs beside the database for sessions. */

import { keepNewest } from "#db/keep-newest.ts";
import type { Db } from "#db/database.ts";
import { defineStore, type RemoteStore } from "#db/store.ts";
import { type Actor, appendAudit } from "#modules/audit/audit.ts";
import { rememberPlace } from "#modules/passwords/passwords.ts";
import { learnLanguage } from "#modules/users/users.ts";
import { endOtherSessions, endOwnSession, listOwnSessions } from "./own-sessions.repo.ts";
import * as repo from "./sessions.repo.ts";
import { isAlive, signedIn } from "./sessions.ts";

/** The largest number of sessions per user. Beyond it, a new session ends the oldest one. */
const sessionsPerUserMax = 20;

type NewSession = {
  /** Hash of the session id; only the browser has the id itself. */
  readonly id: string;
  /** Who signed in, and from where. */
  readonly actor: Actor;
  readonly userAgent: string;
  /** The browser's language, which is stored for users who have none yet; empty: not known. */
  readonly language: string;
  readonly lastsMs: number;
  /** Id of the session that this one replaces; null if none. */
  readonly replaces: string | null;
  /** Action of the audit log entry about the session; null: no entry is written. */
  readonly action: string | null;
  /** When a second factor was proven in this session, in Unix milliseconds; 0 for never. */
  readonly factorAtMs: number;
  readonly byGivenPassword: boolean;
  readonly nowMs: number;
};

/** Finds a session and its user. Undefined if the session does not exist or has ended. */
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
  const replaced =
    session.replaces === null ? undefined : await repo.takeSession(tx, session.replaces);
  // If a session continues under a new id, as it does after a second factor, the new one also
  // counts as opened with a given password.
  const isContinued = replaced?.user_id === actor.userId && replaced.by_given_password === 1;
  await repo.insertSession(tx, {
    id: session.id,
    user_id: actor.userId,
    created_at: nowMs,
    seen_at: nowMs,
    expires_at: nowMs + session.lastsMs,
    client_ip: actor.clientIp,
    user_agent: session.userAgent,
    factor_at: session.factorAtMs,
    by_given_password: session.byGivenPassword || isContinued ? 1 : 0,
  });
  await keepNewest(tx, {
    table: "sessions",
    userId: actor.userId,
    orderedBy: "created_at",
    key: "id",
    count: sessionsPerUserMax,
  });
  if (session.language !== "") await learnLanguage(tx, actor.userId, session.language);
  if (session.action === null) return;
  if (session.action === signedIn) await rememberPlace(tx, actor.userId, actor.clientIp, nowMs);
  await appendAudit(tx, {
    actor,
    action: session.action,
    target: `user:${actor.userId}`,
    nowMs,
  });
}

export const sessionStore = defineStore({
  reads: {
    findAccessToken: repo.findAccessToken,
    findSession,
    hasGivenPassword: repo.hasGivenPassword,
    listOwnSessions,
  },
  writes: {
    endOtherSessions,
    endOwnSession,
    endSession: repo.removeSession,
    seeSession: repo.updateSeen,
    startSession,
  },
});

export type SessionStore = RemoteStore<typeof sessionStore>;
