/** Reads what the calls of each tag cost. */

import {
  type LogFacetValues,
  readLogFacet,
  readOwnLogFacet,
} from "@tollgate/contract/endpoints/log-answers.ts";
import { call } from "#api/call.ts";

/** Filters of the log; `start` and `end` are Unix seconds and inclusive. */
export type TagFilters = {
  readonly start: number;
  readonly end: number;
  readonly model_name?: string;
  readonly group?: string;
  readonly token_id?: string;
  readonly username?: string;
  readonly channel?: string;
};

/** @param ofAll whether the calls of all users are summed, as admins see them. */
export function tagsQuery({ start, end, ...filters }: TagFilters, ofAll: boolean) {
  const { model_name = "", group = "", token_id = "", username = "", channel = "" } = filters;
  const own = {
    facet: "tag" as const,
    prefix: "",
    type: 2,
    start_timestamp: start,
    end_timestamp: end,
    model_name,
    group,
    ...(token_id === "" ? {} : { token_id: Number(token_id) }),
  };
  const wide = { ...own, username, ...(channel === "" ? {} : { channel: Number(channel) }) };
  return {
    queryKey: ["tags", ofAll, ofAll ? wide : own],
    queryFn: async ({ signal }: { readonly signal: AbortSignal }): Promise<LogFacetValues> =>
      ofAll ? await call(readLogFacet, wide, signal) : await call(readOwnLogFacet, own, signal),
  };
}
