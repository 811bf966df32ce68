/** The API calls of the screen of imports. */

import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { listImports, openImportedUser } from "@tollgate/contract/endpoints/imports.ts";
import { call } from "#api/call.ts";

/** Milliseconds after which the list is read again: the command runs somewhere else. */
const refreshMs = 2_000;

const key = ["imports"] as const;

export function useImports() {
  return useQuery({
    queryKey: key,
    queryFn: ({ signal }) => call(listImports, {}, signal),
    staleTime: 0,
    refetchInterval: refreshMs,
  });
}

export function useOpenUser() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (input: { readonly id: number; readonly user: string }) =>
      call(openImportedUser, input),
    onSuccess: async () => await client.invalidateQueries({ queryKey: key }),
  });
}
