/** Times for people, from the Unix seconds of the API, in the browser's zone. */

import dayjs from "dayjs";
import type { T } from "#i18n/t.ts";

/** `2026-11-21 14:57:44`; `none` for 0 and below, which mean "not yet" or "never". */
export function showTime(seconds: number, none: string): string {
  return seconds > 0 ? dayjs.unix(seconds).format("YYYY-MM-DD HH:mm:ss") : none;
}

/** With the zone, for tooltips: `2026-11-21 14:57:44 (UTC+08:00)`. */
export function showTimeExactly(seconds: number): string {
  return dayjs.unix(seconds).format("YYYY-MM-DD HH:mm:ss [(UTC]Z[)]");
}

const minute = 60;
const hour = 60 * minute;
const day = 24 * hour;

/** `3 分钟前`, `in 2 d`; the day itself when it is further than 30 days away. */
export function showRelativeTime(seconds: number, nowSeconds: number, t: T): string {
  const distance = nowSeconds - seconds;
  const size = Math.abs(distance);
  if (size > 30 * day) return dayjs.unix(seconds).format("YYYY-MM-DD");
  if (distance < 0) {
    if (size < hour) return t("display.inMinutes", { count: Math.ceil(size / minute) });
    if (size < day) return t("display.inHours", { count: Math.floor(size / hour) });
    return t("display.inDays", { count: Math.floor(size / day) });
  }
  if (size < 5) return t("display.justNow");
  if (size < minute) return t("display.secondsAgo", { count: Math.floor(size) });
  if (size < hour) return t("display.minutesAgo", { count: Math.floor(size / minute) });
  if (size < day) return t("display.hoursAgo", { count: Math.floor(size / hour) });
  return t("display.daysAgo", { count: Math.floor(size / day) });
}
