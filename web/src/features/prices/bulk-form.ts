/** What the form for many models means: their prices before and after it. */

import type { PriceList } from "@tollgate/contract/money/charge.ts";
import { type BookPrices, readBook } from "@tollgate/contract/money/price-book.ts";
import { parseDecimal } from "@tollgate/contract/endpoints/prices.ts";
import { checkBook, multiplyBook, setBook, type SetPrices } from "./bulk-prices.ts";

export const bulkModes = ["factor", "set", "same"] as const;

const setFields = ["input", "output", "cacheRead", "perCall"] as const;

export type BulkForm = {
  readonly mode: (typeof bulkModes)[number];
  readonly factor: string;
  /** The model whose prices are copied. */
  readonly from: string;
  readonly reason: string;
} & { readonly [Field in (typeof setFields)[number]]: string };

export type BulkResult = {
  /** The models that change; those without a price have nothing to multiply. */
  readonly changes: readonly {
    readonly model: string;
    readonly before: BookPrices | undefined;
    readonly after: BookPrices;
  }[];
};

/** Why there is no result, and at which field that is said. */
export type BulkFault = {
  readonly field: "factor" | "from" | (typeof setFields)[number];
  readonly kind: "inexact" | "model" | "nothing" | "number";
  /** The models whose new prices could not be exact. */
  readonly models?: readonly string[];
};

/** Computes the new prices of the models. */
export function bulkChanges(
  form: BulkForm,
  models: readonly string[],
  list: PriceList,
): BulkFault | BulkResult {
  const change = changeOf(form, list);
  if (typeof change !== "function") return change;
  const inexact: string[] = [];
  const changes = models.flatMap((model) => {
    const before = readBook(list, model);
    if (before === undefined && form.mode === "factor") return [];
    const after = change(before);
    if (after !== undefined && checkBook(model, after, list.QuotaPerUnit).ok) {
      return [{ model, before, after }];
    }
    inexact.push(model);
    return [];
  });
  if (inexact.length === 0) return { changes };
  const field = form.mode === "factor" ? "factor" : form.mode === "same" ? "from" : "input";
  return { field, kind: "inexact", models: inexact };
}

type Change = (before: BookPrices | undefined) => BookPrices | undefined;

function changeOf(form: BulkForm, list: PriceList): BulkFault | Change {
  if (form.mode === "factor") {
    const factor = parseDecimal(form.factor);
    if (form.factor.trim() === "" || !factor.ok) return { field: "factor", kind: "number" };
    return (before) => before && multiplyBook(before, factor.value);
  }
  if (form.mode === "same") {
    const source = form.from === "" ? undefined : readBook(list, form.from);
    return source === undefined ? { field: "from", kind: "model" } : () => source;
  }
  const set: Partial<Record<keyof SetPrices, string>> = {};
  for (const field of setFields) {
    if (form[field].trim() === "") continue;
    const amount = parseDecimal(form[field]);
    if (!amount.ok) return { field, kind: "number" };
    set[field] = amount.value;
  }
  if (Object.keys(set).length === 0) return { field: "input", kind: "nothing" };
  return (before) => setBook(before, set);
}
