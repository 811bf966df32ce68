import { expect, test } from "bun:test";
import type { OpenHold } from "#modules/ledger/hold.ts";
import { openSpendLimits } from "./spend-limits.ts";
import { chargedLog } from "#modules/ledger/testing/calls.ts";

const log = chargedLog();
const rules = { userHour: 100, gatewayMinute: 0 };

function openTest() {
  const clock = { ms: 7_200_000, nodes: 1 };
  const limits = openSpendLimits({ nodeCount: () => clock.nodes, elapsed: () => clock.ms });
  return { clock, limits };
}

/** A hold of this amount that grants every extension. */
function holdOf(amount: number): OpenHold {
  let held = amount;
  return {
    amount: () => held,
    extend(want) {
      held += want;
      return want;
    },
    shortOf: () => "user",
    settle: async ({ charge }) => ({ charged: charge, writeOff: 0 }),
    reverse() {},
    release() {},
  };
}

test("P-M11: a user's hour counts what is held and what was charged", async () => {
  const { clock, limits } = openTest();
  const first = limits.watch(rules, 7, holdOf(60));
  expect(limits.left(rules, 7)).toBe(40);
  expect(limits.left(rules, 8)).toBe(100);
  await first.settle({ charge: 25, log });
  expect(limits.left(rules, 7)).toBe(75);
  limits.watch(rules, 7, holdOf(75)).release();
  expect(limits.left(rules, 7)).toBe(75);

  clock.ms += 59 * 60_000;
  expect(limits.left(rules, 7)).toBe(75);
  clock.ms += 60_000;
  expect(limits.left(rules, 7)).toBe(100);
});

test("P-M11: a stream is extended no further than the limit", async () => {
  const { limits } = openTest();
  const hold = limits.watch(rules, 7, holdOf(60));
  expect(await hold.extend(30)).toBe(30);
  expect(await hold.extend(30)).toBe(10);
  expect(await hold.extend(1)).toBe(0);
  expect(limits.refusal(rules, 7)).toEqual({
    kind: "over-limit",
    by: "user",
    most: 100,
    retryAfterSeconds: 60,
  });
});

test("P-M11: the gateway's minute counts the calls of all users, and passes", async () => {
  const { clock, limits } = openTest();
  const minute = { userHour: 0, gatewayMinute: 50 };
  await limits.watch(minute, 7, holdOf(30)).settle({ charge: 30, log });
  await limits.watch(minute, 8, holdOf(20)).settle({ charge: 20, log });
  expect(limits.left(minute, 9)).toBe(0);
  expect(limits.refusal(minute, 9)).toMatchObject({ by: "gateway", most: 50 });
  clock.ms += 60_000;
  expect(limits.left(minute, 9)).toBe(50);
});

test("P-M11: nodes that share the database allow their parts of a limit", () => {
  const { clock, limits } = openTest();
  clock.nodes = 3;
  expect(limits.left(rules, 7)).toBe(33);
});
