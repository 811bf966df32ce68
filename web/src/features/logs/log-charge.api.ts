/** The API call of an unfolded row. The list does not load it, nor the schema of prices that it needs. */

import { useQuery } from "@tanstack/react-query";
import { readLogCharge } from "@tollgate/contract/endpoints/log-charges.ts";
import { call } from "#api/call.ts";

/**
 * Reads the stored figures from which a row's charge was computed. They never change, so they are
 * read once.
 */
export function useLogCharge(id: number) {
  return useQuery({
    queryKey: ["log-charge", id],
    queryFn: async ({ signal }) => await call(readLogCharge, { id }, signal),
    staleTime: Number.POSITIVE_INFINITY,
  });
}
