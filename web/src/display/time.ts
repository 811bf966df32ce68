/** Formats times, which the API gives in Unix seconds, in the browser's time zone. */

import dayjs from "dayjs";

/**
 * Writes a time as `2026-11-21 14:57:44`. Times of 0 and below, which mean "not yet" or "never",
 * become `none`.
 */
export function showTime(seconds: number, none: string): string {
  return seconds > 0 ? dayjs.unix(seconds).format("YYYY-MM-DD HH:mm:ss") : none;
}

/** Writes the day of a time: `2026-11-21`. */
export function showDay(seconds: number): string {
  return dayjs.unix(seconds).format("YYYY-MM-DD");
}

/** Writes a time with its time zone, for tooltips: `2026-11-21 14:57:44 (UTC+08:00)`. */
export function showTimeExactly(seconds: number): string {
  return dayjs.unix(seconds).format("YYYY-MM-DD HH:mm:ss [(UTC]Z[)]");
}
