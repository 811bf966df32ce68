import { expect, test } from "bun:test";
import { openBudgetJudge } from "./budget-judge.ts";
import { type BudgetClaim, claimBudgets } from "./budgets.ts";

const tokenId = 1;
const daySeconds = 86_400;
const claimAt = (at: number): BudgetClaim =>
  claimBudgets({ day: 100, week: 0, month: 1_000 }, "UTC", at);

test("a call of a month's last moment is decided, although the next month has begun meanwhile", async () => {
  const judge = openBudgetJudge({
    push: async () => await Promise.resolve({ type: "spent", amounts: [0, 0] }),
  });
  const monthEnd = Date.UTC(2026, 11, 1) / 1_000;
  for (let days = 20; days > 0; days -= 1) {
    await judge.open(tokenId, claimAt(monthEnd - days * daySeconds));
  }
  const last = claimAt(monthEnd - 1);
  await judge.open(tokenId, claimAt(monthEnd));

  expect(judge.find(tokenId, last)?.map(({ window }) => window.kind)).toEqual(["day", "month"]);
});
