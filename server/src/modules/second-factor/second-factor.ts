/** The rules of second factors, and the interface of this module for other modules. */

import type { SecondFactorNeeded } from "@tollgate/contract/endpoints/sign-in-answer.ts";
import { role } from "@tollgate/contract/endpoints/users.ts";
import { Refusal } from "#base/refusal.ts";
import type { Secrets } from "#base/secrets.ts";
import type { Db } from "#db/database.ts";
import type { Caller } from "#http/handler.ts";
import type { Actor } from "#modules/audit/audit.ts";
import { bareCode, isTotpCode, recoveryLookup, stepOf, totpContext } from "./codes.ts";
import {
  hasFactor,
  readFactors,
  removePasskeys,
  removeSecret,
  replaceRecoveryCodes,
  spendRecoveryCode,
  spendStep,
} from "./second-factor.repo.ts";

export type SecondFactor = {
  /**
   * Decides whether a user who has been identified must also prove a second factor; every sign-in
   * method calls it. Returns a ticket and the factors of which the user must prove one before a
   * session starts; undefined if the user has none.
   * @param givenPassword whether the user was identified by a password that somebody else had set.
   */
  ask(userId: number, givenPassword: boolean): Promise<SecondFactorNeeded | undefined>;
  /** Whether a user has a second factor. */
  isSetUp(userId: number): Promise<boolean>;
  /**
   * Refuses a caller who has a second factor, but has not proven it in the same session within the
   * last minutes.
   * @throws Refusal `step-up-needed`.
   */
  requireStepUp(caller: Caller): Promise<void>;
  /** Whether the caller's session began within the last five minutes; false without a session. */
  signedInLately(caller: Caller): Promise<boolean>;
  /**
   * Resolves if the caller proves to own the account: by the present password, or by a recent
   * sign-in if the account has no password. Checks nothing if the account has a second factor,
   * because then the endpoint requires a step-up.
   * @throws Refusal `not-allowed` for a missing or wrong password, `step-up-needed` if the caller
   * has to sign in again, `rate-limited`.
   */
  proveOwner(caller: Caller, password: string): Promise<void>;
};

const minuteMs = 60_000;

/** How long the proof of a second factor stays valid, and how long a ticket does. */
export const freshMs = 5 * minuteMs;

/** The number of wrong codes after which a ticket is void. */
export const ticketFailuresMax = 5;

/** Whether the user must prove a second factor when signing in. */
export async function mustProveFactor(db: Db, userId: number): Promise<boolean> {
  return hasFactor(await readFactors(db, userId));
}

/** A code of an authenticator app, or a recovery code, and when it is used in Unix milliseconds. */
type GivenCode = { readonly userId: number; readonly code: string; readonly nowMs: number };

/** Verifies a user's code and uses it up; false: it is not right, or was used before. */
export async function proveFactor(
  tx: Db,
  secrets: Pick<Secrets, "lookup" | "open">,
  { userId, code, nowMs }: GivenCode,
): Promise<boolean> {
  if (!isTotpCode(code)) {
    const lookup = recoveryLookup(secrets, userId, code);
    return await spendRecoveryCode(tx, { user_id: userId, lookup });
  }
  const { totp } = await readFactors(tx, userId);
  if (totp === undefined || totp.confirmed_at === 0) return false;
  const step = stepOf(secrets.open(totpContext(userId), totp.sealed), bareCode(code), nowMs);
  return step !== undefined && (await spendStep(tx, userId, step));
}

/** Removes all factors of a user, in the transaction that deletes the account. */
export async function forgetFactors(tx: Db, userId: number): Promise<void> {
  await removeSecret(tx, userId);
  await removePasskeys(tx, userId, null);
  await replaceRecoveryCodes(tx, userId, []);
}

/**
 * Removes the second factors that a user has set up since a time, and the recovery codes if no
 * factor is left.
 */
export async function forgetFactorsSince(tx: Db, userId: number, sinceMs: number): Promise<void> {
  const { totp, passkeys } = await readFactors(tx, userId);
  if (totp !== undefined && totp.confirmed_at >= sinceMs) await removeSecret(tx, userId);
  const added = passkeys.filter(({ created_at }) => created_at >= sinceMs);
  for (const { id } of added) await removePasskeys(tx, userId, id);
  if (!hasFactor(await readFactors(tx, userId))) await replaceRecoveryCodes(tx, userId, []);
}

export function ticketGone(): Refusal {
  return new Refusal("not-found", "操作已过期，请重新开始");
}

type RootProof = {
  /** Asks root for a line, such as a code. */
  readonly ask: (question: string) => Promise<string>;
  readonly verify: (password: string, hash: string) => Promise<boolean>;
  readonly secrets: Pick<Secrets, "lookup" | "open">;
  /** Unix milliseconds. */
  readonly now: () => number;
};

/**
 * Has root prove to be root, as for a step-up in the console: by a code of the second factor, or by
 * the password where there is none.
 *
 * @returns who it is; null: it was not proven, or there is no root.
 */
export async function proveRoot(db: Db, deps: RootProof): Promise<Actor | null> {
  const root = await db
    .selectFrom("users")
    .select(["id", "username", "password_hash"])
    .where("role", "=", role.enum.root)
    .where("DeletedAt", "is", null)
    .orderBy("id")
    .executeTakeFirst();
  if (root === undefined) return null;
  const isProven = (await mustProveFactor(db, root.id))
    ? await proveByCode(db, root.id, deps)
    : await deps.verify(await deps.ask("Password of root: "), root.password_hash);
  return isProven ? { userId: root.id, username: root.username, clientIp: "" } : null;
}

async function proveByCode(db: Db, userId: number, deps: RootProof): Promise<boolean> {
  const code = await deps.ask("Code of root's authenticator app, or a recovery code: ");
  const { secrets, now } = deps;
  return await db
    .transaction()
    .execute(async (tx) => await proveFactor(tx, secrets, { userId, code, nowMs: now() }));
}
