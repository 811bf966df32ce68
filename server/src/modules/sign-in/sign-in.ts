/**
 * The rules of sessions. A session is a row that can be ended at once; its id is known to the
 * browser only, the row holds a hash of it. What a user may do is read from the user each time.
 */

import type { SecondFactorNeeded } from "@tollgate/contract/sign-in-answer.ts";
import { role } from "@tollgate/contract/users.ts";
import type { Selectable } from "kysely";
import type { Db } from "#db/database.ts";
import type { SessionTable } from "#db/tables/users.ts";
import type { Identity } from "#http/guard.ts";
import type { Caller } from "#http/handler.ts";

/** How passwords become hashes; `passwords.ts`. */
export type Passwords = {
  /** @throws Refusal `busy`. */
  hash(password: string): Promise<string>;
  /**
   * Of a password that somebody chose.
   *
   * @throws Refusal `busy`, or `invalid-input` for one that everybody tries first.
   */
  hashChosen(password: string): Promise<string>;
  /**
   * Takes as long for a name nobody has as for a wrong password.
   *
   * @param hash null: no such user, so the answer is no.
   * @throws Refusal `busy`.
   */
  verify(password: string, hash: string | null): Promise<boolean>;
};

/** Sessions as the edge and the handlers use them; `sessions.ts`. */
export type Sessions = {
  /** Who a request comes from, by its session or else by its access token. */
  authenticate(request: Request): Promise<Identity>;
  /**
   * Signs a user in for the browser of `caller`, whose session ends.
   *
   * @param action what the audit log calls it; null: nothing worth a note.
   * @param proven that a second factor was proven for it just now.
   * @returns the value of `Set-Cookie`.
   */
  start(
    user: { readonly id: number; readonly username: string; readonly role: number },
    caller: Caller,
    action: string | null,
    proven?: "second-factor",
  ): Promise<string>;
  /** What a second factor is asked by; undefined: the user has none. See `SecondFactor.ask`. */
  askSecondFactor(userId: number): Promise<SecondFactorNeeded | undefined>;
  /** Ends the session of `caller`, if it has one. @returns the value of `Set-Cookie`. */
  end(caller: Caller): Promise<string>;
};

/** What the audit log calls a sign-in, whichever way it went. */
export const signedIn = "user.login";

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;

/** How long a session lasts: without a call, and at most. */
export type SessionLimits = { readonly idleMs: number; readonly lastsMs: number };

/** Who may do more is asked for the password more often. */
export function sessionLimits(userRole: number): SessionLimits {
  return userRole >= role.enum.admin
    ? { idleMs: hourMs, lastsMs: 12 * hourMs }
    : { idleMs: 24 * hourMs, lastsMs: 7 * 24 * hourMs };
}

/** `seen_at` is written no more often than this. */
export const seenStepMs = minuteMs;

type Times = Pick<Selectable<SessionTable>, "expires_at" | "seen_at">;

/**
 * Whether a session can still be used. A clock that was set back by more than a minute ends it,
 * because it would last longer than it may.
 */
export function isAlive(session: Times, userRole: number, nowMs: number): boolean {
  return (
    nowMs < session.expires_at &&
    nowMs - session.seen_at < sessionLimits(userRole).idleMs &&
    nowMs > session.seen_at - minuteMs
  );
}

/** Ends every session of a user, in the transaction that makes it necessary. */
export async function endSessions(tx: Db, userId: number): Promise<void> {
  await tx.deleteFrom("sessions").where("user_id", "=", userId).execute();
}

/** A second factor was proven in a session, in the transaction that saw it. */
export async function noteProof(tx: Db, sessionId: string, nowMs: number): Promise<void> {
  await tx.updateTable("sessions").set({ factor_at: nowMs }).where("id", "=", sessionId).execute();
}

/** Wrong passwords count no more: the right one came, or it becomes another one. */
export async function forgetFailures(tx: Db, userId: number): Promise<void> {
  await tx.deleteFrom("password_failures").where("user_id", "=", userId).execute();
}

/** What is known of how a user signs in, in the transaction that ends the account. */
export async function forgetSignIns(tx: Db, userId: number): Promise<void> {
  await forgetFailures(tx, userId);
  await tx.deleteFrom("sign_in_places").where("user_id", "=", userId).execute();
}
