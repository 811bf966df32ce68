/**
 * The windows in which admins see consumption, and what everybody used in them. Adding up a month
 * of everybody's use reads every row of it, so that is done once an hour, and in between only what
 * the last hours came to.
 */

import type { AdminUser } from "@tollgate/contract/users.ts";
import { unixSeconds } from "#base/clock.ts";

const hourSeconds = 3_600;
const dayHours = 24;

/** Starts of the windows of 1, 7 and 30 days whose last hour is the present one. Unix seconds. */
export function windowStarts(nowSeconds: number): { day: number; week: number; month: number } {
  const next = (Math.floor(nowSeconds / hourSeconds) + 1) * hourSeconds;
  const daysAgo = (days: number): number => next - days * dayHours * hourSeconds;
  return { day: daysAgo(1), week: daysAgo(7), month: daysAgo(30) };
}

type Windows = Pick<AdminUser, "one_day" | "one_week" | "one_month">;
type HourSum = { readonly hour: number; readonly quota: number };

/** How long the sums are taken as they are. */
const keptMs = 60_000;

/** Hours that grow as calls end, which count in the hour they began. */
const growingHours = 2;

const monthSeconds = 30 * dayHours * hourSeconds;

/**
 * @param readHourSums sums per hour from a start on, in Unix seconds.
 * @param now Unix milliseconds.
 * @returns what everybody used in the windows, at most a minute ago.
 */
export function openTotals(
  readHourSums: (start: number) => Promise<readonly HourSum[]>,
  now: () => number,
): () => Promise<Windows> {
  const sums = new Map<number, number>();
  /** Start of the month that `sums` holds; 0: none. */
  let monthRead = 0;
  let readAtMs = Number.NEGATIVE_INFINITY;

  async function refresh(nowMs: number): Promise<void> {
    const { month } = windowStarts(unixSeconds(nowMs));
    const isNewHour = month !== monthRead;
    const start = isNewHour ? month : month + monthSeconds - growingHours * hourSeconds;
    const read = await readHourSums(start);
    if (isNewHour) sums.clear();
    for (const { hour, quota } of read) sums.set(hour, quota);
    monthRead = month;
    readAtMs = nowMs;
  }

  let reading: Promise<void> | undefined;
  return async () => {
    const nowMs = now();
    if (Math.abs(nowMs - readAtMs) >= keptMs) {
      reading ??= refresh(nowMs).finally(() => {
        reading = undefined;
      });
      await reading;
    }
    return addUp(sums, unixSeconds(nowMs));
  };
}

function addUp(sums: ReadonlyMap<number, number>, nowSeconds: number): Windows {
  const { day, week, month } = windowStarts(nowSeconds);
  const totals = { one_day: 0, one_week: 0, one_month: 0 };
  for (const [hour, quota] of sums) {
    if (hour >= day) totals.one_day += quota;
    if (hour >= week) totals.one_week += quota;
    if (hour >= month) totals.one_month += quota;
  }
  return totals;
}
