/** Links from figures of the dashboard to the log rows that they add up. */

import type { Dashboard, DashboardPart } from "@tollgate/contract/endpoints/dashboard.ts";
import { logType } from "@tollgate/contract/endpoints/logs.ts";
import type { LinkTarget } from "#ui/controls/Link.tsx";
import type { DashboardSearch } from "./dashboard.search.ts";

export type LogFilters = Partial<
  Record<
    "channel" | "end" | "group" | "model_name" | "start" | "token_id" | "type" | "username",
    string | number
  >
>;

/** The log's `token_id` for calls without a token, as in the playground. */
const withoutToken = -1;

/** The filters of the log that show the charged calls of the whole dashboard. */
export function filtersOf(
  { start, end }: Pick<Dashboard, "end" | "start">,
  search: DashboardSearch,
): LogFilters {
  const { model_name: model, group, token_id, username, channel } = search;
  return {
    type: String(logType.enum.consumption),
    start,
    // The log's end is inclusive.
    end: end - 1,
    ...(model === "" ? {} : exactModel(model)),
    ...(group === "" ? {} : { group }),
    // By id, because several tokens may have one name, and a deleted token has none.
    ...(token_id === "" ? {} : { token_id }),
    ...(username === "" ? {} : { username }),
    ...(channel === "" ? {} : { channel }),
  };
}

/** The same for the calls of each tag. */
export function tagFilters(
  { start, end }: Pick<Dashboard, "end" | "start">,
  { model_name: model, group, token_id, username, channel }: DashboardSearch,
) {
  const model_name = model === "" ? "" : exactModel(model).model_name;
  return { start, end: end - 1, model_name, group, token_id, username, channel };
}

/** The filter for the calls of one model, and not of those whose names contain its name. */
export function exactModel(model: string): { readonly model_name: string } {
  return { model_name: `=${model}` };
}

export function logLink(search: LogFilters): LinkTarget {
  return { to: "/log", search };
}

/** The filters for the calls of a bar, which may reach beyond the span. */
export function barFilters(
  { start, end, buckets, series }: Dashboard,
  whole: LogFilters,
  place: { readonly bucket: number; readonly series: number | null },
): LogFilters {
  const from = Math.max(start, buckets[place.bucket] ?? start);
  const to = Math.min(end, buckets[place.bucket + 1] ?? end);
  const model = place.series === null ? null : (series[place.series]?.model_name ?? null);
  return { ...whole, start: from, end: to - 1, ...(model === null ? {} : exactModel(model)) };
}

export type ShareKind = "channels" | "models" | "tokens" | "users";

/** The filters for the calls of one part; null: the log has no filter for it. */
export function partFilters(
  kind: ShareKind,
  { id, name }: DashboardPart,
  whole: LogFilters,
): LogFilters | null {
  switch (kind) {
    case "channels":
      return { ...whole, channel: String(id) };
    case "models":
      return { ...whole, ...exactModel(name) };
    case "tokens":
      return { ...whole, token_id: String(id === 0 ? withoutToken : id) };
    case "users":
      return name === "" ? null : { ...whole, username: name };
  }
}
