/** Whether the live tail can run, and if not, why. */

import type { LogSearch } from "./logs.search.ts";

export type LiveState = "broken" | "ended" | "hidden" | "off" | "on" | "page";

/**
 * @param isVisible whether the browser's tab is visible.
 * @param nowSeconds Unix seconds.
 */
export function liveState(
  { live, page, end }: Pick<LogSearch, "end" | "live" | "page">,
  isVisible: boolean,
  nowSeconds: number,
): LiveState {
  if (live === 0) return "off";
  // New rows belong neither to another page nor to a time range that has ended.
  if (page !== 1) return "page";
  if (end !== 0 && end < nowSeconds) return "ended";
  return isVisible ? "on" : "hidden";
}
