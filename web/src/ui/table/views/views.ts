/**
 * Saved views of a table: filters, order and columns under a name. Stored under `table-views:<id>`.
 */

import { z } from "zod";
import { isFilterName } from "#ui/table/list-search.ts";
import { openStored } from "./stored.ts";
import { type ColumnChoice, columnChoice } from "./table-settings.ts";

export const viewsMax = 20;

/** The longest name of a view, in characters. */
export const viewNameMax = 40;

/**
 * Limits for the stored values of a view: how many, and how long each may be. No screen needs more.
 */
const valuesMax = 40;
const valueMax = 500;

const view = z.object({
  name: z.string().trim().min(1).max(viewNameMax),
  /**
   * The values of filters and sort order in the address. A missing value means the screen's
   * default.
   */
  search: z
    .record(z.string().max(100), z.string().max(valueMax))
    .refine((values) => Object.keys(values).length <= valuesMax),
  columns: columnChoice,
});
export type View = z.output<typeof view>;

/** The saved views of each table. An invalid stored view is dropped, the others are kept. */
export const storedViews = openStored<readonly View[]>(
  "table-views",
  z
    .array(z.unknown())
    .catch([])
    .transform((kept) =>
      kept.flatMap((each) => view.safeParse(each).data ?? []).slice(0, viewsMax),
    ),
);

/**
 * Selects the values of the address that belong to a view: filters and sort order, not the page or
 * the open record.
 */
export function viewSearch(
  address: Readonly<Record<string, unknown>>,
  names: readonly string[],
): Readonly<Record<string, string>> {
  const values = names
    .filter((name) => isViewed(name) && address[name] !== undefined && address[name] !== "")
    .map((name) => [name, String(address[name])] as const);
  return Object.fromEntries(values.toSorted(([one], [other]) => (one < other ? -1 : 1)));
}

/**
 * Makes the change of the address that applies a view. Values that the view does not have return to
 * their defaults.
 */
export function viewPatch({ search }: View, names: readonly string[]): Record<string, unknown> {
  const values = names.filter(isViewed).map((name) => [name, search[name]] as const);
  return { ...Object.fromEntries(values), page: 1, expanded: undefined };
}

function isViewed(name: string): boolean {
  return name === "sort" || isFilterName(name);
}

type Shown = { readonly search: View["search"]; readonly columns: ColumnChoice };

export function isSameView(one: Shown, other: Shown): boolean {
  return (
    JSON.stringify([one.search, one.columns]) === JSON.stringify([other.search, other.columns])
  );
}

/** Adds a view, which replaces an existing view of the same name. */
export function withView(views: readonly View[], added: View): readonly View[] {
  const others = views.filter(({ name }) => name !== added.name);
  return [...others, added].slice(-viewsMax);
}

/** Renames one of the views; null: the new name is taken or invalid. */
export function renameView(
  views: readonly View[],
  name: string,
  next: string,
): readonly View[] | null {
  const wanted = next.trim().slice(0, viewNameMax);
  if (wanted === "") return null;
  if (wanted !== name && views.some((each) => each.name === wanted)) return null;
  return views.map((each) => (each.name === name ? { ...each, name: wanted } : each));
}
