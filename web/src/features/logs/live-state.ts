/** Tells whether the live tail is running and, if not, why. */

import type { LogSearch } from "./logs.search.ts";

export type LiveState = "broken" | "ended" | "hidden" | "off" | "on" | "page";

/**
 * @param isVisible whether the browser shows this tab.
 * @param nowSeconds the present time in Unix seconds.
 */
export function liveState(
  { live, page, end }: Pick<LogSearch, "end" | "live" | "page">,
  isVisible: boolean,
  nowSeconds: number,
): LiveState {
  if (live === 0) return "off";
  // On other pages, and in a time range that has ended, no new rows can appear.
  if (page !== 1) return "page";
  if (end !== 0 && end < nowSeconds) return "ended";
  return isVisible ? "on" : "hidden";
}
