/**
 * The part of the address that holds the state of the price list, and the filtering and sorting by
 * it.
 */

import { z } from "zod";
import { listSearch } from "#ui/table/list-search.ts";
import { type Dollars, type ModelPrice } from "#widgets/money/model-prices.ts";

const text = z.coerce.string().max(100).default("").catch("");

/** The largest number of tokens that can be typed for the example call. */
export const exampleTokensMax = 100_000_000;

const tokens = z.coerce.number().int().min(0).max(exampleTokensMax);

/** The units in which prices can be shown, with their number of tokens. */
export const units = { K: 1_000n, M: 1_000_000n } as const;

export const pricingSearch = listSearch.extend({
  keyword: text,
  /** The group whose prices are shown; empty: the caller's own. */
  group: text,
  type: z.enum(["", "tokens", "call", "unpriced"]).catch(""),
  /** "group": only models that can be called in the chosen group. */
  only: z.enum(["", "group"]).catch(""),
  unit: z.enum(["K", "M"]).catch("M"),
  /** The table, or a card for each model. */
  view: z.enum(["table", "cards"]).catch("table"),
  /** The models that are compared, separated by commas. `open`: "compare" shows them. */
  compare: z.coerce.string().max(1_100).default("").catch(""),
  /** The tokens of the example call: input without what was cached, cached input, output. */
  tokens_in: tokens.catch(1_000),
  tokens_cached: tokens.catch(0),
  tokens_out: tokens.catch(500),
});
export type PricingSearch = z.output<typeof pricingSearch>;

/** The largest number of models that are compared. */
export const comparedMax = 4;

/** The value of `open` in the address while models are compared side by side. */
export const compareOpen = "compare";

/** Returns the models that the address compares. */
export function comparedModels({ compare }: Pick<PricingSearch, "compare">): string[] {
  const names = compare.split(",").filter((name) => name !== "");
  return [...new Set(names)].slice(0, comparedMax);
}

/** Adds a model to those that are compared, or takes it out; a fifth one is not added. */
export function toggledCompare(search: Pick<PricingSearch, "compare">, model: string): string {
  const present = comparedModels(search);
  if (present.includes(model)) return present.filter((name) => name !== model).join(",");
  return [...present, model].slice(0, comparedMax).join(",");
}

/** Finds the rows that match the filters, in the order that the address names. */
export function findPrices(all: readonly ModelPrice[], search: PricingSearch): ModelPrice[] {
  const wanted = search.keyword.trim().toLowerCase();
  const found = all.filter(
    ({ model, kind, isCallable }) =>
      model.toLowerCase().includes(wanted) &&
      (search.type === "" || kind === search.type) &&
      (search.only === "" || isCallable),
  );
  const column = search.sort.replace(/^-/, "");
  const sign = search.sort.startsWith("-") ? -1 : 1;
  if (column === "model") return found.toSorted((a, b) => sign * compare(a.model, b.model));
  if (column !== "input" && column !== "output") return found;
  return found.toSorted((a, b) => {
    const [left, right] = [sortedPrice(a, column), sortedPrice(b, column)];
    // Rows without the price that is sorted by come last, in ascending and in descending order.
    if (left === null || right === null) return Number(left === null) - Number(right === null);
    return sign * compare(left, right) || compare(a.model, b.model);
  });
}

function sortedPrice(row: ModelPrice, column: "input" | "output"): Dollars | null {
  return row.kind === "tokens" ? row[column] : null;
}

function compare<Value extends bigint | string>(a: Value, b: Value): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
