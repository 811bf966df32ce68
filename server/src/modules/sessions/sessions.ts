/**
 * The rules of sessions. A session is a row, so it can be ended at once. Only the browser knows its
 * id; the row holds a hash of it. The role and status of the user are read with every request.
 */

import { role } from "@tollgate/contract/users.ts";
import type { Selectable } from "kysely";
import type { Db } from "#db/database.ts";
import type { SessionTable } from "#db/tables/users.ts";
import type { Identity } from "#http/guard.ts";
import type { Caller } from "#http/handler.ts";

/** Sessions as the console edge and the handlers use them. */
export type Sessions = {
  /** Finds who sent a request, by its session or else by its access token. */
  authenticate(request: Request): Promise<Identity>;
  /**
   * Starts a session for the browser of `caller` in place of the one it has.
   *
   * @param action name of the entry in the audit log; null: no entry.
   * @param proven the user has just proven a second factor.
   * @returns the value of `Set-Cookie`.
   */
  start(
    user: { readonly id: number; readonly username: string; readonly role: number },
    caller: Caller,
    action: string | null,
    proven?: "second-factor",
  ): Promise<string>;
  /** Ends the session of `caller` if there is one. @returns the value of `Set-Cookie`. */
  end(caller: Caller): Promise<string>;
};

/** Name of a sign-in in the audit log, by whatever method. */
export const signedIn = "user.login";

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;

/** How long a session lasts without a request, and at most. */
type SessionLimits = { readonly idleMs: number; readonly lastsMs: number };

/** Administrators have shorter sessions. */
export function sessionLimits(userRole: number): SessionLimits {
  return userRole >= role.enum.admin
    ? { idleMs: hourMs, lastsMs: 12 * hourMs }
    : { idleMs: 24 * hourMs, lastsMs: 7 * 24 * hourMs };
}

/** `seen_at` is written at most this often. */
export const seenStepMs = minuteMs;

type Times = Pick<Selectable<SessionTable>, "expires_at" | "seen_at">;

/**
 * Whether a session can still be used. It cannot when the clock was set back by more than a minute:
 * it would last longer than allowed.
 */
export function isAlive(session: Times, userRole: number, nowMs: number): boolean {
  return (
    nowMs < session.expires_at &&
    nowMs - session.seen_at < sessionLimits(userRole).idleMs &&
    nowMs > session.seen_at - minuteMs
  );
}

/** Ends every session of a user, in the transaction that makes this necessary. */
export async function endSessions(tx: Db, userId: number): Promise<void> {
  await tx.deleteFrom("sessions").where("user_id", "=", userId).execute();
}

/** Notes that a second factor was proven in a session, in the transaction that checked it. */
export async function noteProof(tx: Db, sessionId: string, nowMs: number): Promise<void> {
  await tx.updateTable("sessions").set({ factor_at: nowMs }).where("id", "=", sessionId).execute();
}

/** Kind of the keyed hash by which the user of an access token is found. */
export const accessTokenKind = "access-token";
