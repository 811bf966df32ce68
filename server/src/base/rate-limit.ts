/**
 * Rate limits of the whole program: within any `windowMs` no more than `max` hits are allowed.
 * Limits up to 64 are exact; with higher ones, a hit may count up to a sixtieth of the window
 * longer (`rate-counters.ts`). Where several nodes share a database, `limits/` says who counts.
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
  /**
   * True: the limit guards accounts or mailboxes, so that nodes which share a database count
   * together in it. Absent: where nothing else is shared, each node allows its part of the limit.
   */
  readonly exact?: true;
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

export type MemoryLimits = RateLimits & {
  /** Counts a hit that somebody else has allowed. */
  note(rule: RateRule, key: string): void;
};

type MemoryTerms = {
  /** Returns milliseconds that never go back. */
  readonly now: () => number;
  /** Returns this process's part of a limit; absent: it has all of it. */
  readonly share?: (max: number) => number;
};

/** Opens rate limits that are kept in memory. */
export function openRateLimits({ now, share = (max) => max }: MemoryTerms): MemoryLimits {
  const rules = new Map<string, Map<string, RateCounters>>();
  const keysOf = (rule: RateRule): Map<string, RateCounters> => {
    const known = rules.get(rule.name) ?? new Map<string, RateCounters>();
    rules.set(rule.name, known);
    return known;
  };
  const judge = ({ max }: RateRule, counters: RateCounters, sinceMs: number): RateVerdict => {
    const retryAfterMs = waitMs(counters, { max: share(max), sinceMs });
    return { allowed: retryAfterMs === 0, retryAfterMs };
  };
  /** Returns the counters of a key, as the one that was used last. */
  const used = (rule: RateRule, key: string, nowMs: number): RateCounters => {
    const keys = keysOf(rule);
    const counters = keys.get(key) ?? openCounters();
    forgetBefore(counters, nowMs - rule.windowMs);
    // Deleted first, so that the key moves to the end: the map is in order of use.
    keys.delete(key);
    keys.set(key, counters);
    if (keys.size > rateKeysMax) forgetOldest(keys);
    return counters;
  };
  return {
    async look(rule, key) {
      const counters = keysOf(rule).get(key) ?? openCounters();
      return judge(rule, counters, now() - rule.windowMs);
    },
    async take(rule, key) {
      const nowMs = now();
      const counters = used(rule, key, nowMs);
      const verdict = judge(rule, counters, nowMs - rule.windowMs);
      if (verdict.allowed) addHit(counters, nowMs, stepMsOf(rule.windowMs, rule.max));
      return verdict;
    },
    note(rule, key) {
      const nowMs = now();
      addHit(used(rule, key, nowMs), nowMs, stepMsOf(rule.windowMs, rule.max));
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
