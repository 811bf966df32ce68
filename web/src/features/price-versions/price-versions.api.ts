/** The API calls of the screen with the versions of the prices. */

import { keepPreviousData, useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import {
  diffPriceVersions,
  listPriceVersions,
  rollBackPrices,
} from "@tollgate/contract/endpoints/price-versions.ts";
import { call } from "#api/call.ts";

const versionsKey = ["price-versions"];

export function usePriceVersions(input: { readonly page: number; readonly size: number }) {
  return useQuery({
    queryKey: [...versionsKey, input],
    queryFn: async ({ signal }) => {
      const { items, total } = await call(
        listPriceVersions,
        { p: input.page, page_size: input.size },
        signal,
      );
      return { items, total };
    },
    placeholderData: keepPreviousData,
  });
}

/** Compares two versions; 0 stands for the one in force. */
export function usePriceDifference({ from, to }: { readonly from: number; readonly to: number }) {
  return useQuery({
    queryKey: [...versionsKey, "diff", from, to],
    queryFn: ({ signal }) =>
      call(
        diffPriceVersions,
        { ...(from === 0 ? {} : { from }), ...(to === 0 ? {} : { to }) },
        signal,
      ),
  });
}

/** Makes a new version of an earlier one; every screen that shows prices reads them again. */
export function useRollBack() {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: (back: { readonly id: number; readonly reason: string }) =>
      call(rollBackPrices, back),
    onSettled: () => queries.invalidateQueries(),
  });
}
