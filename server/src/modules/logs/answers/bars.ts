/** Divides the time of a chart into bars. */

import { addDays, startOfDay, startOfWeek } from "@tollgate/contract/fields/time-zone.ts";
import { daySeconds, hourSeconds } from "#modules/logs/log-times.ts";

/** The time of a chart in Unix seconds; `end` is exclusive. */
export type ChartTime = { readonly start: number; readonly end: number };

/** How long a bar is; days and weeks begin in the zone of option `TimeZone`. */
type BarLength =
  | { readonly kind: "days"; readonly days: number }
  | { readonly kind: "seconds"; readonly seconds: number };

/** The longest times with bars of a minute, of five minutes, of an hour, and of a day. */
const minuteMax = hourSeconds;
const shortMax = 6 * hourSeconds;
const hourMax = 3 * daySeconds + hourSeconds;
const dayMax = 100 * daySeconds;

/** About how many bars a chart of years has. */
const barsMax = 100;

/**
 * Chooses the bars of a time.
 * @param isShort whether bars may be shorter than an hour: the calls are few enough to be read.
 */
export function barsOf({ start, end }: ChartTime, isShort: boolean): BarLength {
  const length = end - start;
  if (isShort && length <= minuteMax) return { kind: "seconds", seconds: 60 };
  if (isShort && length <= shortMax) return { kind: "seconds", seconds: 300 };
  if (length <= hourMax) return { kind: "seconds", seconds: hourSeconds };
  if (length <= dayMax) return { kind: "days", days: 1 };
  return { kind: "days", days: 7 * Math.ceil(length / (7 * daySeconds * barsMax)) };
}

/** Returns the starts of all bars of a time, oldest first. */
export function startsOf({ start, end }: ChartTime, bar: BarLength, zone: string): number[] {
  const starts: number[] = [];
  if (bar.kind === "seconds") {
    for (let at = start - (start % bar.seconds); at < end; at += bar.seconds) starts.push(at);
    return starts;
  }
  const first = bar.days === 1 ? startOfDay(zone, start) : startOfWeek(zone, start);
  for (let at = first; at < end; at = addDays(zone, at, bar.days)) starts.push(at);
  return starts;
}

/** Returns the position of the bar that a time is in; the starts are in order. */
export function placeOf(starts: readonly number[], at: number): number {
  let [low, high] = [0, starts.length - 1];
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if ((starts[middle] ?? 0) <= at) low = middle;
    else high = middle - 1;
  }
  return low;
}
