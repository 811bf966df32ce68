/** What of the price list lives in the address, and the part of the list it asks for. */

import { z } from "zod";
import { listSearch } from "#ui/table/list-search.ts";
import { type Dollars, type ModelPrice } from "./model-prices.ts";

const text = z.coerce.string().max(100).default("").catch("");

/** Tokens a price is of. */
export const units = { K: 1_000n, M: 1_000_000n } as const;

export const pricingSearch = listSearch.extend({
  keyword: text,
  /** Whose ratio counts; empty: the caller's own group. */
  group: text,
  type: z.enum(["", "tokens", "call", "unpriced"]).catch(""),
  /** "group": what can be called in that group alone. */
  only: z.enum(["", "group"]).catch(""),
  unit: z.enum(["K", "M"]).catch("M"),
});
export type PricingSearch = z.output<typeof pricingSearch>;

/** The rows that the filters leave, in the order asked for. */
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
    // What has no such price stands below, whichever way.
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
