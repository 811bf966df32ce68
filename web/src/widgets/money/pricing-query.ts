/** The models of this gateway and their prices, which the price list and the home page share. */

import { listPricing } from "@tollgate/contract/endpoints/prices.ts";
import { callWhole } from "#api/call.ts";
import type { Pricing } from "./model-prices.ts";

/**
 * Reads all prices at once, so that filtering needs no further call. A gateway has some hundred
 * models.
 */
export const pricingQuery = {
  queryKey: ["pricing"],
  queryFn: async ({ signal }: { readonly signal: AbortSignal }): Promise<Pricing> => {
    const { data, extras } = await callWhole(listPricing, {}, signal);
    return {
      rows: data,
      groupRatios: extras.group_ratio,
      groups: extras.usable_group,
      unpriced: extras.unpriced,
    };
  },
  /** Milliseconds for which prices count as fresh. */
  staleTime: 60_000,
};
