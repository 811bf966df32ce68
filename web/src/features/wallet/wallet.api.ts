/** The API calls of the wallet. */

import { keepPreviousData, useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { listOwnEntries } from "@tollgate/contract/entries.ts";
import { redeem } from "@tollgate/contract/redemptions.ts";
import { readSelf } from "@tollgate/contract/users.ts";
import { call } from "#api/call.ts";

/** The query's key begins with `self`, so that a change of the account reads it again. */
export function useOwnAccount() {
  return useQuery({
    queryKey: ["self", "wallet"],
    queryFn: ({ signal }) => call(readSelf, {}, signal),
    staleTime: 0,
  });
}

/** Redeems a code. Resolves to the quota that it was worth. */
export function useRedeem() {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: (key: string) => call(redeem, { key }),
    async onSettled() {
      void queries.invalidateQueries({ queryKey: ["own-entries"] });
      await queries.invalidateQueries({ queryKey: ["self"] });
    },
  });
}

type Window = { readonly page: number; readonly size: number };

export function useOwnEntries({ page, size }: Window) {
  return useQuery({
    queryKey: ["own-entries", page, size],
    queryFn: ({ signal }) => readOwnEntries({ page, size }, signal),
    placeholderData: keepPreviousData,
  });
}

/** Reads one page of the statement, for the CSV file. */
export async function readOwnEntries({ page, size }: Window, signal: AbortSignal) {
  return await call(listOwnEntries, { p: page, page_size: size }, signal);
}
