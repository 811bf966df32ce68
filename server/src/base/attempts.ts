/** Counts attempts, such as sign-ins, against several rate limits at once. */

import type { RateLimits, RateRule } from "./rate-limit.ts";
import { Refusal } from "./refusal.ts";

/** A rule and the key it counts for. */
export type Counted = readonly [rule: RateRule, key: string];

type Attempt = {
  /** Takes the attempt back, because it turned out to be harmless. */
  giveBack(): Promise<void>;
};

/**
 * Counts one attempt by every rule. If one of them refuses, it is counted by none.
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
