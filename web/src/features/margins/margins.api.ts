/** The API calls of the margins. */

import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { listLosses, listMargins, type MarginKind } from "@tollgate/contract/endpoints/margins.ts";
import { call, callWhole } from "#api/call.ts";
import type { MarginSearch } from "./margins.search.ts";

/** The list's part of the address, but with pages of any length: exports read longer ones. */
type PageSearch = Omit<MarginSearch, "size"> & { readonly size: number };

function inputOf(search: PageSearch) {
  const { span, start, end, model_name, group, username, channel, below, page, size } = search;
  return {
    span,
    ...(start > 0 ? { start_timestamp: start } : {}),
    ...(start > 0 && end > 0 ? { end_timestamp: end } : {}),
    model_name,
    group,
    username,
    ...(channel === "" ? {} : { channel: Number(channel) }),
    below,
    p: page,
    page_size: size,
  };
}

/** Reads what was earned by model, channel, user or group, with the sums of all. */
export function useMargins(by: MarginKind, search: MarginSearch) {
  const input = { by, ...inputOf(search) };
  return useQuery({
    queryKey: ["margins", input],
    queryFn: ({ signal }) => callWhole(listMargins, input, signal),
    placeholderData: keepPreviousData,
  });
}

export async function readMargins(by: MarginKind, search: PageSearch, signal: AbortSignal) {
  return await call(listMargins, { by, ...inputOf(search) }, signal);
}

/** Reads the calls that were sold below cost. */
export function useLosses(search: MarginSearch) {
  const input = inputOf(search);
  return useQuery({
    queryKey: ["losses", input],
    queryFn: ({ signal }) => call(listLosses, input, signal),
    placeholderData: keepPreviousData,
  });
}

export async function readLosses(search: PageSearch, signal: AbortSignal) {
  return await call(listLosses, inputOf(search), signal);
}
