/**
 * The windows of budgets, in which a token may spend only so much. Weeks begin on Monday, days at
 * midnight in the zone of option `TimeZone`.
 */
export type BudgetKind = "day" | "month" | "week";
