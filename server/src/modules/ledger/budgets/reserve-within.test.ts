import { expect, test } from "bun:test";
import type { ReserveInput } from "#modules/ledger/hold.ts";
import type { Holds } from "#modules/ledger/holds.ts";
import { call, openTestHolds } from "#modules/ledger/testing/holds.ts";
import { openReserveWithin } from "./reserve-within.ts";
import { openSpendLimits } from "./spend-limits.ts";

const noRules = { userHour: 0, gatewayMinute: 0 };
const within = (reserve: Holds["reserve"]) => {
  const spend = openSpendLimits({ nodeCount: () => 1, elapsed: () => 0 });
  return openReserveWithin(reserve, spend, () => Date.UTC(2026, 10, 25, 15));
};

test("P-M11: a call that would exceed the user's hour is refused, and a stream begins with less", async () => {
  const { holds } = openTestHolds("whole");
  const reserve = within(holds.reserve);
  const rules = { spendRules: { userHour: 60, gatewayMinute: 0 }, timeZone: "UTC" };
  expect(await reserve({ ...call, budgets: null }, rules)).toMatchObject({ kind: "held" });
  expect(await reserve({ ...call, id: "r2", budgets: null }, rules)).toEqual({
    kind: "over-limit",
    by: "user",
    most: 60,
    retryAfterSeconds: 60,
  });
  const stream = await reserve({ ...call, id: "r3", least: 1, budgets: null }, rules);
  expect(stream.kind === "held" && stream.hold.amount()).toBe(20);
});

test("a token's budgets become the windows of the present day, week and month", async () => {
  const asked: ReserveInput[] = [];
  const reserve = within((input) => {
    asked.push(input);
    return { kind: "unavailable" };
  });
  const budgets = { day: 5, week: 0, month: 9 };
  await reserve({ ...call, budgets }, { spendRules: noRules, timeZone: "UTC" });
  expect(asked[0]?.budget?.windows.map(({ kind, limit }) => [kind, limit])).toEqual([
    ["day", 5],
    ["month", 9],
  ]);
});
