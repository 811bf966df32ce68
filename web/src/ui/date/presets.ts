/** Ranges of time that are often needed, such as today or the last hour. */

/** The two ends of a range, in Unix seconds; null: the range is open at this end. */
export type TimeRange = { readonly start: number | null; readonly end: number | null };

export const rangePresets = ["15m", "1h", "today", "yesterday", "7d", "30d"] as const;
export type RangePreset = (typeof rangePresets)[number];

const minute = 60;
const hour = 60 * minute;

/**
 * Returns the range that a preset means at `now`. All presets but yesterday are open at the end, so
 * that later events are included as well. Days begin at midnight in the browser's time zone.
 */
export function presetRange(preset: RangePreset, now: Date): TimeRange {
  const seconds = Math.floor(now.getTime() / 1000);
  switch (preset) {
    case "15m":
      return { start: seconds - 15 * minute, end: null };
    case "1h":
      return { start: seconds - hour, end: null };
    case "today":
      return { start: midnight(now, 0), end: null };
    case "yesterday":
      return { start: midnight(now, -1), end: midnight(now, 0) - 1 };
    case "7d":
      return { start: midnight(now, -6), end: null };
    case "30d":
      return { start: midnight(now, -29), end: null };
  }
}

/**
 * Returns the first second of the day that is `days` after the day of `now`. Computed by the
 * calendar, because days vary in length.
 */
function midnight(now: Date, days: number): number {
  const day = new Date(now.getFullYear(), now.getMonth(), now.getDate() + days);
  return Math.floor(day.getTime() / 1000);
}
