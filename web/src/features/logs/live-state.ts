/** Whether newer rows can be shown as they come, and if not, why. */

import type { LogSearch } from "./logs.search.ts";

export type LiveState = "broken" | "ended" | "hidden" | "off" | "on" | "page";

/**
 * @param isVisible the browser's tab is.
 * @param nowSeconds Unix seconds.
 */
export function liveState(
  { live, page, end }: Pick<LogSearch, "end" | "live" | "page">,
  isVisible: boolean,
  nowSeconds: number,
): LiveState {
  if (live === 0) return "off";
  // What happens now belongs to neither another page nor a time that is over.
  if (page !== 1) return "page";
  if (end !== 0 && end < nowSeconds) return "ended";
  return isVisible ? "on" : "hidden";
}
