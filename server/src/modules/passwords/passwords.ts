/**
 * The rules of passwords, and the count of wrong ones by user. Limits by time alone would let a
 * caller with many addresses guess for years. After a hundred wrong passwords in a row, only places
 * that the user signed in from before may try again, until the user has another password. So a
 * stranger cannot lock a user out at home.
 */

import { addressBlock } from "#base/ip-ranges.ts";
import { keepNewest } from "#db/keep-newest.ts";
import type { Db } from "#db/database.ts";
import { appendAudit } from "#modules/audit/audit.ts";

/** How passwords become hashes. */
export type Passwords = {
  /** @throws Refusal `busy`. */
  hash(password: string): Promise<string>;
  /**
   * Hashes a password that a person chose.
   *
   * @throws Refusal `busy`, or `invalid-input` for one of the passwords that attackers try first.
   */
  hashChosen(password: string): Promise<string>;
  /**
   * Takes as long for an unknown user as for a wrong password.
   *
   * @param hash null: there is no such user, so the answer is no.
   * @throws Refusal `busy`.
   */
  verify(password: string, hash: string | null): Promise<boolean>;
};

/** Whether another program made the hash; a new one of the same password should replace it. */
export function isOutdated(hash: string): boolean {
  return !hash.startsWith("$argon2id$");
}

/** Wrong passwords in a row after which unknown places are refused. Source: NIST SP 800-63B §5.2.2. */
const failuresMax = 100;

/** Places kept for one user. */
const placesMax = 10;

/** A wrong password that was sent for a user. */
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
  /** Whether this address may try a password. */
  readonly mayTry: boolean;
};

export async function readFailures(db: Db, userId: number, clientIp: string): Promise<Failures> {
  const row = await db
    .selectFrom("password_failures")
    .select("count")
    .where("user_id", "=", userId)
    .executeTakeFirst();
  const count = row?.count ?? 0;
  if (count < failuresMax) return { count, mayTry: true };
  const known = await db
    .selectFrom("sign_in_places")
    .select("place")
    .where("user_id", "=", userId)
    .where("place", "=", addressBlock(clientIp))
    .executeTakeFirst();
  return { count, mayTry: known !== undefined };
}

/** Notes where a user signed in from, in the transaction that starts the session. */
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

/** Resets the count of wrong passwords: the right one came, or the user has another one. */
export async function forgetFailures(tx: Db, userId: number): Promise<void> {
  await tx.deleteFrom("password_failures").where("user_id", "=", userId).execute();
}

/** Removes what is known of a user's sign-ins, in the transaction that deletes the account. */
export async function forgetSignIns(tx: Db, userId: number): Promise<void> {
  await forgetFailures(tx, userId);
  await tx.deleteFrom("sign_in_places").where("user_id", "=", userId).execute();
}
