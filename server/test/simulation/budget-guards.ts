/** Guards of tokens' budgets in the judge. */

import type { Guard } from "./memory-guards.ts";

const judge = "src/modules/ledger/judge.ts";
const budgetJudge = "src/modules/ledger/budgets/budget-judge.ts";

export const budgetGuards: readonly Guard[] = [
  {
    name: "a call is refused when a budget has less left than it needs",
    policy: "whole",
    file: judge,
    from: "if (scarce !== undefined && left < least) return",
    to: "if (scarce === null) return",
  },
  {
    name: "an extension is no more than a budget has left",
    policy: "whole",
    file: judge,
    from: "const left = leftOf(reservation.budgets, want);",
    to: "const left = want;",
  },
  {
    name: "a charge is no more than a budget has left",
    policy: "whole",
    file: judge,
    from: "const left = scarce === undefined ? charge : Math.max(amount, freeOf(scarce));",
    to: "const left = charge;",
  },
  {
    name: "what was charged is not left of the budget any more",
    policy: "whole",
    file: judge,
    from: "for (const budget of budgets) budget.granted -= charged;",
    to: "",
  },
  {
    name: "the scarcest budget decides",
    policy: "whole",
    file: judge,
    from: "if (found === undefined || freeOf(budget) < freeOf(found)) found",
    to: "if (found === undefined) found",
  },
  {
    name: "what a hold was on a budget is free after its end",
    policy: "whole",
    file: judge,
    from: "for (const budget of reservation.budgets) budget.held -= reservation.amount;",
    to: "for (const budget of reservation.budgets) budget.held -= 2 * reservation.amount;",
  },
  {
    name: "what was spent in a window before a start counts",
    policy: "whole",
    file: budgetJudge,
    from: "budget.granted -= result.amounts[index] ?? 0;",
    to: "",
  },
];
