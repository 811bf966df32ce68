/**
 * Password rules, and the count of wrong passwords per user. Rate limits alone would let an
 * attacker with many IP addresses guess for years. So after a hundred wrong passwords in a row,
 * only IP addresses and devices from which the user has signed in before may try, until the password
 * changes. The user can still sign in from home, so a stranger cannot lock the user out.
 */

import { addressBlock } from "#base/ip-ranges.ts";
import { keepNewest } from "#db/keep-newest.ts";
import type { Db } from "#db/database.ts";
import { appendAudit } from "#modules/audit/audit.ts";

/** Hashes and verifies passwords. */
export type Passwords = {
  /**
   * Hashes a password.
   * @throws Refusal `busy` when too many hashes are waiting.
   */
  hash(password: string): Promise<string>;
  /**
   * Hashes a password chosen by a person.
   *
   * @throws Refusal `busy`, or `invalid-input` for a password on the list of common ones.
   */
  hashChosen(password: string): Promise<string>;
  /**
   * Verifies a password. Takes the same time for an unknown user as for a wrong password.
   * @param hash null if there is no such user; the result is then false.
   * @throws Refusal `busy`.
   */
  verify(password: string, hash: string | null): Promise<boolean>;
};

/**
 * Whether another program made the hash: this one makes argon2id hashes. An outdated hash should be
 * replaced by a new hash of the same password.
 */
export function isOutdated(hash: string): boolean {
  return !hash.startsWith("$argon2id$");
}

/**
 * The number of wrong passwords in a row after which only IP addresses that are known for the user
 * may try. Source: NIST SP 800-63B §5.2.2.
 */
const failuresMax = 100;

/** The number of IP address blocks that are remembered per user. */
const placesMax = 10;

/** A wrong password that somebody sent for a user. */
type Failure = {
  readonly user: { readonly id: number; readonly username: string };
  readonly clientIp: string;
  /** Unix milliseconds. */
  readonly nowMs: number;
};

export async function noteFailure(tx: Db, { user, clientIp, nowMs }: Failure): Promise<void> {
  const { count } = await tx
    .insertInto("password_failures")
    .values({ user_id: user.id, count: 1 })
    .onConflict((conflict) =>
      conflict
        .column("user_id")
        .doUpdateSet((eb) => ({ count: eb("password_failures.count", "+", 1) })),
    )
    .returning("count")
    .executeTakeFirstOrThrow();
  if (count !== failuresMax) return;
  await appendAudit(tx, {
    actor: { userId: 0, username: "", clientIp },
    action: "user.sign-in-closed",
    target: `user:${user.id}`,
    detail: { username: user.username, failures: failuresMax },
    nowMs,
  });
}

type Failures = {
  readonly count: number;
  /** Whether a password may be tried from the caller's IP address. */
  readonly mayTry: boolean;
};

/** Where a password comes from. */
type Origin = {
  readonly clientIp: string;
  /** Whether the user has signed in with the caller's device before. */
  readonly isKnownDevice: boolean;
};

export async function readFailures(
  db: Db,
  userId: number,
  { clientIp, isKnownDevice }: Origin,
): Promise<Failures> {
  const row = await db
    .selectFrom("password_failures")
    .select("count")
    .where("user_id", "=", userId)
    .executeTakeFirst();
  const count = row?.count ?? 0;
  if (count < failuresMax || isKnownDevice) return { count, mayTry: true };
  return { count, mayTry: await isKnownPlace(db, userId, clientIp) };
}

/** Whether a user has signed in from this IP address block before. */
export async function isKnownPlace(db: Db, userId: number, clientIp: string): Promise<boolean> {
  const known = await db
    .selectFrom("sign_in_places")
    .select("place")
    .where("user_id", "=", userId)
    .where("place", "=", addressBlock(clientIp))
    .executeTakeFirst();
  return known !== undefined;
}

/**
 * Remembers the IP address block from which a user signed in, in the transaction that starts the
 * session.
 */
export async function rememberPlace(
  tx: Db,
  userId: number,
  clientIp: string,
  nowMs: number,
): Promise<void> {
  await tx
    .insertInto("sign_in_places")
    .values({ user_id: userId, place: addressBlock(clientIp), used_at: nowMs })
    .onConflict((conflict) =>
      conflict.columns(["user_id", "place"]).doUpdateSet({ used_at: nowMs }),
    )
    .execute();
  await keepNewest(tx, {
    table: "sign_in_places",
    userId,
    orderedBy: "used_at",
    key: "place",
    count: placesMax,
  });
}

/**
 * Resets a user's count of wrong passwords, after a correct one or after the password has changed.
 */
export async function forgetFailures(tx: Db, userId: number): Promise<void> {
  await tx.deleteFrom("password_failures").where("user_id", "=", userId).execute();
}

/**
 * Removes a user's remembered IP addresses and count of wrong passwords, in the transaction that
 * deletes the account.
 */
export async function forgetSignIns(tx: Db, userId: number): Promise<void> {
  await forgetFailures(tx, userId);
  await tx.deleteFrom("sign_in_places").where("user_id", "=", userId).execute();
}
