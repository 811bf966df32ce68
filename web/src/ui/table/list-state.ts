/** Decides which state a list is in, from its query and the network. */

import type { Filter, ListQuery } from "./column.ts";

export type ListState =
  | "loading"
  | "rows"
  | "empty"
  | "empty-filtered"
  | "failed"
  | "offline"
  | "forbidden";

type SearchValues = Readonly<Record<string, unknown>>;

export function listState(
  query: Pick<ListQuery<unknown>, "data" | "error">,
  filtered: boolean,
  online: boolean,
): ListState {
  if (query.data !== undefined) {
    if (query.data.items.length > 0) return "rows";
    return filtered ? "empty-filtered" : "empty";
  }
  if (query.error === null) return online ? "loading" : "offline";
  if (!online) return "offline";
  return isRefused(query.error) ? "forbidden" : "failed";
}

/** Whether the server refused the request, so that asking again would get the same answer. */
function isRefused(error: Error): boolean {
  const status = "status" in error ? error.status : undefined;
  return status === 200 || status === 403;
}

/** Returns the keys of the search schema that belong to a filter: two for a range of time. */
export function filterNames(filter: Filter): readonly string[] {
  return filter.kind === "time" ? [filter.name, filter.end] : [filter.name];
}

/** Whether a filter is set, so that it leaves out rows. */
export function isFiltering(filter: Filter, search: SearchValues): boolean {
  return filterNames(filter).some((name) => !isNone(search[name], filter.none));
}

export function isNone(value: unknown, none?: string | number): boolean {
  if (none !== undefined) return String(value) === String(none);
  return value === undefined || value === null || value === "" || value === 0;
}

/** Makes the change of the list's state that clears all filters and the search field. */
export function clearPatch(filters: readonly Filter[], keyword: string | undefined) {
  const names = [...filters.flatMap(filterNames), ...(keyword === undefined ? [] : [keyword])];
  return Object.fromEntries(names.map((name) => [name, undefined]));
}
