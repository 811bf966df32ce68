/**
 * The API calls of what a channel charges, of the prices of its models, and of the configuration
 * files that own channels.
 */

import { keepPreviousData, useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { listOwned, type OwnedThing } from "@tollgate/contract/endpoints/configuration.ts";
import { readChannelCosts, saveChannelCosts } from "@tollgate/contract/endpoints/costs.ts";
import { type AppliedPrice, applyPrices } from "@tollgate/contract/endpoints/price-catalogue.ts";
import { call } from "#api/call.ts";
import type { SentCosts } from "#widgets/costs/CostPanel.tsx";
import { type ProposalSource, readProposals } from "#widgets/prices/proposals.ts";

const costsOf = (id: number) => ["channels", "costs", id] as const;

/** Reads what a channel charges; only for root. */
export function useChannelCosts(id: number) {
  return useQuery({
    queryKey: costsOf(id),
    queryFn: ({ signal }) => call(readChannelCosts, { id }, signal),
  });
}

/** Returns the call that saves what a channel charges. */
export function useSaveCosts(id: number) {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: (sent: SentCosts) => call(saveChannelCosts, { id, ...sent }),
    onSuccess: (saved) => queries.setQueryData(costsOf(id), saved),
  });
}

/** Reads what the catalogue proposes for the models of some channels. */
export function useProposals(sources: readonly ProposalSource[]) {
  return useQuery({
    queryKey: ["price-proposals", sources],
    queryFn: ({ signal }) => readProposals(sources, signal),
    enabled: sources.some(({ models }) => models.length > 0),
    placeholderData: keepPreviousData,
    staleTime: 60_000,
  });
}

/** Sets prices as one version; every screen that shows prices reads them again. */
export function useApplyPrices() {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: (entries: readonly AppliedPrice[]) => call(applyPrices, { entries: [...entries] }),
    onSettled: () => queries.invalidateQueries(),
  });
}

/** Milliseconds for which the list counts as fresh. */
const ownedStaleMs = 60_000;

/** Reads which channels a configuration file owns, by their ids; undefined: not read yet. */
export function useOwnedChannels(): ReadonlyMap<number, OwnedThing> | undefined {
  const { data } = useQuery({
    queryKey: ["channels", "owned"],
    queryFn: async ({ signal }) => {
      const owned = await call(listOwned, {}, signal);
      const channels = owned.filter(({ kind }) => kind === "channel");
      return new Map(channels.map((thing) => [thing.id, thing]));
    },
    staleTime: ownedStaleMs,
  });
  return data;
}
