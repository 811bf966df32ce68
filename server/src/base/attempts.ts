/** Counts attempts, such as sign-ins, against several rate limits at the same time. */

import type { RateLimits, RateRule } from "./rate-limit.ts";
import { Refusal } from "./refusal.ts";

/** A rate limit and the key, such as a user or an address, whose attempts it counts. */
export type Counted = readonly [rule: RateRule, key: string];

type Attempt = {
  /** Takes the counted attempt back, because it turned out to be harmless. */
  giveBack(): Promise<void>;
};

/**
 * Counts one attempt against several rate limits. If one of them refuses, none counts it.
 *
 * @throws Refusal `rate-limited` with `message`.
 */
export async function countAttempt(
  limits: RateLimits,
  wanted: readonly Counted[],
  message: string,
): Promise<Attempt> {
  const taken: Counted[] = [];
  const giveBack = async (): Promise<void> => {
    for (const [rule, key] of taken) await limits.giveBack(rule, key);
  };
  for (const [rule, key] of wanted) {
    const { allowed, retryAfterMs } = await limits.take(rule, key);
    if (!allowed) {
      await giveBack();
      throw new Refusal("rate-limited", message, { retryAfterMs });
    }
    taken.push([rule, key]);
  }
  return { giveBack };
}
