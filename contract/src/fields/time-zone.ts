/**
 * Days, weeks and months in the time zone of option `TimeZone`: the dashboard's days, and the
 * periods of budgets. Only zones whose offset from UTC is a whole number of hours are accepted,
 * because the roll-up of charges has whole hours. All times are Unix seconds.
 */

import { lineText } from "./field-schemas.ts";

export const hourSeconds = 3_600;
export const daySeconds = 24 * hourSeconds;

/** The longest name of a time zone, in characters. */
const zoneNameMax = 64;

const zoneRule =
  "必须是 IANA 时区名称，与 UTC 相差整小时，例如 UTC、Asia/Shanghai、America/New_York";

/** Schema of the name of a time zone, such as `Asia/Shanghai`. */
export const zoneOption = lineText(zoneNameMax).refine(isWholeHourZone, zoneRule);

/** Two times of a year, one in winter and one in summer. */
const seasons = [Date.UTC(2026, 0, 15) / 1_000, Date.UTC(2026, 6, 15) / 1_000];

function isWholeHourZone(zone: string): boolean {
  try {
    return seasons.every((at) => zoneOffset(zone, at) % hourSeconds === 0);
  } catch {
    // `Intl` throws for a name that it does not know.
    return false;
  }
}

/** Formatters by zone, because making one takes longer than a thousand uses. */
const formatters = new Map<string, Intl.DateTimeFormat>();

/** The largest number of formatters kept; a server uses one or two zones. */
const formattersMax = 16;

function formatterOf(zone: string): Intl.DateTimeFormat {
  const known = formatters.get(zone);
  if (known !== undefined) return known;
  const made = new Intl.DateTimeFormat("en-US", {
    timeZone: zone,
    hourCycle: "h23",
    year: "numeric",
    month: "numeric",
    day: "numeric",
    hour: "numeric",
    minute: "numeric",
    second: "numeric",
  });
  if (formatters.size >= formattersMax) formatters.clear();
  formatters.set(zone, made);
  return made;
}

/** Seconds by which the zone's clocks are ahead of UTC at a time; negative: behind. */
export function zoneOffset(zone: string, at: number): number {
  const parts: Record<string, number> = {};
  for (const { type, value } of formatterOf(zone).formatToParts(at * 1_000)) {
    parts[type] = Number(value);
  }
  const { year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0 } = parts;
  return Date.UTC(year, month - 1, day, hour, minute, second) / 1_000 - at;
}

/** The moment at which the zone's clocks show a time that is written as if it were UTC. */
function momentOf(zone: string, local: number): number {
  const guess = local - zoneOffset(zone, local);
  return local - zoneOffset(zone, guess);
}

/** The start of the day, in the zone, that contains a time. */
export function startOfDay(zone: string, at: number): number {
  const local = at + zoneOffset(zone, at);
  return momentOf(zone, local - mod(local, daySeconds));
}

/** The start of the day that is `days` days after the one that contains `at`. */
export function addDays(zone: string, at: number, days: number): number {
  const local = at + zoneOffset(zone, at);
  return momentOf(zone, local - mod(local, daySeconds) + days * daySeconds);
}

/** The start of the week that contains a time; weeks begin on Monday. */
export function startOfWeek(zone: string, at: number): number {
  const local = at + zoneOffset(zone, at);
  // The first of January 1970 was a Thursday.
  const weekday = mod(Math.floor(local / daySeconds) + 3, 7);
  return addDays(zone, at, -weekday);
}

/** The start of the month that contains a time, or of one that is `months` months later. */
export function startOfMonth(zone: string, at: number, months = 0): number {
  const local = new Date((at + zoneOffset(zone, at)) * 1_000);
  return momentOf(zone, Date.UTC(local.getUTCFullYear(), local.getUTCMonth() + months) / 1_000);
}

/** The remainder that is never negative. */
function mod(value: number, by: number): number {
  return ((value % by) + by) % by;
}
