/** The rules of second factors, and what other parts of the gateway ask of them. */

import type { SecondFactorNeeded } from "@tollgate/contract/sign-in-answer.ts";
import { Refusal } from "#base/refusal.ts";
import type { Db } from "#db/database.ts";
import type { Caller } from "#http/handler.ts";
import { removePasskeys, removeSecret, replaceRecoveryCodes } from "./second-factor.repo.ts";

export type SecondFactor = {
  /**
   * Asked once it is known who signs in, whichever way. Undefined: the user has no second factor;
   * else what to go on with, and no session is started yet.
   */
  ask(userId: number): Promise<SecondFactorNeeded | undefined>;
  /** Whether a user has one. */
  isSetUp(userId: number): Promise<boolean>;
  /**
   * Lets through whoever has no second factor, or proved it lately in this very session.
   *
   * @throws Refusal `step-up-needed`.
   */
  requireStepUp(caller: Caller): Promise<void>;
  /** Whether the session of `caller` began within the last minutes; false without one. */
  signedInLately(caller: Caller): Promise<boolean>;
};

const minuteMs = 60_000;

/** How long a proof counts, and how long a step that was begun can be finished. */
export const freshMs = 5 * minuteMs;

/** Wrong codes by which a ticket is lost. */
export const ticketFailuresMax = 5;

/** Removes all proofs of a user whose account ends, in the transaction that ends it. */
export async function forgetFactors(tx: Db, userId: number): Promise<void> {
  await removeSecret(tx, userId);
  await removePasskeys(tx, userId, null);
  await replaceRecoveryCodes(tx, userId, []);
}

export function ticketGone(): Refusal {
  return new Refusal("not-found", "操作已过期，请重新开始");
}
