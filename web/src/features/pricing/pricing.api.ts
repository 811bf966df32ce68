import { useQuery } from "@tanstack/react-query";
import { listPricing } from "@tollgate/contract/prices.ts";
import { callWhole } from "#api/call.ts";
import type { Pricing } from "./model-prices.ts";

/** Milliseconds for which prices stay fresh; they seldom change. */
const staleMs = 60_000;

/** The whole list: a gateway has some hundred models, so the browser filters at once. */
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
