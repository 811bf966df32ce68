/**
 * Queries with which users list and end their own sessions. A user has few sessions, so all rows
 * are read.
 */

import { unixSeconds } from "#base/clock.ts";
import { Refusal } from "#base/refusal.ts";
import type { Db } from "#db/database.ts";
import { type Actor, appendAudit } from "#modules/audit/audit.ts";
import { isAlive } from "./sessions.ts";

/** A session as the API shows it to its user. */
type OwnSession = {
  readonly id: string;
  readonly created_at: number;
  readonly seen_at: number;
  readonly expires_at: number;
  readonly client_ip: string;
  readonly user_agent: string;
  readonly current: boolean;
};

/** The number of hex digits of a session's hash that identify the session in the API: 64 bits. */
const shownIdLength = 16;

function shownId(id: string): string {
  return id.slice(0, shownIdLength);
}

/**
 * The user whose sessions are listed. `sessionId` is the session of the request; null for a request
 * with an access token.
 */
type OwnSessionsOf = {
  readonly userId: number;
  readonly role: number;
  readonly sessionId: string | null;
  /** Unix milliseconds. */
  readonly nowMs: number;
};

/** Lists the user's valid sessions, the one with the latest request first. */
export async function listOwnSessions(
  db: Db,
  { userId, role, sessionId, nowMs }: OwnSessionsOf,
): Promise<OwnSession[]> {
  const rows = await db
    .selectFrom("sessions")
    .selectAll()
    .where("user_id", "=", userId)
    .orderBy("seen_at", "desc")
    .orderBy("id")
    .execute();
  const alive = rows.filter((row) => isAlive(row, role, nowMs));
  return alive.map((row) => ({
    id: shownId(row.id),
    created_at: unixSeconds(row.created_at),
    seen_at: unixSeconds(row.seen_at),
    expires_at: unixSeconds(row.expires_at),
    client_ip: row.client_ip,
    user_agent: row.user_agent,
    current: row.id === sessionId,
  }));
}

type By = { readonly actor: Actor; readonly nowMs: number };

/**
 * Ends one of the user's sessions.
 * @returns the stored id of the session.
 * @throws Refusal `not-found` if the user has no such session.
 */
export async function endOwnSession(tx: Db, id: string, by: By): Promise<string> {
  const ended = await endWhere(tx, by, (each) => shownId(each) === id);
  const [only] = ended;
  if (only === undefined) throw new Refusal("not-found", "会话不存在或已结束");
  return only;
}

/**
 * Ends all of a user's sessions except `kept`.
 * @returns how many were ended.
 */
export async function endOtherSessions(tx: Db, kept: string | null, by: By): Promise<number> {
  return (await endWhere(tx, by, (each) => each !== kept)).length;
}

async function endWhere(
  tx: Db,
  { actor, nowMs }: By,
  isMeant: (id: string) => boolean,
): Promise<string[]> {
  const rows = await tx
    .selectFrom("sessions")
    .select("id")
    .where("user_id", "=", actor.userId)
    .execute();
  const ids = rows.map(({ id }) => id).filter(isMeant);
  if (ids.length === 0) return [];
  await tx.deleteFrom("sessions").where("id", "in", ids).execute();
  const target = `user:${actor.userId}`;
  const detail = { sessions: ids.length };
  await appendAudit(tx, { actor, action: "user.end-sessions", target, detail, nowMs });
  return ids;
}
