/** Prices of many models at once: multiplied, taken from another model, or read from a table. */

import { decimalPlacesMax, scaled } from "@tollgate/contract/charge.ts";
import { modelNameMax, parseDecimal, reservedNames } from "@tollgate/contract/prices.ts";
import { ratioOf } from "./dollar-prices.ts";
import { type ModelPrices, type PriceMaps, pricesOf, type PriceRow } from "./price-table.ts";

const one = 10n ** BigInt(decimalPlacesMax);

/** Both decimals multiplied, rounded to the last digit that a price may have. */
function times(a: string, b: string): string {
  const product = (scaled(a) * scaled(b) + one / 2n) / one;
  const digits = String(product).padStart(decimalPlacesMax + 1, "0");
  const part = digits.slice(-decimalPlacesMax).replace(/0+$/, "");
  return digits.slice(0, -decimalPlacesMax) + (part === "" ? "" : `.${part}`);
}

/**
 * The models that have a price, with it times the factor. The other ratios stay, because they are
 * relative to the model ratio. Undefined: the product is larger than a price can be.
 */
export function multiply(rows: readonly PriceRow[], factor: string): PriceRow[] | undefined {
  const multiplied = rows.flatMap(({ model, prices }): PriceRow[] => {
    const { ModelPrice, ModelRatio } = prices;
    if (ModelPrice === undefined && ModelRatio === undefined) return [];
    const next: ModelPrices = {
      ...prices,
      ...(ModelPrice === undefined ? {} : { ModelPrice: times(ModelPrice, factor) }),
      ...(ModelRatio === undefined ? {} : { ModelRatio: times(ModelRatio, factor) }),
    };
    return [{ model, prices: next }];
  });
  const isTooLarge = ({ prices }: PriceRow) =>
    [prices.ModelPrice, prices.ModelRatio].some(
      (text) => text !== undefined && !parseDecimal(text).ok,
    );
  return multiplied.some(isTooLarge) ? undefined : multiplied;
}

/** Most characters of a pasted table: some thousand lines. */
export const pastedMax = 200_000;

type Pasted = {
  readonly rows: readonly PriceRow[];
  /** Lines that are no price, or name a model a second time. `line` counts from 1. */
  readonly faults: readonly { readonly line: number; readonly text: string }[];
};

/**
 * Reads a table as it is copied from a sheet or a provider's page: model, input and output price,
 * and, if there is one, the price of cached input, in dollars a million tokens; or model, price and
 * the word "call". Cells end at tabs, commas, semicolons, bars or blanks. A first line without a
 * price is taken for the heads. Ratios that the table does not say stay.
 */
export function readTable(text: string, maps: PriceMaps, quotaPerUnit: string): Pasted {
  const rows = new Map<string, PriceRow>();
  const faults: { line: number; text: string }[] = [];
  let isFirst = true;
  for (const [index, line] of text.split(/\r?\n/).entries()) {
    const cells = line.split(/[\t,;|\s]+/).filter((cell) => cell !== "" && !/^[-:]+$/.test(cell));
    if (cells.length === 0) continue;
    const isHead = isFirst && !cells.some((cell) => parseDecimal(amountOf(cell)).ok);
    isFirst = false;
    if (isHead) continue;
    const row = readLine(cells, maps, quotaPerUnit);
    if (row === undefined || rows.has(row.model)) faults.push({ line: index + 1, text: line });
    else rows.set(row.model, row);
  }
  return { rows: [...rows.values()], faults };
}

/** `$2.50/1M` → `2.50`. */
function amountOf(cell: string): string {
  return cell.replace(/^\$/, "").replace(/\/.*$/, "");
}

function readLine(
  cells: readonly string[],
  maps: PriceMaps,
  quotaPerUnit: string,
): PriceRow | undefined {
  const [model = "", ...rest] = cells;
  if (model.length > modelNameMax || reservedNames.has(model)) return undefined;
  const isCall = rest.length === 2 && /^(call|次)$/i.test(rest[1] ?? "");
  const amounts = (isCall ? rest.slice(0, 1) : rest).map((cell) => parseDecimal(amountOf(cell)));
  const read = amounts.flatMap((amount) => (amount.ok ? [amount.value] : []));
  if (read.length < amounts.length || read.length > 3) return undefined;
  const [input, output, cached] = read;
  if (input === undefined) return undefined;
  if (isCall) return { model, prices: { ModelPrice: input } };
  if (output === undefined) return undefined;
  const ModelRatio = ratioOf(input, quotaPerUnit);
  // A free model has no ratios to its input price.
  const isFree = [input, output, cached ?? "0"].every((price) => scaled(price) === 0n);
  if (isFree) return { model, prices: { ModelRatio: "0" } };
  const CompletionRatio = ratioOf(output, quotaPerUnit, ModelRatio);
  const CacheRatio = cached === undefined ? undefined : ratioOf(cached, quotaPerUnit, ModelRatio);
  if (ModelRatio === undefined || CompletionRatio === undefined) return undefined;
  if (cached !== undefined && CacheRatio === undefined) return undefined;
  const { ModelPrice: _, ...others } = pricesOf(maps, model);
  const cache = CacheRatio === undefined ? {} : { CacheRatio };
  return { model, prices: { ...others, ModelRatio, CompletionRatio, ...cache } };
}
