/**
 * The time windows for which admins see consumption, and what all users together used in them. The
 * sum over a month has to read the month's rows of the hourly roll-up, so it is kept: the whole
 * month is read once an hour, and in between only its last hours.
 */

import type { AdminUser } from "@tollgate/contract/endpoints/users.ts";
import { unixSeconds } from "#base/clock.ts";

const hourSeconds = 3_600;
const dayHours = 24;

/** Starts, in Unix seconds, of the windows of 1, 7 and 30 days that end with the current hour. */
export function windowStarts(nowSeconds: number): { day: number; week: number; month: number } {
  const next = (Math.floor(nowSeconds / hourSeconds) + 1) * hourSeconds;
  const daysAgo = (days: number): number => next - days * dayHours * hourSeconds;
  return { day: daysAgo(1), week: daysAgo(7), month: daysAgo(30) };
}

type Windows = Pick<AdminUser, "one_day" | "one_week" | "one_month">;
type HourSum = { readonly hour: number; readonly quota: number };

/** How long the kept sums are used before their last hours are read again. */
const keptMs = 60_000;

/**
 * How many of the last hours are read again, because their sums still grow: a call counts in the
 * hour in which it began, but only once it has ended.
 */
const growingHours = 2;

const monthSeconds = 30 * dayHours * hourSeconds;

/**
 * Keeps what all users together used in the windows.
 * @param readHourSums reads the sum of each hour from a start on; times are Unix seconds.
 * @param now Unix milliseconds.
 * @returns a function that returns these amounts, which may be a minute old.
 */
export function openTotals(
  readHourSums: (start: number) => Promise<readonly HourSum[]>,
  now: () => number,
): () => Promise<Windows> {
  const sums = new Map<number, number>();
  /** Start, in Unix seconds, of the month whose hours are in `sums`; 0 when `sums` is empty. */
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
