import { z } from "zod";
import { listSearch } from "#ui/table/list-search.ts";
import type { PriceRow } from "./price-table.ts";

/** `page` is that of the table of models; `open` says whose prices are edited. */
export const pricesSearch = listSearch.extend({
  /** A part of a model's name. */
  model: z.coerce.string().max(255).default("").catch(""),
});
export type PricesSearch = z.output<typeof pricesSearch>;

/** Prefixes of `open`, before the name of an edited model and of a new one. */
export const modelPrefix = "model-";
export const newPrefix = "new-";

/** What the sheet shows; undefined: it is closed, or the model has gone. */
export function sheetOf(
  open: string,
  rows: readonly PriceRow[],
): { readonly row: PriceRow; readonly isNew: boolean } | undefined {
  if (open.startsWith(newPrefix)) {
    return { row: { model: open.slice(newPrefix.length), prices: {} }, isNew: true };
  }
  const row = rows.find(({ model }) => open === modelPrefix + model);
  return row === undefined ? undefined : { row, isNew: false };
}
