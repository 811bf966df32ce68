/** The spans of time that screens of sums show. */

import { dashboardDaysMax, type NamedSpan } from "@tollgate/contract/endpoints/dashboard.ts";
import {
  addDays,
  daySeconds,
  hourSeconds,
  startOfDay,
} from "@tollgate/contract/fields/time-zone.ts";
import { Refusal } from "#base/refusal.ts";

/** A span of whole hours in Unix seconds; `end` is exclusive. */
type WholeHours = { readonly start: number; readonly end: number };

export type SentSpan = {
  readonly span?: NamedSpan;
  readonly start_timestamp?: number | undefined;
  readonly end_timestamp?: number | undefined;
};

/** How many days ago the named spans begin. */
const daysAgo: Readonly<Record<NamedSpan, number>> = {
  today: 0,
  yesterday: 1,
  "3d": 2,
  "7d": 6,
  "30d": 29,
};

/**
 * Reads a span and widens it to whole hours. A named span that ends today ends at midnight.
 *
 * @param now Unix seconds.
 */
export function readSpan(
  { span: name = "3d", start_timestamp: start = 0, end_timestamp: end = 0 }: SentSpan,
  { zone, now }: { readonly zone: string; readonly now: number },
): WholeHours {
  if (start <= 0) {
    const today = startOfDay(zone, now);
    const days = name === "yesterday" ? 0 : 1;
    return { start: addDays(zone, today, -daysAgo[name]), end: addDays(zone, today, days) };
  }
  const until = end > 0 ? Math.min(end, now + dashboardDaysMax * daySeconds) : now;
  const whole = Math.ceil((until + 1) / hourSeconds) * hourSeconds;
  const first = start - (start % hourSeconds);
  if (first >= whole) throw new Refusal("invalid-input", "开始时间必须早于结束时间");
  return { start: first, end: whole };
}

/** @throws Refusal `invalid-input` when a span has more days than the longest. */
export function requireSpan({ start, end }: WholeHours, days: number): void {
  // An hour more than the days have, because clocks are set back once a year.
  if (end - start > days * daySeconds + hourSeconds) {
    throw new Refusal("invalid-input", `时间跨度不能超过 ${days} 天`);
  }
}
