/** Times and days of usage files. All times are Unix seconds. */

import { startOfDay, zoneOffset as findOffset } from "@tollgate/contract/fields/time-zone.ts";

const hourSeconds = 3_600;

/** Offsets of the newest zone by the hour: finding one takes long, and it changes with an hour. */
let known: { readonly zone: string; readonly hours: Map<number, number> } | null = null;

/** How many hours are kept: some eleven years. */
const hoursMax = 100_000;

function zoneOffset(zone: string, at: number): number {
  if (zone === "UTC") return 0;
  if (known?.zone !== zone || known.hours.size > hoursMax) known = { zone, hours: new Map() };
  const hour = Math.floor(at / hourSeconds);
  const found = known.hours.get(hour) ?? findOffset(zone, at);
  known.hours.set(hour, found);
  return found;
}

/** A time, and whether only its day is known. */
type BillTime = { readonly at: number; readonly isDay: boolean };

const unix = /^\d{9,10}(?:\.\d{1,9})?$/;
const unixMs = /^\d{12,13}$/;
const local =
  /^(\d{4})[-/](\d{1,2})[-/](\d{1,2})(?:[ T](\d{1,2}):(\d{2})(?::(\d{2}))?(?:\.\d{1,9})?)?$/;
const zoned =
  /^\d{4}-\d{2}-\d{2}[ T]\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)? ?(?:Z|UTC|[+-]\d{2}:?\d{2})$/;

/** Reads a time; one without a zone is of the zone given. Undefined: it is none. */
export function readTime(text: string, zone: string): BillTime | undefined {
  if (unix.test(text)) return { at: Math.floor(Number(text)), isDay: false };
  if (unixMs.test(text)) return { at: Math.floor(Number(text) / 1_000), isDay: false };
  if (zoned.test(text)) {
    const iso = text
      .replace(/ ?UTC$/, "Z")
      .replace(/^(\S+) (\d)/, "$1T$2")
      .replace(" ", "");
    const ms = Date.parse(iso);
    return Number.isNaN(ms) ? undefined : { at: Math.floor(ms / 1_000), isDay: false };
  }
  const [, year, month, day, hour, minute = "0", second = "0"] = local.exec(text) ?? [];
  if (year === undefined) return undefined;
  const parts = [Number(year), Number(month) - 1, Number(day)] as const;
  const written = Date.UTC(...parts, Number(hour ?? 0), Number(minute), Number(second)) / 1_000;
  const date = new Date(written * 1_000);
  // A day that no month has is no time.
  if (date.getUTCMonth() !== parts[1] || date.getUTCDate() !== parts[2]) return undefined;
  const guess = written - zoneOffset(zone, written);
  const at = written - zoneOffset(zone, guess);
  return hour === undefined ? { at: startOfDay(zone, at), isDay: true } : { at, isDay: false };
}

/** Returns a function that names the day of a time, as `YYYY-MM-DD` in the zone. */
export function dayNamer(zone: string): (at: number) => string {
  /** Days by their hour, because writing one takes long. */
  const days = new Map<number, string>();
  return (at) => {
    const hour = Math.floor(at / hourSeconds);
    const found = days.get(hour);
    if (found !== undefined) return found;
    const start = hour * hourSeconds;
    const day = new Date((start + zoneOffset(zone, start)) * 1_000).toISOString().slice(0, 10);
    days.set(hour, day);
    return day;
  };
}
