/** The hours and days by which calls are summed, in Unix seconds. */

export const hourSeconds = 3_600;
export const daySeconds = 86_400;

export function startOfHour(seconds: number): number {
  return seconds - (seconds % hourSeconds);
}
