/** The API calls for the prices of a channel's models. */

import { keepPreviousData, useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { type AppliedPrice, applyPrices } from "@tollgate/contract/price-catalogue.ts";
import { call } from "#api/call.ts";
import { type ProposalSource, readProposals } from "#widgets/prices/proposals.ts";

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
