import { describe, expect, test } from "bun:test";
import { addHit, countersMax, openCounters, stepMsOf } from "./rate-counters.ts";
import { openRateLimits, rateKeysMax, type RateRule, type RateVerdict } from "./rate-limit.ts";
import { type Random, seededRandom } from "./testing/random.ts";

const rule: RateRule = { name: "test", windowMs: 1_000, max: 3 };

test("no window admits more than the limit, however the hits are spread", async () => {
  let nowMs = 0;
  const limits = openRateLimits({ now: () => nowMs });
  const allowedAt: number[] = [];
  for (nowMs = 0; nowMs < 10_000; nowMs += 70) {
    if ((await limits.take(rule, "a")).allowed) allowedAt.push(nowMs);
  }

  for (const start of allowedAt) {
    const inWindow = allowedAt.filter((time) => time >= start && time < start + rule.windowMs);
    expect(inWindow.length).toBeLessThanOrEqual(rule.max);
  }
  expect(allowedAt.length).toBeGreaterThan(25);
});

test("a caller that waits for `retryAfterMs` is admitted, and not before", async () => {
  let nowMs = 0;
  const limits = openRateLimits({ now: () => nowMs });
  for (const time of [0, 400, 500]) {
    nowMs = time;
    expect(await limits.take(rule, "a")).toEqual({ allowed: true, retryAfterMs: 0 });
  }
  nowMs = 600;
  const { allowed, retryAfterMs } = await limits.take(rule, "a");

  expect(allowed).toBe(false);
  nowMs = 600 + retryAfterMs - 1;
  expect((await limits.take(rule, "a")).allowed).toBe(false);
  nowMs = 600 + retryAfterMs;
  expect((await limits.take(rule, "a")).allowed).toBe(true);
});

test("`look` gives the verdict of `take` and counts nothing", async () => {
  const limits = openRateLimits({ now: () => 0 });
  for (let count = 0; count < 2; count += 1) await limits.take(rule, "a");
  for (let count = 0; count < 5; count += 1) {
    expect((await limits.look(rule, "a")).allowed).toBe(true);
  }
  await limits.take(rule, "a");

  const seen = await limits.look(rule, "a");
  expect(seen).toEqual({ allowed: false, retryAfterMs: rule.windowMs });
  expect(await limits.take(rule, "a")).toEqual(seen);
});

test("keys and rules are counted separately", async () => {
  const limits = openRateLimits({ now: () => 0 });
  for (let count = 0; count < 4; count += 1) await limits.take(rule, "a");

  expect((await limits.take(rule, "a")).allowed).toBe(false);
  expect((await limits.take(rule, "b")).allowed).toBe(true);
  expect((await limits.take({ ...rule, name: "other" }, "a")).allowed).toBe(true);
});

test("a hit that was given back can be taken again", async () => {
  const limits = openRateLimits({ now: () => 0 });
  for (let count = 0; count < 3; count += 1) await limits.take(rule, "a");
  await limits.giveBack(rule, "a");
  await limits.giveBack(rule, "never seen");

  expect((await limits.take(rule, "a")).allowed).toBe(true);
  expect((await limits.take(rule, "a")).allowed).toBe(false);
});

// Clients choose the keys, so without a limit they could fill the memory.
test("beyond the limit of keys the least recently used one is dropped", async () => {
  const limits = openRateLimits({ now: () => 0 });
  for (let count = 0; count < 3; count += 1) {
    await limits.take(rule, "used");
    await limits.take(rule, "unused");
  }
  for (let key = 0; key < rateKeysMax; key += 1) {
    await limits.take(rule, `key ${key}`);
    if (key % 1_000 === 0) await limits.take(rule, "used");
  }

  expect((await limits.take(rule, "used")).allowed).toBe(false);
  expect((await limits.take(rule, "unused")).allowed).toBe(true);
});

/** Returns the verdict of an exact sliding window, computed from all hits that were counted. */
function exactLimit(hitsMs: readonly number[], { windowMs, max }: RateRule, nowMs: number) {
  const counted = hitsMs.filter((time) => time > nowMs - windowMs);
  return counted.length < max
    ? { allowed: true, retryAfterMs: 0 }
    : { allowed: false, retryAfterMs: (counted.at(-max) ?? 0) + windowMs - nowMs };
}

/**
 * Calls `take`, `look` and `giveBack` at random times. `check` gets each verdict and the hits that
 * were counted before it.
 */
async function playAtRandom(
  seed: number,
  ruleOf: (random: Random, step: number) => RateRule,
  check: (verdict: RateVerdict, hitsMs: readonly number[], nowMs: number, rule: RateRule) => void,
): Promise<void> {
  const random = seededRandom(seed);
  let nowMs = random.between(0, 100_000);
  const limits = openRateLimits({ now: () => nowMs });
  const hitsMs: number[] = [];
  for (let step = 0; step < 600; step += 1) {
    const rule = ruleOf(random, step);
    // Simulates bursts, a steady flow, and pauses longer than the window.
    const pause = random.pick([0, 0, rule.windowMs / rule.max, rule.windowMs / 10]);
    nowMs += random.chance(0.02) ? rule.windowMs * 2 : random.between(0, Math.ceil(pause));
    check(await limits.look(rule, "a"), hitsMs, nowMs, rule);
    const verdict = await limits.take(rule, "a");
    check(verdict, hitsMs, nowMs, rule);
    if (verdict.allowed) hitsMs.push(nowMs);
    if (random.chance(0.1)) {
      await limits.giveBack(rule, "a");
      hitsMs.pop();
    }
  }
}

describe("compared with an exact sliding window", () => {
  test(`limits up to ${countersMax} give the same verdicts and waiting times`, async () => {
    for (let seed = 0; seed < 100; seed += 1) {
      const windowMs = seededRandom(seed).between(1_000, 90_000);
      const max = seededRandom(seed).between(1, countersMax);
      await playAtRandom(
        seed,
        () => ({ name: "test", windowMs, max }),
        (verdict, hitsMs, nowMs, rule) => {
          expect(verdict, `seed ${seed}`).toEqual(exactLimit(hitsMs, rule, nowMs));
        },
      );
    }
  });

  test("higher limits never admit more, and refuse only what a window 1/60 longer would refuse", async () => {
    for (let seed = 0; seed < 100; seed += 1) {
      const windowMs = seededRandom(seed).between(1_000, 90_000);
      const max = seededRandom(seed).between(countersMax + 1, 300);
      await playAtRandom(
        seed,
        () => ({ name: "test", windowMs, max }),
        (verdict, hitsMs, nowMs, rule) => {
          const longer = { ...rule, windowMs: windowMs + Math.ceil(windowMs / 60) };
          const strictest = exactLimit(hitsMs, longer, nowMs);
          if (verdict.allowed) {
            expect(exactLimit(hitsMs, rule, nowMs).allowed, `seed ${seed}`).toBe(true);
          } else {
            expect(strictest.allowed, `seed ${seed}`).toBe(false);
            expect(verdict.retryAfterMs).toBeLessThanOrEqual(strictest.retryAfterMs);
          }
        },
      );
    }
  });

  // Root may change the limit and its window at any time.
  test("after a limit was changed, no window exceeds the new one", async () => {
    for (let seed = 0; seed < 100; seed += 1) {
      let rule: RateRule = { name: "test", windowMs: 60_000, max: 60 };
      await playAtRandom(
        seed,
        (random) => {
          // The window only ever gets shorter: hits that a shorter window has forgotten could not
          // count again in a longer one.
          if (random.chance(0.02)) {
            rule = { ...rule, windowMs: rule.windowMs * 0.9, max: random.between(1, 300) };
          }
          return rule;
        },
        (verdict, hitsMs, nowMs, current) => {
          if (!verdict.allowed) return;
          expect(exactLimit(hitsMs, current, nowMs).allowed, `seed ${seed}`).toBe(true);
        },
      );
    }
  });
});

test("a key has at most 64 counters, whatever its limit and however that changes", () => {
  const random = seededRandom(1);
  const counters = openCounters();
  let nowMs = 0;
  for (let hit = 0; hit < 100_000; hit += 1) {
    nowMs += random.between(0, 2_000);
    const windowMs = random.pick([1_000, 60_000, 3_600_000]);
    addHit(counters, nowMs, stepMsOf(windowMs, random.pick([1, 64, 65, 1_000_000])));
    expect(counters.endsMs.length).toBeLessThanOrEqual(countersMax);
    expect(counters.counts.length).toBe(counters.endsMs.length);
  }
  expect(counters.counts.reduce((sum, count) => sum + count)).toBe(100_000);
});
