/** The API calls of the prices feature. */

import { queryOptions, useMutation } from "@tanstack/react-query";
import { listEnabledModels } from "@tollgate/contract/models.ts";
import { resetModelRatio } from "@tollgate/contract/options.ts";
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
