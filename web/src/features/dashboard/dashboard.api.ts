/** The API calls of the dashboard. */

import { keepPreviousData, useQuery } from "@tanstack/react-query";
import {
  type Dashboard,
  type DashboardPromptCaches,
  type Granularity,
  readPromptCaches,
  readDashboard,
  readLines,
  readOwnPromptCaches,
  readOwnDashboard,
} from "@tollgate/contract/endpoints/dashboard.ts";
import { listMargins } from "@tollgate/contract/endpoints/margins.ts";
import { call, callWhole } from "#api/call.ts";
import { type TagFilters, tagsQuery } from "#widgets/tags/tags-query.ts";
import type { DashboardSearch } from "./dashboard.search.ts";

/**
 * Returns the milliseconds between two reads while the dashboard is shown; false: it is not known yet
 * how often root wants them.
 */
function refreshMs(minutes: number | undefined): number | false {
  return minutes === undefined ? false : minutes * 60_000;
}

export type DashboardInput = Pick<
  DashboardSearch,
  "channel" | "end" | "group" | "model_name" | "span" | "start" | "token_id" | "username"
> & { readonly granularity: Granularity; readonly isAdmin: boolean };

/** What is asked: for the user's own calls, and for those of all users. */
function sentOf({ start, end, span, granularity, model_name, group, ...more }: DashboardInput) {
  const own = {
    granularity,
    model_name,
    group,
    span,
    ...(start > 0 ? { start_timestamp: start } : {}),
    ...(start > 0 && end > 0 ? { end_timestamp: end } : {}),
    ...(more.token_id === "" ? {} : { token_id: Number(more.token_id) }),
  };
  const channel = more.channel === "" ? {} : { channel: Number(more.channel) };
  return { own, wide: { ...own, username: more.username, ...channel } };
}

/** Reads what the caches of providers had of the input that the dashboard sums. */
export function usePromptCaches(input: DashboardInput, refreshMinutes: number) {
  return useQuery({
    queryKey: ["dashboard-caches", input],
    queryFn: async ({ signal }): Promise<DashboardPromptCaches> => {
      const { own, wide } = sentOf(input);
      if (!input.isAdmin) return await call(readOwnPromptCaches, own, signal);
      return await call(readPromptCaches, wide, signal);
    },
    placeholderData: keepPreviousData,
    refetchInterval: refreshMs(refreshMinutes),
  });
}

/** Reads what the calls of each tag cost. */
export function useTagSums(filters: TagFilters, isAdmin: boolean) {
  return useQuery({ ...tagsQuery(filters, isAdmin), placeholderData: keepPreviousData });
}

/** Reads the sums of all users for admins, and for everybody else the user's own. */
export function useDashboard(input: DashboardInput) {
  return useQuery({
    queryKey: ["dashboard", input],
    queryFn: async ({ signal }): Promise<Dashboard> => {
      const { own, wide } = sentOf(input);
      if (!input.isAdmin) return await call(readOwnDashboard, own, signal);
      return await call(readDashboard, wide, signal);
    },
    placeholderData: keepPreviousData,
    refetchInterval: ({ state }) => refreshMs(state.data?.refresh_minutes),
  });
}

/** Reads the state of each group that the caller may use. */
export function useLines(refreshMinutes: number | undefined) {
  return useQuery({
    queryKey: ["dashboard-lines"],
    queryFn: async ({ signal }) => await call(readLines, {}, signal),
    refetchInterval: refreshMs(refreshMinutes),
  });
}

/** Reads what root earns with the calls that the dashboard shows. */
export function useMargin(
  input: Pick<DashboardSearch, "channel" | "group" | "model_name" | "username">,
  { start, end }: Pick<Dashboard, "end" | "start">,
) {
  const { channel, group, model_name, username } = input;
  const sent = {
    by: "models" as const,
    span: "7d" as const,
    start_timestamp: start,
    // The span of the dashboard does not have its last second.
    end_timestamp: end - 1,
    model_name,
    group,
    username,
    ...(channel === "" ? {} : { channel: Number(channel) }),
    page_size: 1,
  };
  return useQuery({
    queryKey: ["dashboard-margin", sent],
    queryFn: async ({ signal }) => (await callWhole(listMargins, sent, signal)).extras.totals,
    placeholderData: keepPreviousData,
  });
}
