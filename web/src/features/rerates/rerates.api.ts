/** The API calls of the screen with the re-rates. */

import { keepPreviousData, useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import {
  beginRerate,
  listRerates,
  readRerate,
  type Shortfall,
  stopRerate,
  undoRerate,
} from "@tollgate/contract/endpoints/rerates.ts";
import { call } from "#api/call.ts";

const reratesKey = ["rerates"];

/** How often a re-rate that goes on is read again, in milliseconds. */
const followMs = 1_000;

const isOpen = ({ state }: { readonly state: string }): boolean =>
  state !== "done" && state !== "stopped";

export function useRerates(input: { readonly page: number; readonly size: number }) {
  return useQuery({
    queryKey: [...reratesKey, input],
    queryFn: async ({ signal }) => {
      const { items, total } = await call(
        listRerates,
        { p: input.page, page_size: input.size },
        signal,
      );
      return { items, total };
    },
    placeholderData: keepPreviousData,
    refetchInterval: ({ state }) => (state.data?.items.some(isOpen) === true ? followMs : false),
  });
}

export function useRerate(id: number) {
  return useQuery({
    queryKey: [...reratesKey, "one", id],
    queryFn: ({ signal }) => call(readRerate, { id }, signal),
    refetchInterval: ({ state }) =>
      state.data !== undefined && isOpen(state.data.rerate) ? followMs : false,
  });
}

/** What root says when calls are charged again. */
export type RerateWish = {
  readonly reason: string;
  readonly notice: string;
  readonly shortfall: Shortfall;
};

export function useBeginRerate() {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: (wish: RerateWish & { readonly preview: string }) => call(beginRerate, wish),
    onSettled: () => queries.invalidateQueries(),
  });
}

export function useUndoRerate() {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: (wish: RerateWish & { readonly id: number }) => call(undoRerate, wish),
    onSettled: () => queries.invalidateQueries(),
  });
}

export function useStopRerate() {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: (id: number) => call(stopRerate, { id }),
    onSettled: () => queries.invalidateQueries(),
  });
}
