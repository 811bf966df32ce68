/**
 * Times as they are typed and shown in date fields: `2026-11-21 14:57:44`, in the browser's zone.
 */

import type { T } from "#i18n/t.ts";
import type { TimeRange } from "./presets.ts";

/** Unix seconds as text. */
export function dateText(seconds: number): string {
  const date = new Date(seconds * 1000);
  return `${dayText(date)} ${[date.getHours(), date.getMinutes(), date.getSeconds()].map(two).join(":")}`;
}

/** The day alone: `2026-11-21`. */
export function dayText(date: Date): string {
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
}

/** Short enough for a filter: `11-21 14:57`, with the year when it is not that of `now`. */
export function shortDateText(now: Date): (seconds: number) => string {
  const thisYear = `${now.getFullYear()}-`;
  return (seconds) => {
    const text = dateText(seconds).slice(0, -":ss".length);
    return text.startsWith(thisYear) ? text.slice(thisYear.length) : text;
  };
}

/** A range in words; null when both ends are open. */
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
 * Parses typed text to Unix seconds; null: empty, undefined: not a time. A day without a time is
 * its first second, or its last one with `endOfDay`.
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
  // A date that does not exist, such as the 31st of November, becomes another date, which is
  // noticed here.
  const exists = date.getMonth() + 1 === Number(month) && date.getDate() === Number(day);
  const inDay = Number(hour ?? 0) < 24 && Number(minute ?? 0) < 60 && Number(second ?? 0) < 60;
  return exists && inDay ? Math.floor(date.getTime() / 1000) : undefined;
}

/** `day` with the time of day of `seconds`. */
export function onDay(day: Date, seconds: number): number {
  const time = new Date(seconds * 1000);
  const date = new Date(day);
  date.setHours(time.getHours(), time.getMinutes(), time.getSeconds(), 0);
  return Math.floor(date.getTime() / 1000);
}

/** `UTC+08:00`, the zone in which the browser shows a time. */
export function zoneText(date: Date): string {
  const minutes = -date.getTimezoneOffset();
  const size = Math.abs(minutes);
  return `UTC${minutes < 0 ? "-" : "+"}${two(Math.floor(size / 60))}:${two(size % 60)}`;
}

function two(part: number): string {
  return String(part).padStart(2, "0");
}
