import { expect, test } from "bun:test";
import { openRateLimits, type RateRule } from "#base/rate-limit.ts";
import { openLimits } from "./limits.ts";

const rule: RateRule = { name: "calls", windowMs: 60_000, max: 10 };
const guard: RateRule = { name: "passwords", windowMs: 60_000, max: 5, exact: true };

/** Opens the limits of several nodes that share a database. */
function openNodes(count: number) {
  let nowMs = 1_000;
  const nodes = { count };
  const database = openRateLimits({ now: () => nowMs });
  const asked = { count: 0 };
  const attempts = {
    async takeAttempt(...asks: Parameters<typeof database.take>) {
      asked.count += 1;
      return await database.take(...asks);
    },
    lookAttempt: database.look,
    giveBackAttempt: database.giveBack,
  };
  const opened = Array.from({ length: count }, () =>
    openLimits({
      now: () => nowMs,
      nodeCount: () => nodes.count,
      attempts,
      nodeId: crypto.randomUUID(),
      secrets: { fingerprint: "a" },
      database: { dialect: "postgres" },
      redisUrl: null,
      log: { info() {}, warn() {} },
    }),
  );
  const take = async (each: RateRule, hits: number): Promise<number> => {
    let allowed = 0;
    for (let hit = 0; hit < hits; hit += 1) {
      const node = opened[hit % count];
      if ((await node?.limits.take(each, "a"))?.allowed === true) allowed += 1;
    }
    return allowed;
  };
  return { nodes, opened, take, asked, pass: (ms: number) => (nowMs += ms) };
}

test("three nodes together allow a limit of calls once, not three times", async () => {
  const { take } = openNodes(3);
  expect(await take(rule, 60)).toBe(9);
});

test("a node that leaves gives its part to the others at once", async () => {
  const { nodes, take, pass } = openNodes(3);
  await take(rule, 60);
  nodes.count = 1;
  expect((await take(rule, 60)) / 3).toBe(7);
  pass(60_001);
});

test("a limit below the number of nodes is one a node, never none", async () => {
  const { take, opened } = openNodes(20);
  expect(await take(rule, 200)).toBe(20);
  expect(opened[0]?.nodeShare(3)).toBe(1);
});

test("what guards accounts is counted once, whichever node is asked, and a refusal is remembered", async () => {
  const { take, asked, pass } = openNodes(3);
  expect(await take(guard, 60)).toBe(5);
  // Each node asked once more, and then knew for a second.
  expect(asked.count).toBe(8);
  pass(1_001);
  expect(await take(guard, 3)).toBe(0);
  expect(asked.count).toBe(11);
});

test("an attempt that was harmless opens the way again at once", async () => {
  const { take, opened } = openNodes(1);
  expect(await take(guard, 6)).toBe(5);
  await opened[0]?.limits.giveBack(guard, "a");
  expect(await take(guard, 1)).toBe(1);
});
