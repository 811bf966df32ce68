import { useQuery } from "@tanstack/react-query";
import { listModelFacts, type ModelFactsRow } from "@tollgate/contract/model-facts.ts";
import { listPricing } from "@tollgate/contract/prices.ts";
import { call, callWhole } from "#api/call.ts";
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

/** Reads what models are and how they did, for cards and comparisons; by the models' names. */
export function useModelFacts(isShown: boolean): ReadonlyMap<string, ModelFactsRow> {
  const { data } = useQuery({
    queryKey: ["pricing", "facts"],
    queryFn: ({ signal }) => call(listModelFacts, {}, signal),
    staleTime: factsStaleMs,
    enabled: isShown,
    select: byModel,
  });
  return data ?? none;
}

/** The server keeps its answer for as long. */
const factsStaleMs = 600_000;

const none: ReadonlyMap<string, ModelFactsRow> = new Map();

function byModel(rows: readonly ModelFactsRow[]): ReadonlyMap<string, ModelFactsRow> {
  return new Map(rows.map((row) => [row.model_name, row]));
}
