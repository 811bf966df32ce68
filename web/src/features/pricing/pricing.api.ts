import { useQuery } from "@tanstack/react-query";
import { listPricing } from "@tollgate/contract/prices.ts";
import { callWhole } from "#api/call.ts";
import type { Pricing } from "#widgets/money/model-prices.ts";

/** Milliseconds for which prices count as fresh. */
const staleMs = 60_000;

/**
 * Reads all prices at once, so that filtering needs no further call. A gateway has some hundred
 * models.
 */
export function usePricing() {
  return useQuery({
    queryKey: ["pricing"],
    queryFn: async ({ signal }): Promise<Pricing> => {
      const { data, extras } = await callWhole(listPricing, {}, signal);
      return {
        rows: data,
        groupRatios: extras.group_ratio,
        groups: extras.usable_group,
        unpriced: extras.unpriced,
      };
    },
    staleTime: staleMs,
  });
}
