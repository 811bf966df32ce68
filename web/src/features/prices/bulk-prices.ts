/** Changes the prices of many models: multiplies them, or reads them from a pasted table. */

import { decimalPlacesMax, scaled } from "@tollgate/contract/decimals.ts";
import { modelNameMax, parseDecimal, reservedNames } from "@tollgate/contract/prices.ts";
import { ratioOf } from "./dollar-prices.ts";
import { type ModelPrices, type PriceMaps, pricesOf, type PriceRow } from "./price-table.ts";

const one = 10n ** BigInt(decimalPlacesMax);

/** Multiplies two decimals, and rounds to the decimal places that a price may have. */
function times(a: string, b: string): string {
  const product = (scaled(a) * scaled(b) + one / 2n) / one;
  const digits = String(product).padStart(decimalPlacesMax + 1, "0");
  const part = digits.slice(-decimalPlacesMax).replace(/0+$/, "");
  return digits.slice(0, -decimalPlacesMax) + (part === "" ? "" : `.${part}`);
}

/**
 * Multiplies the fixed prices and model ratios of those models that have any. The other ratios do
 * not change, because they are relative to the model ratio. Undefined: a product is larger than a
 * price may be.
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

/** The longest table that is read, in characters: some thousand lines. */
export const pastedMax = 200_000;

type Pasted = {
  readonly rows: readonly PriceRow[];
  /** The lines that are not a price, or that repeat a model. `line` counts from 1. */
  readonly faults: readonly { readonly line: number; readonly text: string }[];
};

/**
 * Reads a table copied from a spreadsheet or a provider's page. Each line has a model, its input
 * and output price and optionally that of cached input, in dollars per million tokens; or a model,
 * a price and the word "call". Cells are separated by tabs, commas, semicolons, vertical bars or
 * spaces. A first line without a price counts as a heading. Ratios that the table does not mention
 * do not change.
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

/** Reads the number in a cell: `$2.50/1M` → `2.50`. */
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
  // A free model gets no further ratios, because they are relative to an input price of 0.
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
