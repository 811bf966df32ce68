import { expect, test } from "bun:test";
import { openRateLimits, rateKeysMax, type RateRule } from "./rate-limit.ts";

const rule: RateRule = { name: "test", windowMs: 1_000, max: 3 };

test("in any window no more than allowed, however they are spread", async () => {
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

test("whoever waits as long as told is let through, and no sooner", async () => {
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

test("looking says what taking would, and counts nothing", async () => {
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

test("keys and rules do not count for one another", async () => {
  const limits = openRateLimits({ now: () => 0 });
  for (let count = 0; count < 4; count += 1) await limits.take(rule, "a");

  expect((await limits.take(rule, "a")).allowed).toBe(false);
  expect((await limits.take(rule, "b")).allowed).toBe(true);
  expect((await limits.take({ ...rule, name: "other" }, "a")).allowed).toBe(true);
});

test("what is given back can be taken again", async () => {
  const limits = openRateLimits({ now: () => 0 });
  for (let count = 0; count < 3; count += 1) await limits.take(rule, "a");
  await limits.giveBack(rule, "a");
  await limits.giveBack(rule, "never seen");

  expect((await limits.take(rule, "a")).allowed).toBe(true);
  expect((await limits.take(rule, "a")).allowed).toBe(false);
});

// Keys come from outside: without a bound, sending many would fill the memory.
test("of many keys the one longest unused is forgotten, one in use never", async () => {
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
