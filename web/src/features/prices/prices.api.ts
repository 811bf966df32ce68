/** The API calls of the prices feature. */

import {
  keepPreviousData,
  queryOptions,
  useMutation,
  useQuery,
  useQueryClient,
} from "@tanstack/react-query";
import { type AppliedPrice, applyPrices } from "@tollgate/contract/endpoints/price-catalogue.ts";
import { listChannels } from "@tollgate/contract/endpoints/channels.ts";
import { listEnabledModels } from "@tollgate/contract/endpoints/models.ts";
import { pageSizeMax } from "@tollgate/contract/endpoints/page.ts";
import { resetModelRatio } from "@tollgate/contract/options/options.ts";
import { readPrices, savePriceChanges } from "@tollgate/contract/endpoints/price-versions.ts";
import { useMemo } from "react";
import type { z } from "zod";
import { call } from "#api/call.ts";
import { type ProposalSource, readProposals } from "#widgets/prices/proposals.ts";
import { useDrafts } from "#widgets/option-form/drafts.ts";

export function useResetModelRatio() {
  const { reload } = useDrafts();
  return useMutation({ mutationFn: () => call(resetModelRatio, {}), onSettled: reload });
}

export const enabledModelsQuery = queryOptions({
  queryKey: ["enabled-models"],
  queryFn: ({ signal }) => call(listEnabledModels, {}, signal),
  staleTime: 60_000,
});

/** The price list in force, with what options do not say: sources, and prices of single kinds. */
export const pricesQuery = queryOptions({
  queryKey: ["prices"],
  queryFn: async ({ signal }) => (await call(readPrices, {}, signal)).list,
  staleTime: 60_000,
});

/** A channel of no known provider: its models are found by their vendors. */
const anyChannel = { channelType: 8, baseUrl: "" };

/**
 * Returns where the models are offered, for the catalogue's proposals; undefined while the channels
 * are read. Of many channels, the first ones count.
 */
export function useModelSources(models: readonly string[]): readonly ProposalSource[] | undefined {
  const { data: channels } = useQuery({
    queryKey: ["channels", "providers"],
    queryFn: ({ signal }) => call(listChannels, { p: 0, page_size: pageSizeMax }, signal),
    staleTime: 60_000,
  });
  return useMemo(() => {
    if (channels === undefined) return undefined;
    const byPlace = new Map<string, { source: Omit<ProposalSource, "models">; names: string[] }>();
    for (const model of models) {
      const at = channels.find((channel) => channel.models.split(",").includes(model));
      const source =
        at === undefined ? anyChannel : { channelType: at.type, baseUrl: at.base_url ?? "" };
      const key = `${source.channelType} ${source.baseUrl}`;
      const place = byPlace.get(key) ?? { source, names: [] };
      place.names.push(model);
      byPlace.set(key, place);
    }
    return [...byPlace.values()].map(({ source, names }) => ({
      ...source,
      models: names.map((model) => ({ model, upstream: model })),
    }));
  }, [channels, models]);
}

/** Saves changes of prices as one version; everything is read again before it resolves. */
export function useSavePrices() {
  const { reload } = useDrafts();
  return useMutation({
    mutationFn: (save: z.input<(typeof savePriceChanges)["input"]>) => call(savePriceChanges, save),
    onSuccess: reload,
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
