/** The API calls of the log screen. Users read their own rows, admins those of all users. */

import {
  keepPreviousData,
  queryOptions,
  useQuery,
  useQueryClient,
  type QueryClient,
} from "@tanstack/react-query";
import {
  listLogs,
  listLogsByKey,
  listOwnLogs,
  logCountMax,
  type Log,
  type OwnLog,
  readLogStat,
  readLogStatByKey,
  readOwnLogStat,
} from "@tollgate/contract/endpoints/logs.ts";
import { readUser } from "@tollgate/contract/endpoints/user-admin.ts";
import { call } from "#api/call.ts";
import { type LogPage, mergeNewer, pageOf } from "./live/live-page.ts";
import type { LogSearch } from "./logs.search.ts";

/**
 * Whose rows are read: the caller's own, those of all users, or, for root, those of the token with
 * this key.
 */
export type LogScope =
  | { readonly kind: "all" }
  | { readonly kind: "key"; readonly key: string }
  | { readonly kind: "own" };

export type LogFilter = Pick<
  LogSearch,
  | "channel"
  | "conversation_id"
  | "end"
  | "ending"
  | "group"
  | "model_name"
  | "request_id"
  | "start"
  | "tag"
  | "token_id"
  | "token_name"
  | "type"
  | "usage_source"
  | "username"
> & {
  /** Only rows of at least so many quota units; 0: all. */
  readonly quotaMin: number;
};

export type LogInput = {
  readonly scope: LogScope;
  readonly filter: LogFilter;
  readonly page: number;
  readonly size: number;
  /** `quota` or `-quota`; empty: newest first. */
  readonly sort: string;
};

/**
 * While the live tail is on: milliseconds between two reads of newer rows (`tailIntervalMs`), of
 * the whole page (`wholeIntervalMs`) and of the sums (`statIntervalMs`).
 */
export const tailIntervalMs = 3_000;
const wholeIntervalMs = 30_000;
const statIntervalMs = 10_000;

/**
 * Milliseconds for which an answer is kept after its list was left. Short, because the default range
 * ends with the time of the visit, so that another visit rarely asks for the same.
 */
const keptMs = 30_000;

/** Returns the filters as input of the endpoints; empty filters are left out. */
export function sentFilter(scope: LogScope, filter: LogFilter) {
  const own = {
    type: filter.type === "" ? undefined : Number(filter.type),
    model_name: filter.model_name,
    token_name: filter.token_name,
    token_id: filter.token_id === "" ? undefined : Number(filter.token_id),
    group: filter.group,
    ending: filter.ending,
    tag: filter.tag,
    quota_min: filter.quotaMin === 0 ? undefined : filter.quotaMin,
    start_timestamp: filter.start === 0 ? undefined : filter.start,
    end_timestamp: filter.end === 0 ? undefined : filter.end,
  };
  if (scope.kind === "own") return withoutEmpty(own);
  const isId = /^\d{1,15}$/.test(filter.channel);
  const byChannel = isId ? { channel: Number(filter.channel) } : { channel_name: filter.channel };
  return withoutEmpty({ ...own, username: filter.username, ...byChannel });
}

/** Returns the filters with those that sums of the list leave out. */
export function sentWhole(scope: LogScope, filter: LogFilter) {
  const { conversation_id: id, request_id, usage_source } = filter;
  const conversation_id = id === "" ? undefined : Number(id);
  return {
    ...sentFilter(scope, filter),
    ...withoutEmpty({ conversation_id, request_id, usage_source }),
  };
}

function withoutEmpty<Sent extends object>(sent: Sent): Partial<Sent> {
  const entries = Object.entries(sent).filter(([, value]) => value !== "" && value !== undefined);
  // Safe cast: only fields are removed.
  return Object.fromEntries(entries) as Partial<Sent>;
}

type Window = { readonly p: number; readonly page_size: number; readonly after_id?: number };

async function readRows(
  { scope, filter, sort }: LogInput,
  window: Window,
  signal: AbortSignal,
): Promise<{ items: readonly (Log | OwnLog)[]; total: number }> {
  const sent = { ...sentWhole(scope, filter), ...withoutEmpty({ sort }), ...window };
  if (scope.kind === "own") return await call(listOwnLogs, sent, signal);
  if (scope.kind === "all") return await call(listLogs, sent, signal);
  return await call(listLogsByKey, { ...sent, key: scope.key }, signal);
}

function logsQuery(input: LogInput) {
  return queryOptions({
    queryKey: ["logs", input],
    queryFn: async ({ signal }) => {
      const window = { p: input.page, page_size: input.size };
      return pageOf(await readRows(input, window, signal));
    },
    placeholderData: keepPreviousData,
    gcTime: keptMs,
  });
}

/**
 * Reads a page of the log. While `live` is set, newer rows are added to it regularly, except while
 * the browser's tab is hidden.
 */
export function useLogs(input: LogInput, live: boolean) {
  const client = useQueryClient();
  const list = useQuery({
    ...logsQuery(input),
    refetchInterval: live ? wholeIntervalMs : false,
    select: showPage,
  });
  const tail = useQuery({
    queryKey: ["logs-tail", input],
    queryFn: async ({ signal }) => await readNewer(client, input, signal),
    enabled: live && list.data !== undefined && !list.isPlaceholderData,
    refetchInterval: tailIntervalMs,
    gcTime: 0,
    // A failed read is not retried, because the next regular read follows soon.
    retry: false,
  });
  return { list, isTailBroken: live && tail.isError };
}

/** Reads a page with the same filters, for an export. */
export async function readLogs(input: LogInput, signal: AbortSignal) {
  const { page: p, size: page_size } = input;
  return showPage(pageOf(await readRows(input, { p, page_size }, signal)));
}

/**
 * Returns the page in the form that lists expect. `capped`: the server stopped counting at its
 * limit, so the list shows a plus sign after the number.
 */
export function showPage({ items, total }: LogPage) {
  return { items, total, capped: total >= logCountMax };
}

/**
 * Reads rows that are newer than the shown ones, and adds them to the page.
 *
 * @returns the number of new rows.
 */
async function readNewer(
  client: QueryClient,
  input: LogInput,
  signal: AbortSignal,
): Promise<number> {
  const { queryKey } = logsQuery(input);
  const before = client.getQueryData(queryKey);
  if (before === undefined) return 0;
  const window = { p: 1, page_size: input.size, after_id: before.newestId };
  const found = await readRows(input, window, signal);
  if (found.items.length > 0) {
    client.setQueryData(queryKey, (now) => now && mergeNewer(now, found, input.size));
  }
  return found.items.length;
}

/** Reads the sums over all rows that match the filters, whichever page is shown. */
export function useLogStat({ scope, filter }: LogInput, live: boolean) {
  return useQuery({
    queryKey: ["log-stat", scope, filter],
    queryFn: async ({ signal }) => {
      const sent = sentFilter(scope, filter);
      if (scope.kind === "own") return await call(readOwnLogStat, sent, signal);
      if (scope.kind === "all") return await call(readLogStat, sent, signal);
      return await call(readLogStatByKey, { ...sent, key: scope.key }, signal);
    },
    placeholderData: keepPreviousData,
    gcTime: keptMs,
    refetchInterval: live ? statIntervalMs : false,
  });
}

/**
 * Reads the user of a log row.
 *
 * @param id null: nothing is read.
 */
export function useLogUser(id: number | null) {
  return useQuery({
    queryKey: ["users", id],
    queryFn: async ({ signal }) => await call(readUser, { id: id ?? 0 }, signal),
    enabled: id !== null,
  });
}
