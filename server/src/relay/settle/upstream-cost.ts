/** Computes what a call costs at its channel, by the formula and the usage of its charge. */

import { charge, type ChargedUsage } from "@tollgate/contract/money/charge.ts";
import type { CostList } from "#ports/snapshot.ts";

/**
 * @param model the name that the client used.
 * @returns quota units; null: nobody has said what the channel charges for the model.
 */
export function upstreamCost(
  costs: CostList | null,
  model: string,
  usage: ChargedUsage,
): number | null {
  const price = costs?.priceOf(model);
  return price === undefined ? null : charge(price, usage);
}
