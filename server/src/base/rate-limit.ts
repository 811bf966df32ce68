/**
 * How often something may be done. One function decides for the whole program; it may answer
 * later, so that several nodes can one day ask one store.
 *
 * Exact sliding windows: within any `windowMs` no more than `max` are allowed.
 */

export type RateRule = {
  /** Separates the keys of one rule from those of another. */
  readonly name: string;
  readonly windowMs: number;
  readonly max: number;
};

export type RateVerdict = {
  readonly allowed: boolean;
  /** 0 when allowed, else when the next one will be. */
  readonly retryAfterMs: number;
};

export type RateLimits = {
  /** Counts one more for `key`, unless that is one too many. */
  take(rule: RateRule, key: string): Promise<RateVerdict>;
  /** What `take` would say; counts nothing. */
  look(rule: RateRule, key: string): Promise<RateVerdict>;
  /** Takes back the newest one counted for `key`: what was tried turned out to be harmless. */
  giveBack(rule: RateRule, key: string): Promise<void>;
};

/** Most keys a rule remembers. Beyond it the one longest unused is forgotten. */
export const rateKeysMax = 10_000;

/** @param now milliseconds that never go back. */
export function openRateLimits({ now }: { readonly now: () => number }): RateLimits {
  const rules = new Map<string, Map<string, number[]>>();
  const keysOf = (rule: RateRule): Map<string, number[]> => {
    const known = rules.get(rule.name) ?? new Map<string, number[]>();
    rules.set(rule.name, known);
    return known;
  };
  const judge = (rule: RateRule, times: readonly number[], since: number): RateVerdict => {
    const oldest = times.at(-rule.max);
    return times.length < rule.max || oldest === undefined
      ? { allowed: true, retryAfterMs: 0 }
      : { allowed: false, retryAfterMs: Math.max(1, oldest - since) };
  };
  return {
    async look(rule, key) {
      const since = now() - rule.windowMs;
      const times = (keysOf(rule).get(key) ?? []).filter((time) => time > since);
      return judge(rule, times, since);
    },
    async take(rule, key) {
      const keys = keysOf(rule);
      const nowMs = now();
      const since = nowMs - rule.windowMs;
      const times = (keys.get(key) ?? []).filter((time) => time > since);
      const verdict = judge(rule, times, since);
      if (verdict.allowed) times.push(nowMs);
      // Deleted first, so that the key moves to the end: the map is kept in order of use.
      keys.delete(key);
      keys.set(key, times);
      if (keys.size > rateKeysMax) forgetOldest(keys);
      return verdict;
    },
    async giveBack(rule, key) {
      keysOf(rule).get(key)?.pop();
    },
  };
}

function forgetOldest(keys: Map<string, unknown>): void {
  const oldest = keys.keys().next();
  if (!oldest.done) keys.delete(oldest.value);
}
