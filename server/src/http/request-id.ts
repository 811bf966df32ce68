/** The id a request carries through answer, log and ledger. */

import { randomText } from "#base/secrets.ts";

/** UTC time to the millisecond, then random text: sorts by time and never repeats. */
export function newRequestId(nowMs: number): string {
  const stamp = new Date(nowMs).toISOString().replaceAll(/\D/g, "");
  return `${stamp}${randomText(16)}`;
}
