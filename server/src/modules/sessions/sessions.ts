/**
 * The rules of sessions. A session is a database row, so removing the row ends it immediately. Only
 * the browser has the session id; the row stores its hash. The user's role and status are read on
 * every request.
 */

import { role, type ShortUser } from "@tollgate/contract/endpoints/users.ts";
import type { Selectable } from "kysely";
import type { Db } from "#db/database.ts";
import type { SessionTable } from "#db/tables/users.ts";
import type { Identity } from "#http/guard.ts";
import type { Caller } from "#http/handler.ts";
import type { Tours } from "./tours.ts";

/** The interface of this module for the console API's request guard and for handlers. */
export type Sessions = {
  /** Identifies the sender of a request by session or, without one, by access token. */
  authenticate(request: Request): Promise<Identity>;
  /**
   * Starts a session for the caller's browser, in place of the caller's present one.
   * @param action name of the audit log entry; null writes no entry.
   * @param proven how the user has just signed in.
   * @returns the values of the headers `Set-Cookie`: the session's first, then the device's mark.
   */
  start(
    user: { readonly id: number; readonly username: string; readonly role: number },
    caller: Caller,
    action: string | null,
    proven?: Proven,
  ): Promise<readonly string[]>;
  /**
   * Returns the id of the caller's device, if this user has signed in with it before. Undefined:
   * nothing proves it.
   */
  findDevice(caller: Pick<Caller, "deviceMarks">, userId: number): string | undefined;
  /**
   * Whether the caller's session was opened with a password that somebody else gave the user, and
   * which the user has not changed since.
   */
  hasGivenPassword(caller: Caller): Promise<boolean>;
  /**
   * Ends the caller's session, if there is one.
   * @returns the value of the header `Set-Cookie`.
   */
  end(caller: Caller): Promise<string>;
  /** Visitors who look around in a demo. */
  readonly tours: Pick<Tours, "isOffered" | "offer">;
  /**
   * Begins a tour of the demo; null: there are none.
   * @returns whom the visitor looks as, and the value of the header `Set-Cookie`.
   */
  startTour(): { readonly user: ShortUser; readonly setCookie: string } | null;
};

type Proven = {
  readonly secondFactor?: boolean;
  /** Whether the user signed in with a password from an administrator or a password reset. */
  readonly givenPassword?: boolean;
};

/** The audit log action of every sign-in, whatever the method. */
export const signedIn = "user.login";

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;

/** How long a session may be without a request, and how long it may last in total. */
type SessionLimits = { readonly idleMs: number; readonly lastsMs: number };

/** Returns the limits of a user's sessions. They are shorter for administrators. */
export function sessionLimits(userRole: number): SessionLimits {
  return userRole >= role.enum.admin
    ? { idleMs: hourMs, lastsMs: 12 * hourMs }
    : { idleMs: 24 * hourMs, lastsMs: 7 * 24 * hourMs };
}

/**
 * The shortest time between two updates of a session's `seen_at`, so that not every request writes.
 */
export const seenStepMs = minuteMs;

type Times = Pick<Selectable<SessionTable>, "expires_at" | "seen_at">;

/**
 * Whether a session is still valid. If the clock was set back by more than a minute, the session
 * counts as ended, because it would last longer than allowed.
 */
export function isAlive(session: Times, userRole: number, nowMs: number): boolean {
  return (
    nowMs < session.expires_at &&
    nowMs - session.seen_at < sessionLimits(userRole).idleMs &&
    nowMs > session.seen_at - minuteMs
  );
}

/** Ends all sessions of a user, as part of a transaction after which they must not continue. */
export async function endSessions(tx: Db, userId: number): Promise<void> {
  await tx.deleteFrom("sessions").where("user_id", "=", userId).execute();
}

/** Stores that a second factor was proven in a session, in the transaction that verified it. */
export async function noteProof(tx: Db, sessionId: string, nowMs: number): Promise<void> {
  await tx.updateTable("sessions").set({ factor_at: nowMs }).where("id", "=", sessionId).execute();
}

/** The kind of the keyed hash by which an access token is looked up. */
export const accessTokenKind = "access-token";
