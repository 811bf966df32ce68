/** The API call of the statistics of channels. */

import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { listChannelUse } from "@tollgate/contract/endpoints/channel-statistics.ts";
import { call } from "#api/call.ts";
import type { StatisticsSearch } from "./channel-statistics.search.ts";

/** Reads what was charged through each channel, and how its attempts ended. */
export function useChannelUse(search: StatisticsSearch) {
  const input = {
    start_timestamp: search.start,
    end_timestamp: search.end,
    model_name: search.model_name,
    channel_id: Number(search.channel_id),
    merge: search.merge,
  };
  return useQuery({
    queryKey: ["channel-statistics", input],
    queryFn: ({ signal }) => call(listChannelUse, input, signal),
    placeholderData: keepPreviousData,
  });
}
