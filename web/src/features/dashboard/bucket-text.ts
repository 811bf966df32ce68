/** Writes the times of the dashboard in the zone that cuts its days, not in the browser's. */

import type { Granularity } from "@tollgate/contract/endpoints/dashboard.ts";
import { daySeconds, zoneOffset } from "@tollgate/contract/fields/time-zone.ts";
import type { ChartBucket } from "#ui/chart/chart-data.ts";

function localText(at: number, zone: string): string {
  return new Date((at + zoneOffset(zone, at)) * 1_000).toISOString();
}

/** `2026-11-22 Sun`, with the day of the week in the language of the page. */
export function weekdayText(at: number, zone: string): string {
  const text = dayText(at, zone);
  const weekday = new Date(`${text}T12:00:00Z`).toLocaleDateString(document.documentElement.lang, {
    weekday: "short",
    timeZone: "UTC",
  });
  return `${text} ${weekday}`;
}

/** `2026-11-22` */
function dayText(at: number, zone: string): string {
  return localText(at, zone).slice(0, 10);
}

/** `2026-11-22 14:00` */
export function hourText(at: number, zone: string): string {
  return localText(at, zone).slice(0, 16).replace("T", " ");
}

/** Writes a position of the time axis; `at` is its first second. */
export function bucketText(at: number, zone: string, granularity: Granularity): ChartBucket {
  switch (granularity) {
    case "hour": {
      const exact = hourText(at, zone);
      return { label: exact.slice(5), exact };
    }
    case "day": {
      const exact = dayText(at, zone);
      return { label: exact.slice(5), exact };
    }
    case "week": {
      // Noon of the last day, because days on which the clocks change are longer or shorter.
      const last = dayText(at + 6.5 * daySeconds, zone);
      const first = dayText(at, zone);
      return { label: first.slice(5), exact: `${first} – ${last.slice(5)}` };
    }
  }
}
