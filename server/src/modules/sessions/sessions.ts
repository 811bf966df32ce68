/**
 * The rules of sessions. A session is a database row, so it can be ended at once. Only the browser
 * has the session id; the row stores its hash. The user's role and status are read on every
 * request.
 */

import { role } from "@tollgate/contract/users.ts";
import type { Selectable } from "kysely";
import type { Db } from "#db/database.ts";
import type { SessionTable } from "#db/tables/users.ts";
import type { Identity } from "#http/guard.ts";
import type { Caller } from "#http/handler.ts";

/** The interface for the console API's request guard and for handlers. */
export type Sessions = {
  /** Identifies the sender of a request by session, or else by access token. */
  authenticate(request: Request): Promise<Identity>;
  /**
   * Starts a session for the caller's browser and replaces the present one.
   *
   * @param action name of the audit log entry; null writes no entry.
   * @param proven how the user has just signed in.
   * @returns the value of `Set-Cookie`.
   */
  start(
    user: { readonly id: number; readonly username: string; readonly role: number },
    caller: Caller,
    action: string | null,
    proven?: Proven,
  ): Promise<string>;
  /**
   * Whether the caller's session was opened with a password that somebody else gave, and which the
   * user has not changed since.
   */
  hasGivenPassword(caller: Caller): Promise<boolean>;
  /** Ends the caller's session, if there is one. @returns the value of `Set-Cookie`. */
  end(caller: Caller): Promise<string>;
};

type Proven = {
  readonly secondFactor?: boolean;
  /** The password was given to the user by an e-mail or an administrator. */
  readonly givenPassword?: boolean;
};

/** Audit log action of a sign-in by any method. */
export const signedIn = "user.login";

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;

/** The longest time without a request, and the longest total duration. */
type SessionLimits = { readonly idleMs: number; readonly lastsMs: number };

/** Administrators have shorter sessions. */
export function sessionLimits(userRole: number): SessionLimits {
  return userRole >= role.enum.admin
    ? { idleMs: hourMs, lastsMs: 12 * hourMs }
    : { idleMs: 24 * hourMs, lastsMs: 7 * 24 * hourMs };
}

/** Minimum time between two updates of `seen_at`. */
export const seenStepMs = minuteMs;

type Times = Pick<Selectable<SessionTable>, "expires_at" | "seen_at">;

/**
 * Whether a session is still valid. It is not valid if the clock was set back by more than a
 * minute, because it would then last longer than allowed.
 */
export function isAlive(session: Times, userRole: number, nowMs: number): boolean {
  return (
    nowMs < session.expires_at &&
    nowMs - session.seen_at < sessionLimits(userRole).idleMs &&
    nowMs > session.seen_at - minuteMs
  );
}

/** Ends all sessions of a user, in the transaction that requires it. */
export async function endSessions(tx: Db, userId: number): Promise<void> {
  await tx.deleteFrom("sessions").where("user_id", "=", userId).execute();
}

/** Records that a second factor was proven in a session, in the transaction that verified it. */
export async function noteProof(tx: Db, sessionId: string, nowMs: number): Promise<void> {
  await tx.updateTable("sessions").set({ factor_at: nowMs }).where("id", "=", sessionId).execute();
}

/** Kind of the keyed hash by which an access token's user is found. */
export const accessTokenKind = "access-token";
