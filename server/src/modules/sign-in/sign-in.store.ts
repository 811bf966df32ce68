import type { Db } from "#db/database.ts";
import { defineStore, type RemoteStore } from "#db/store.ts";
import { type Actor, appendAudit } from "#modules/audit/audit.ts";
import { endOtherSessions, endOwnSession, listOwnSessions } from "./own-sessions.repo.ts";
import { isAlive } from "./sign-in.ts";
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
  await appendAudit(tx, {
    actor,
    action: session.action,
    target: `user:${actor.userId}`,
    nowMs,
  });
}

export const signInStore = defineStore({
  reads: {
    findAccessToken: repo.findAccessToken,
    findCredentials: repo.findCredentials,
    findSession,
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

export type SignInStore = RemoteStore<typeof signInStore>;
