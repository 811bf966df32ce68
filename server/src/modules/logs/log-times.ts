/** The hours and days by which calls are summed, in Unix seconds. */

export const hourSeconds = 3_600;
export const daySeconds = 86_400;
/** The longest time whose sums by user and token are kept: eight days, from 1970 on. */
export const blockSeconds = 8 * daySeconds;

export function startOfHour(seconds: number): number {
  return seconds - (seconds % hourSeconds);
}
