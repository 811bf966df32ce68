/** The rules of second factors, and what other modules may use of this one. */

import type { SecondFactorNeeded } from "@tollgate/contract/sign-in-answer.ts";
import { Refusal } from "#base/refusal.ts";
import type { Db } from "#db/database.ts";
import type { Caller } from "#http/handler.ts";
import { removePasskeys, removeSecret, replaceRecoveryCodes } from "./second-factor.repo.ts";

export type SecondFactor = {
  /**
   * Called once the user who signs in is known, by whatever method. Undefined: the user has no
   * second factor. Else the user has to prove one of the returned factors, and has no session yet.
   */
  ask(userId: number): Promise<SecondFactorNeeded | undefined>;
  /** Whether a user has a second factor. */
  isSetUp(userId: number): Promise<boolean>;
  /**
   * Resolves for a user without a second factor, and for one proven lately in this very session.
   *
   * @throws Refusal `step-up-needed`.
   */
  requireStepUp(caller: Caller): Promise<void>;
  /** Whether the session of `caller` began within the last minutes; false without one. */
  signedInLately(caller: Caller): Promise<boolean>;
};

const minuteMs = 60_000;

/** How long a proof counts, and how long a step that was begun may take. */
export const freshMs = 5 * minuteMs;

/** A ticket is void after so many wrong codes. */
export const ticketFailuresMax = 5;

/** Removes all factors of a user, in the transaction that deletes the account. */
export async function forgetFactors(tx: Db, userId: number): Promise<void> {
  await removeSecret(tx, userId);
  await removePasskeys(tx, userId, null);
  await replaceRecoveryCodes(tx, userId, []);
}

export function ticketGone(): Refusal {
  return new Refusal("not-found", "操作已过期，请重新开始");
}
