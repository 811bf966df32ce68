/**
 * What channels charge the gateway, which only root sees. A cost list has the same form as the price
 * list, and the cost of a call is computed by the same formula from the same usage.
 */

import { z } from "zod";
import { priceList } from "./charge.ts";

/** The group of a cost list, whose ratio is 1: a channel charges the same for all. */
export const costGroup = "cost";

/** The content of one version of a channel's cost list. */
export const costContent = z.object({
  /** What each model costs, by the names that clients use. */
  list: priceList,
});
export type CostContent = z.infer<typeof costContent>;
