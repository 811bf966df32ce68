/**
 * The state of a list, which is kept only in the address: filters, page, size, sort, open record,
 * unfolded rows. So a reload, Back and a pasted link all show the same list again.
 */

import { useNavigate, useSearch } from "@tanstack/react-router";
import { useCallback, useMemo } from "react";
import { z } from "zod";
import { hideKnownKey } from "#ui/copy/kept-secret.ts";
import { pageSizeDefault, pageSizes, readPageSize } from "./pages/page-size.ts";

/** What every list keeps in its address; each screen extends the schema by its filters. */
export const listSearch = z.object({
  /** The page number, from 1. */
  page: z.coerce.number().int().min(1).catch(1),
  size: z.coerce
    .number()
    .pipe(z.literal(pageSizes))
    .catch(() => readPageSize()),
  /**
   * The id of the column to sort by, with `-` before it for largest first; empty: the server's
   * default order.
   */
  sort: z.string().catch(""),
  /** The id of the record whose sheet is open, or "new"; empty: no sheet is open. */
  open: z.string().catch(""),
  /** The id of the record that is open beside the list; empty: none is. */
  peek: z.string().catch(""),
  /** The ids of the unfolded rows, separated by commas. */
  expanded: z.string().catch(""),
});
export type ListSearch = z.output<typeof listSearch>;

/** The argument of `useListSearch`: `listSearch`, extended by the screen's filters. */
type ListSearchSchema = z.ZodType<ListSearch>;

/** A change of the list's state. Undefined restores the schema's default. */
export type SearchPatch<Search> = { readonly [Name in keyof Search]?: Search[Name] | undefined };

export type SetListSearch<Search extends ListSearch = ListSearch> = (
  patch: SearchPatch<Search>,
  options?: { readonly replace?: boolean },
) => void;

/** Values that are not filters. Changing one of them does not lead back to page 1. */
const besidesFilters: ReadonlySet<string> = new Set([
  "page",
  "size",
  "sort",
  "open",
  "peek",
  "expanded",
]);

export function isFilterName(name: string): boolean {
  return !besidesFilters.has(name);
}

/**
 * Reads the list's state from the address, and returns a function that changes it. The schema must
 * be made once, outside of the component: `const search = listSearch.extend({ keyword:
 * z.string().catch("") })`.
 */
export function useListSearch<Schema extends ListSearchSchema>(
  schema: Schema,
): [z.output<Schema>, SetListSearch<z.output<Schema>>] {
  const address: Record<string, unknown> = useSearch({ strict: false });
  const navigate = useNavigate();
  const search = useMemo(() => schema.parse(address), [schema, address]);
  const setSearch = useCallback<SetListSearch<z.output<Schema>>>(
    (patch, options) => {
      void navigate({
        to: ".",
        // The router types an address by its route, and the kit does not know the routes.
        search: ((before: Record<string, unknown>) =>
          patchAddress(schema, before, patch)) as unknown as true,
        replace: options?.replace ?? false,
        resetScroll: false,
      });
    },
    [schema, navigate],
  );
  return [search, setSearch];
}

/**
 * Returns the query of the address after a change; undefined restores the schema's default. A
 * changed filter leads to page 1. Values that equal their default are left out, and values that are
 * not in the schema stay.
 */
export function patchAddress(
  schema: ListSearchSchema,
  address: Readonly<Record<string, unknown>>,
  patch: Readonly<Record<string, unknown>>,
): Record<string, unknown> {
  const own: Record<string, unknown> = schema.parse({});
  const before: Record<string, unknown> = schema.parse(address);
  const next: Record<string, unknown> = schema.parse({ ...before, ...withoutKeys(patch) });
  const filtered = Object.keys(patch).some(
    (name) => isFilterName(name) && next[name] !== before[name],
  );
  if (filtered && patch["page"] === undefined) next["page"] = 1;
  const result: Record<string, unknown> = { ...address };
  for (const [name, value] of Object.entries(next)) {
    if (isWorthNaming(name, value, own[name], next)) result[name] = value;
    else delete result[name];
  }
  return result;
}

/** A provider's key that somebody has pasted into a filter is masked: addresses are kept and sent. */
function withoutKeys(patch: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(patch).map(([name, value]) => [
      name,
      typeof value === "string" && isFilterName(name) ? hideKnownKey(value) : value,
    ]),
  );
}

function isWorthNaming(
  name: string,
  value: unknown,
  own: unknown,
  next: Readonly<Record<string, unknown>>,
): boolean {
  // A link to a later page includes the page size even if it is the default: the reader's own page
  // size would show other rows.
  if (name === "size") return value !== pageSizeDefault || next["page"] !== 1;
  return value !== undefined && value !== own;
}
