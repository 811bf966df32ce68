/**
 * Rate limits of the whole program: within any `windowMs` no more than `max` hits are allowed.
 * Limits up to 64 are exact; with higher ones, a hit may count up to a sixtieth of the window
 * longer (`rate-counters.ts`). The functions are async so that a shared store (Redis) can implement
 * them later.
 */

import {
  addHit,
  forgetBefore,
  openCounters,
  type RateCounters,
  removeHit,
  stepMsOf,
  waitMs,
} from "./rate-counters.ts";

export type RateRule = {
  /** Name of the limit, so that its keys are not mixed up with those of others. */
  readonly name: string;
  readonly windowMs: number;
  readonly max: number;
};

export type RateVerdict = {
  readonly allowed: boolean;
  /** Milliseconds until the next hit is allowed; 0 if this one is allowed. */
  readonly retryAfterMs: number;
};

export type RateLimits = {
  /** Counts a hit for `key`, unless it exceeds the limit. */
  take(rule: RateRule, key: string): Promise<RateVerdict>;
  /** Returns the verdict that `take` would give, and counts nothing. */
  look(rule: RateRule, key: string): Promise<RateVerdict>;
  /** Takes back the newest hit of `key`, because it turned out to be harmless. */
  giveBack(rule: RateRule, key: string): Promise<void>;
};

/**
 * The largest number of keys of one rule kept in memory. Beyond it the least recently used one is
 * dropped.
 */
export const rateKeysMax = 10_000;

/**
 * Opens rate limits that are kept in memory.
 *
 * @param now returns milliseconds that never go back.
 */
export function openRateLimits({ now }: { readonly now: () => number }): RateLimits {
  const rules = new Map<string, Map<string, RateCounters>>();
  const keysOf = (rule: RateRule): Map<string, RateCounters> => {
    const known = rules.get(rule.name) ?? new Map<string, RateCounters>();
    rules.set(rule.name, known);
    return known;
  };
  const judge = ({ max }: RateRule, counters: RateCounters, sinceMs: number): RateVerdict => {
    const retryAfterMs = waitMs(counters, { max, sinceMs });
    return { allowed: retryAfterMs === 0, retryAfterMs };
  };
  return {
    async look(rule, key) {
      const counters = keysOf(rule).get(key) ?? openCounters();
      return judge(rule, counters, now() - rule.windowMs);
    },
    async take(rule, key) {
      const keys = keysOf(rule);
      const counters = keys.get(key) ?? openCounters();
      const nowMs = now();
      const sinceMs = nowMs - rule.windowMs;
      forgetBefore(counters, sinceMs);
      const verdict = judge(rule, counters, sinceMs);
      if (verdict.allowed) addHit(counters, nowMs, stepMsOf(rule.windowMs, rule.max));
      // Deleted first, so that the key moves to the end: the map is in order of use.
      keys.delete(key);
      keys.set(key, counters);
      if (keys.size > rateKeysMax) forgetOldest(keys);
      return verdict;
    },
    async giveBack(rule, key) {
      const counters = keysOf(rule).get(key);
      if (counters !== undefined) removeHit(counters);
    },
  };
}

function forgetOldest(keys: Map<string, unknown>): void {
  const oldest = keys.keys().next();
  if (!oldest.done) keys.delete(oldest.value);
}
