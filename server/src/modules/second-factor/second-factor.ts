/** The rules of second factors, and what other parts of the gateway ask of them. */

import type { SecondFactorNeeded } from "contract/second-factor.ts";
import { Refusal } from "#base/refusal.ts";
import type { Caller } from "#http/handler.ts";

export type SecondFactor = {
  /**
   * Asked once it is known who signs in, whichever way. Undefined: the user has no second factor;
   * else what to go on with, and no session is started yet.
   */
  ask(userId: number): Promise<SecondFactorNeeded | undefined>;
  /**
   * Lets through whoever has no second factor, or proved it lately in this very session.
   *
   * @throws Refusal `step-up-needed`.
   */
  requireStepUp(caller: Caller): Promise<void>;
};

const minuteMs = 60_000;

/** How long a proof counts, and how long a step that was begun can be finished. */
export const freshMs = 5 * minuteMs;

/** Wrong codes by which a ticket is lost. */
export const ticketFailuresMax = 5;

/** Tickets kept at a time; the one that ends first goes first. */
export const ticketsMax = 10_000;

export function ticketGone(): Refusal {
  return new Refusal("not-found", "操作已过期，请重新开始");
}
