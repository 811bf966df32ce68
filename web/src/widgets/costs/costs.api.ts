/** The API calls of what a channel charges. */

import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { readChannelCosts, saveChannelCosts } from "@tollgate/contract/costs.ts";
import type { z } from "zod";
import { call } from "#api/call.ts";

const costsOf = (id: number) => ["channels", "costs", id] as const;

/** Reads what a channel charges; only for root. */
export function useChannelCosts(id: number) {
  return useQuery({
    queryKey: costsOf(id),
    queryFn: ({ signal }) => call(readChannelCosts, { id }, signal),
  });
}

type SentCosts = Omit<z.input<typeof saveChannelCosts.input>, "id">;

/** Returns the call that saves what a channel charges. */
export function useSaveCosts(id: number) {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: (sent: SentCosts) => call(saveChannelCosts, { id, ...sent }),
    onSuccess: (saved) => queries.setQueryData(costsOf(id), saved),
  });
}
