/** The API calls of the prices feature. */

import { queryOptions, useMutation } from "@tanstack/react-query";
import { listEnabledModels } from "@tollgate/contract/models.ts";
import { resetModelRatio } from "@tollgate/contract/options.ts";
import { type PriceChanges, savePriceChanges } from "@tollgate/contract/price-versions.ts";
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

/** Saves changes of prices as one version; the options are read again before it resolves. */
export function useSavePrices() {
  const { reload } = useDrafts();
  return useMutation({
    mutationFn: (save: { readonly changes: PriceChanges; readonly reason: string }) =>
      call(savePriceChanges, save),
    onSuccess: reload,
  });
}
