/** Rate limits that all nodes count together in the database. */

import type { RateLimits, RateRule, RateVerdict } from "#base/rate-limit.ts";
import { hashText } from "#base/secrets.ts";

/** Counts attempts in the database; a key is a hash, as keys are addresses and names of people. */
export type Attempts = {
  takeAttempt(rule: RateRule, key: string): Promise<RateVerdict>;
  lookAttempt(rule: RateRule, key: string): Promise<RateVerdict>;
  giveBackAttempt(rule: RateRule, key: string): Promise<void>;
};

/**
 * How long a refusal is remembered, in milliseconds: whoever goes on trying costs the database one
 * write in that time.
 */
const refusedMs = 1_000;

/** The most refusals that are remembered; beyond it, the oldest is dropped. */
const refusalsMax = 10_000;

/** @param now returns milliseconds that never go back. */
export function openExactLimits(attempts: Attempts, now: () => number): RateLimits {
  /** When a refusal that is remembered ends, and when the next attempt is allowed. */
  const refusals = new Map<string, { readonly endsMs: number; readonly allowedMs: number }>();

  function remember(name: string, { retryAfterMs }: RateVerdict): void {
    const nowMs = now();
    refusals.delete(name);
    refusals.set(name, {
      endsMs: nowMs + Math.min(refusedMs, retryAfterMs),
      allowedMs: nowMs + retryAfterMs,
    });
    const oldest = refusals.keys().next();
    if (refusals.size > refusalsMax && !oldest.done) refusals.delete(oldest.value);
  }

  return {
    async take(rule, key) {
      const name = `${rule.name} ${key}`;
      const refusal = refusals.get(name);
      const nowMs = now();
      if (refusal !== undefined && refusal.endsMs > nowMs) {
        return { allowed: false, retryAfterMs: Math.ceil(refusal.allowedMs - nowMs) };
      }
      const verdict = await attempts.takeAttempt(rule, hashText(key));
      if (!verdict.allowed) remember(name, verdict);
      return verdict;
    },
    look: async (rule, key) => await attempts.lookAttempt(rule, hashText(key)),
    async giveBack(rule, key) {
      refusals.delete(`${rule.name} ${key}`);
      await attempts.giveBackAttempt(rule, hashText(key));
    },
  };
}
