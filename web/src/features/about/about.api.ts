/** Calls of the about page. */

import { useQuery } from "@tanstack/react-query";
import { readAbout } from "@tollgate/contract/endpoints/content.ts";
import { call } from "#api/call.ts";

const staleMs = 60_000;

export function useAbout() {
  return useQuery({
    queryKey: ["about"],
    queryFn: async ({ signal }) => await call(readAbout, {}, signal),
    staleTime: staleMs,
  });
}
