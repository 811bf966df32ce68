/**
 * The API calls of what a channel charges, of the prices of its models, and of what goes with all
 * disabled channels.
 */

import { keepPreviousData, useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { channelStatus, searchChannels } from "@tollgate/contract/channels.ts";
import { readChannelCosts, saveChannelCosts } from "@tollgate/contract/costs.ts";
import { type AppliedPrice, applyPrices } from "@tollgate/contract/price-catalogue.ts";
import { call, callWhole } from "#api/call.ts";
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

/** The most disabled channels that are named before they are removed. */
const namedMax = 10;

/** Counts the channels that are not enabled, and reads the names of the first of them. */
export async function readDisabled(): Promise<{ names: readonly string[]; count: number }> {
  const { disabled, disabledAutomatically } = channelStatus.enum;
  const lists = await Promise.all(
    [disabled, disabledAutomatically].map((status) =>
      callWhole(searchChannels, { status, p: 0, page_size: namedMax }),
    ),
  );
  return {
    names: lists.flatMap(({ data }) => data.map(({ name }) => name)).slice(0, namedMax),
    count: lists.reduce((sum, { extras }) => sum + extras.total, 0),
  };
}
