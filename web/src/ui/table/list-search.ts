/**
 * A list's state in the address: filters, page, size, sort, open record, unfolded rows. It is kept
 * nowhere else, so a reload, Back and a pasted link show the same list again.
 */

import { useNavigate, useSearch } from "@tanstack/react-router";
import { useCallback, useMemo } from "react";
import { z } from "zod";
import { pageSizeDefault, pageSizes, readPageSize } from "./pages/page-size.ts";

/** What every list has in its address; a screen extends it with its filters. */
export const listSearch = z.object({
  /** The page number, from 1. */
  page: z.coerce.number().int().min(1).catch(1),
  size: z.coerce
    .number()
    .pipe(z.literal(pageSizes))
    .catch(() => readPageSize()),
  /** A column's id, with `-` before it for largest first; empty: the server's order. */
  sort: z.string().catch(""),
  /** Id of the record whose sheet is open, or "new"; empty: none. */
  open: z.string().catch(""),
  /** Ids of the unfolded rows, separated by commas. */
  expanded: z.string().catch(""),
});
export type ListSearch = z.output<typeof listSearch>;

/** The argument of `useListSearch`: `listSearch`, extended by filters. */
type ListSearchSchema = z.ZodType<ListSearch>;

/** Undefined restores the schema's default. */
export type SearchPatch<Search> = { readonly [Name in keyof Search]?: Search[Name] | undefined };

export type SetListSearch<Search extends ListSearch = ListSearch> = (
  patch: SearchPatch<Search>,
  options?: { readonly replace?: boolean },
) => void;

/** These change the view of a result, not the result: the page stays. */
const besidesFilters: ReadonlySet<string> = new Set(["page", "size", "sort", "open", "expanded"]);

export function isFilterName(name: string): boolean {
  return !besidesFilters.has(name);
}

/**
 * The list's part of the address, and how to change it. The schema is made once, outside the
 * component: `const search = listSearch.extend({ keyword: z.string().catch("") })`.
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
        // The kit does not know the routes that the router derives an address's type from.
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
 * The address after a change; undefined restores the schema's default. A changed filter leads to
 * page 1, and defaults are left out. Values that are in the address and not in the schema stay.
 */
export function patchAddress(
  schema: ListSearchSchema,
  address: Readonly<Record<string, unknown>>,
  patch: Readonly<Record<string, unknown>>,
): Record<string, unknown> {
  const own: Record<string, unknown> = schema.parse({});
  const before: Record<string, unknown> = schema.parse(address);
  const next: Record<string, unknown> = schema.parse({ ...before, ...patch });
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

function isWorthNaming(
  name: string,
  value: unknown,
  own: unknown,
  next: Readonly<Record<string, unknown>>,
): boolean {
  // A link to a later page names the page size too: with another default, the page would show other
  // rows.
  if (name === "size") return value !== pageSizeDefault || next["page"] !== 1;
  return value !== undefined && value !== own;
}
