/** Tells whether the live tail is running and, if not, why. */

import type { LogSearch } from "./logs.search.ts";

export type LiveState = "broken" | "ended" | "hidden" | "off" | "on" | "page";

/**
 * Tells whether the live tail runs and, if not, why.
 * @param isVisible whether the browser shows this tab.
 * @param nowSeconds the present time in Unix seconds.
 */
export function liveState(
  { live, page, end, sort }: Pick<LogSearch, "end" | "live" | "page" | "sort">,
  isVisible: boolean,
  nowSeconds: number,
): LiveState {
  if (live === 0) return "off";
  // A list that is sorted by cost has its new rows anywhere.
  if (sort !== "") return "page";
  // New rows can appear only on the first page, and only in a time range that has not ended.
  if (page !== 1) return "page";
  if (end !== 0 && end < nowSeconds) return "ended";
  return isVisible ? "on" : "hidden";
}
