/** The short forms in which lists show times. */

import dayjs from "dayjs";
import { showTime } from "./time.ts";

/**
 * Writes a time, without the year if that is the present one. The cell's tooltip has the complete
 * time.
 */
export function shortTime(seconds: number): string {
  const text = showTime(seconds, "");
  return text.startsWith(`${new Date().getFullYear()}-`) ? text.slice(5) : text;
}

/** Writes a time as phones show it: hours and minutes, preceded by the date unless it is today. */
export function briefTime(seconds: number): string {
  const time = dayjs.unix(seconds);
  return time.format(time.isSame(dayjs(), "day") ? "HH:mm" : "MM-DD HH:mm");
}
