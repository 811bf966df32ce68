/**
 * Budgets of tokens: how much a token may spend in a day, a week and a month. A budget is an account
 * beside the user's balance and the token's quota. A call counts in the windows that contain its
 * reservation, whenever it ends.
 */

import {
  addDays,
  startOfDay,
  startOfMonth,
  startOfWeek,
} from "@tollgate/contract/fields/time-zone.ts";
import type { BudgetKind } from "@tollgate/contract/money/budgets.ts";

/** How much a token may spend in each window, in quota units; 0: any amount. */
export type BudgetLimits = { readonly [Kind in BudgetKind]: number };

/** A day, a week or a month. Times in Unix seconds. */
type BudgetSpan = { readonly start: number; readonly end: number };

/** A window in which a token may spend up to `limit` quota units. */
export type BudgetWindow = BudgetSpan & { readonly kind: BudgetKind; readonly limit: number };

/** The budgets in which a call counts. */
export type BudgetClaim = {
  /** When the call was reserved, in Unix seconds. It lies in each of the windows. */
  readonly at: number;
  readonly windows: readonly BudgetWindow[];
};

type Spans = { readonly [Kind in BudgetKind]: BudgetSpan };

/** Returns the day, the week and the month, in the zone, that contain a time. */
function spansAt(zone: string, at: number): Spans {
  const week = startOfWeek(zone, at);
  return {
    day: { start: startOfDay(zone, at), end: addDays(zone, at, 1) },
    week: { start: week, end: addDays(zone, week, 7) },
    month: { start: startOfMonth(zone, at), end: startOfMonth(zone, at, 1) },
  };
}

let known: { readonly zone: string; readonly spans: Spans } | null = null;

/** Does what `spansAt` does. All calls of a day share one result. */
function presentSpans(zone: string, at: number): Spans {
  if (known?.zone === zone && at >= known.spans.day.start && at < known.spans.day.end) {
    return known.spans;
  }
  known = { zone, spans: spansAt(zone, at) };
  return known.spans;
}

const budgetKinds = ["day", "week", "month"] as const;

/** Returns the budgets in which a call counts that is reserved at `at`. */
export function claimBudgets(limits: BudgetLimits, zone: string, at: number): BudgetClaim {
  const spans = presentSpans(zone, at);
  const windows = budgetKinds.flatMap((kind) =>
    limits[kind] === 0 ? [] : [{ kind, limit: limits[kind], ...spans[kind] }],
  );
  return { at, windows };
}
