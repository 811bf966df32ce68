/**
 * Converts between Unix seconds and the text in date fields: `2026-11-21 14:57:44`, in the
 * browser's time zone.
 */

import type { T } from "#i18n/t.ts";
import type { TimeRange } from "./presets.ts";

/** Writes a time in Unix seconds as text. */
export function dateText(seconds: number): string {
  const date = new Date(seconds * 1000);
  return `${dayText(date)} ${[date.getHours(), date.getMinutes(), date.getSeconds()].map(two).join(":")}`;
}

/** Writes only the day of a date as text: `2026-11-21`. */
export function dayText(date: Date): string {
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
}

/**
 * Returns a function that writes times short enough for a filter: `11-21 14:57`, with the year only
 * when it differs from that of `now`.
 */
export function shortDateText(now: Date): (seconds: number) => string {
  const thisYear = `${now.getFullYear()}-`;
  return (seconds) => {
    const text = dateText(seconds).slice(0, -":ss".length);
    return text.startsWith(thisYear) ? text.slice(thisYear.length) : text;
  };
}

/** Writes a range of time in words; null: both ends are open. */
export function rangeText(
  range: TimeRange,
  t: T,
  show: (seconds: number) => string,
): string | null {
  const { start, end } = range;
  if (start !== null && end !== null) return `${show(start)} – ${show(end)}`;
  if (start !== null) return t("ui.dateSince", { time: show(start) });
  if (end !== null) return t("ui.dateUntil", { time: show(end) });
  return null;
}

const written =
  /^(\d{4})[-/.年](\d{1,2})[-/.月](\d{1,2})日?(?:[\sT]+(\d{1,2}):(\d{2})(?::(\d{2}))?)?$/;

/**
 * Parses typed text to Unix seconds; null: the text is empty, undefined: it is not a time. A day
 * without a time of day means its first second, or its last one with `endOfDay`.
 */
export function parseDateText(text: string, endOfDay = false): number | null | undefined {
  const trimmed = text.trim();
  if (trimmed === "") return null;
  const match = written.exec(trimmed);
  if (match === null) return undefined;
  const [, year, month, day, hour, minute, second] = match;
  const noTime = hour === undefined;
  const last = noTime && endOfDay;
  const date = new Date(
    Number(year),
    Number(month) - 1,
    Number(day),
    last ? 23 : Number(hour ?? 0),
    last ? 59 : Number(minute ?? 0),
    last ? 59 : Number(second ?? 0),
  );
  // `Date` turns a day that does not exist, such as 31 November, into another day; such a text is
  // refused.
  const exists = date.getMonth() + 1 === Number(month) && date.getDate() === Number(day);
  const inDay = Number(hour ?? 0) < 24 && Number(minute ?? 0) < 60 && Number(second ?? 0) < 60;
  return exists && inDay ? Math.floor(date.getTime() / 1000) : undefined;
}

/** Returns the time of day of `seconds`, on the day `day`. */
export function onDay(day: Date, seconds: number): number {
  const time = new Date(seconds * 1000);
  const date = new Date(day);
  date.setHours(time.getHours(), time.getMinutes(), time.getSeconds(), 0);
  return Math.floor(date.getTime() / 1000);
}

/** Returns the time zone in which the browser shows this date, such as `UTC+08:00`. */
export function zoneText(date: Date): string {
  const minutes = -date.getTimezoneOffset();
  const size = Math.abs(minutes);
  return `UTC${minutes < 0 ? "-" : "+"}${two(Math.floor(size / 60))}:${two(size % 60)}`;
}

function two(part: number): string {
  return String(part).padStart(2, "0");
}
