/**
 * Passwords that were tried and wrong, by user. Limits by time alone would let somebody with many
 * addresses try for years; after a hundred in a row only places the user signed in from before get
 * a try, until the password is another one. So nobody is locked out at home by strangers.
 */

import { addressBlock } from "#base/ip-ranges.ts";
import type { Db } from "#db/database.ts";
import { appendAudit } from "#modules/audit/audit.ts";

/** Wrong passwords in a row that any place may send. Source: NIST SP 800-63B §5.2.2. */
export const failuresMax = 100;

/** Places kept of a user. */
const placesMax = 10;

/** A wrong password, and whose it was not. */
export type Failure = {
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

export type Failures = {
  readonly count: number;
  /** Whether a password may be tried from the address. */
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

/** In the transaction that signs the user in. */
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
  const kept = tx
    .selectFrom("sign_in_places")
    .select("place")
    .where("user_id", "=", userId)
    .orderBy("used_at", "desc")
    .orderBy("place")
    .limit(placesMax);
  await tx
    .deleteFrom("sign_in_places")
    .where("user_id", "=", userId)
    .where("place", "not in", kept)
    .execute();
}
