/** Calls of the page that shows the console API. */

import { useQuery } from "@tanstack/react-query";
import { readApiDocument } from "@tollgate/contract/endpoints/api-document.ts";
import { call } from "#api/call.ts";

export function useApiDocument() {
  return useQuery({
    queryKey: ["api-document"],
    queryFn: async ({ signal }) => await call(readApiDocument, {}, signal),
    // It changes with the server's version only.
    staleTime: Infinity,
  });
}
