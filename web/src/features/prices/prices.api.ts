/** The API calls of the prices feature. */

import { queryOptions, useMutation } from "@tanstack/react-query";
import { listEnabledModels } from "@tollgate/contract/models.ts";
import { resetModelRatio } from "@tollgate/contract/options.ts";
import { readPrices, savePriceChanges } from "@tollgate/contract/price-versions.ts";
import type { z } from "zod";
import { call } from "#api/call.ts";
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

/** Saves changes of prices as one version; everything is read again before it resolves. */
export function useSavePrices() {
  const { reload } = useDrafts();
  return useMutation({
    mutationFn: (save: z.input<(typeof savePriceChanges)["input"]>) => call(savePriceChanges, save),
    onSuccess: reload,
  });
}
