/** Files of prices as the command line reads and writes them: CSV, or JSON of the price book. */

import type { PriceList } from "@tollgate/contract/money/charge.ts";
import { type BookPrices, bookPrices, readBook } from "@tollgate/contract/money/price-book.ts";
import { isPriceCsv, priceFileMax, readPriceCsv } from "@tollgate/contract/money/price-csv.ts";
import { modelNameMax, reservedNames } from "@tollgate/contract/endpoints/prices.ts";
import { z } from "zod";

const modelName = z
  .string()
  .min(1)
  .max(modelNameMax)
  .refine((name) => name.trim() === name && !reservedNames.has(name));

const priceJson = z.object({ prices: z.record(modelName, bookPrices) });

/** The prices of a file by model, or what is wrong with it. */
type ReadFile =
  | { readonly ok: true; readonly prices: ReadonlyMap<string, BookPrices> }
  | { readonly ok: false; readonly faults: readonly string[] };

/** Returns the models that have a price, by name. */
export function pricedModels(list: PriceList): string[] {
  const models = new Set([...Object.keys(list.ModelPrice), ...Object.keys(list.ModelRatio)]);
  return [...models].toSorted();
}

/** Writes every price as JSON, a line for each model. */
export function writePriceJson(list: PriceList): string {
  const lines = pricedModels(list).map(
    (model) => `  ${JSON.stringify(model)}: ${JSON.stringify(readBook(list, model))}`,
  );
  return `{ "prices": {\n${lines.join(",\n")}\n} }\n`;
}

/** Reads a file of either form. */
export function readPriceFile(text: string): ReadFile {
  if (text.length > priceFileMax) return { ok: false, faults: ["the file is too long"] };
  if (isPriceCsv(text)) {
    const { rows, faults } = readPriceCsv(text);
    return faults.length > 0
      ? { ok: false, faults: faults.map(({ line, message }) => `line ${line}: ${message}`) }
      : { ok: true, prices: new Map(rows.map(({ model, prices }) => [model, prices])) };
  }
  try {
    const { prices } = priceJson.parse(JSON.parse(text));
    return { ok: true, prices: new Map(Object.entries(prices)) };
  } catch (error) {
    const fault =
      error instanceof z.ZodError
        ? error.issues.map(({ path, message }) => `${path.join(".")}: ${message}`)
        : ["it is neither CSV with the column `model` nor JSON of prices"];
    return { ok: false, faults: fault.slice(0, 20) };
  }
}
