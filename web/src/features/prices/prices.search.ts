import { z } from "zod";
import { listSearch } from "#ui/table/list-search.ts";
import type { PriceRow } from "./price-table.ts";

/**
 * The part of the address that holds the table's state: `page` is the page shown, `open` names the
 * model whose prices are being edited.
 */
export const pricesSearch = listSearch.extend({
  /** The keyword: a part of a model's name. */
  model: z.coerce.string().max(255).default("").catch(""),
});
export type PricesSearch = z.output<typeof pricesSearch>;

/** The prefixes in `open`, before the name of a model that is edited or added. */
export const modelPrefix = "model-";
export const newPrefix = "new-";

/**
 * Returns the model to show in the sheet; undefined: no sheet is open, or its model does not exist
 * any more.
 */
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
