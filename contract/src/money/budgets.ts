/** Budgets of tokens. */

import { z } from "zod";

/**
 * The windows of budgets, in which a token may spend only so much. Weeks begin on Monday, days at
 * midnight in the zone of option `TimeZone`.
 */
export type BudgetKind = "day" | "month" | "week";

const whole = z.number().int();

/** How much of a budget is spent in its present window. */
export const budgetState = z.object({
  window: z.enum(["day", "week", "month"]),
  /** Quota units. */
  limit: whole,
  spent: whole,
  /** When the window ends, in Unix seconds. */
  resets_at: whole,
});
export type BudgetState = z.infer<typeof budgetState>;
