/**
 * A list's state in the address: filters, page, size, sort, open record, expanded rows. The address
 * is the only place where they stand, so reload, Back and a pasted link bring the same list back.
 */

import { useNavigate, useSearch } from "@tanstack/react-router";
import { useCallback, useMemo } from "react";
import { z } from "zod";
import { pageSizeDefault, pageSizes, readPageSize } from "./pages/page-size.ts";

/** What every list has in its address; a screen extends it with its filters. */
export const listSearch = z.object({
  /** From 1. */
  page: z.coerce.number().int().min(1).catch(1),
  size: z.coerce
    .number()
    .pipe(z.literal(pageSizes))
    .catch(() => readPageSize()),
  /** A column's id, with `-` before it when the largest comes first; empty: as the server sorts. */
  sort: z.string().catch(""),
  /** Id of the record whose sheet is open, or "new"; empty: none. */
  open: z.string().catch(""),
  /** Ids of the rows that are unfolded, with commas between them. */
  expanded: z.string().catch(""),
});
export type ListSearch = z.output<typeof listSearch>;

/** What `useListSearch` can be given: `listSearch`, extended by filters. */
type ListSearchSchema = z.ZodType<ListSearch>;

/** Undefined takes a value back to the schema's own. */
export type SearchPatch<Search> = { readonly [Name in keyof Search]?: Search[Name] | undefined };

export type SetListSearch<Search extends ListSearch = ListSearch> = (
  patch: SearchPatch<Search>,
  options?: { readonly replace?: boolean },
) => void;

/** These change what is seen of a result, not the result: the page stays. */
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
        // The router types an address by its routes, which a kit does not know.
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
 * The address after a change; undefined takes a value back to the schema's own. A changed filter
 * leads to page 1, and values that are the schema's own are left out. What is in the address and
 * not in the schema stays.
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
  // The third page of a link is another one for a reader whose own pages are longer.
  if (name === "size") return value !== pageSizeDefault || next["page"] !== 1;
  return value !== undefined && value !== own;
}
