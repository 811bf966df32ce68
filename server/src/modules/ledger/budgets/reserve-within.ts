/**
 * Holds quota for the calls that more than balance and quota limit: by the budgets of their token,
 * or by the spend stop. All other calls pass by this file.
 */

import { unixSeconds } from "#base/clock.ts";
import { type BudgetLimits, claimBudgets } from "./budgets.ts";
import type { ReserveInput } from "#modules/ledger/hold.ts";
import type { Holds, ReserveAnswer } from "#modules/ledger/holds.ts";
import type { OverLimit, SpendLimits, SpendRules } from "./spend-limits.ts";

type Limited = ReserveInput & { readonly budgets: BudgetLimits | null };

type Rules = {
  readonly spendRules: SpendRules;
  /** The zone whose days, weeks and months budgets have. */
  readonly timeZone: string;
};

export type ReserveWithin = (input: Limited, rules: Rules) => Promise<OverLimit | ReserveAnswer>;

/** @param now returns Unix milliseconds. */
export function openReserveWithin(
  reserve: Holds["reserve"],
  spend: SpendLimits,
  now: () => number,
): ReserveWithin {
  return async ({ budgets, ...input }, { spendRules, timeZone }) => {
    const budget =
      budgets === null ? undefined : claimBudgets(budgets, timeZone, unixSeconds(now()));
    const { userHour, gatewayMinute } = spendRules;
    if (userHour === 0 && gatewayMinute === 0) return await reserve({ ...input, budget });
    const { userId, least, want } = input;
    const left = spend.left(spendRules, userId);
    if (left < least || left <= 0) return spend.refusal(spendRules, userId);
    const answer = await reserve({ ...input, budget, want: Math.min(want, left) });
    if (answer.kind !== "held") return answer;
    return { kind: "held", hold: spend.watch(spendRules, userId, answer.hold) };
  };
}
