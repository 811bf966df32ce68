/** The nine price maps as one table of models, and back. Decimals stay text, see `charge.ts`. */

import { scaled } from "@tollgate/contract/charge.ts";
import { type Parsed, parseDecimalMap, showDecimalMap } from "@tollgate/contract/prices.ts";
import { type PriceMapName, priceMapNames } from "#widgets/money/price-maps.ts";

type DecimalMap = Readonly<Record<string, string>>;
export type PriceMaps = Readonly<Record<PriceMapName, DecimalMap>>;
/** What a model has; what it has not is left out. */
export type ModelPrices = Partial<Readonly<Record<PriceMapName, string>>>;
export type PriceRow = { readonly model: string; readonly prices: ModelPrices };

/** The maps from their JSON texts; the first mistake when there is one. */
export function readPriceMaps(textOf: (name: PriceMapName) => string): Parsed<PriceMaps> {
  const maps: Partial<Record<PriceMapName, DecimalMap>> = {};
  for (const name of priceMapNames) {
    const parsed = parseDecimalMap(textOf(name));
    if (!parsed.ok) return { ok: false, message: `${name}：${parsed.message}` };
    maps[name] = parsed.value;
  }
  // Every name was set by the loop.
  return { ok: true, value: maps as PriceMaps };
}

/** By name, as people look for one. */
export function priceRows(maps: PriceMaps): PriceRow[] {
  const models = new Set(priceMapNames.flatMap((name) => Object.keys(maps[name])));
  return [...models].toSorted().map((model) => ({ model, prices: pricesOf(maps, model) }));
}

export function pricesOf(maps: PriceMaps, model: string): ModelPrices {
  const prices: Partial<Record<PriceMapName, string>> = {};
  for (const name of priceMapNames) {
    const text = Object.hasOwn(maps[name], model) ? maps[name][model] : undefined;
    if (text !== undefined) prices[name] = text;
  }
  return prices;
}

/** JSON texts of the maps that differ once `model` has `prices`; none: it has none any more. */
export function putPrices(
  maps: PriceMaps,
  model: string,
  prices: ModelPrices,
): { readonly name: PriceMapName; readonly text: string }[] {
  const texts: { name: PriceMapName; text: string }[] = [];
  for (const name of priceMapNames) {
    const before = Object.hasOwn(maps[name], model) ? maps[name][model] : undefined;
    const next = prices[name];
    if (before === next) continue;
    const { [model]: _, ...others } = maps[name];
    // One that was there keeps its place in the JSON.
    const map =
      next === undefined
        ? others
        : before === undefined
          ? { ...others, [model]: next }
          : { ...maps[name], [model]: next };
    texts.push({ name, text: showDecimalMap(map) });
  }
  return texts;
}

/** Of the models that can be called, those no price is set for: calls of them are refused. */
export function unpricedModels(enabled: readonly string[], maps: PriceMaps): string[] {
  return enabled.filter(
    (model) => !Object.hasOwn(maps.ModelPrice, model) && !Object.hasOwn(maps.ModelRatio, model),
  );
}

export function samePrices(a: ModelPrices, b: ModelPrices): boolean {
  return priceMapNames.every((name) => a[name] === b[name]);
}

/** Digits after the point that a price is shown with at most. */
const placesMax = 6;
const million = 1_000_000n;

/**
 * US dollars a million tokens of ratios that are multiplied, e.g. `$2.5`; `≈ $0.333333` where
 * there are more digits. Undefined when there is nothing to divide by.
 */
export function dollarsPerMillion(
  ratios: readonly string[],
  quotaPerUnit: string,
): string | undefined {
  const one = scaled("1");
  const units = scaled(quotaPerUnit);
  if (units === 0n) return undefined;
  const places = 10n ** BigInt(placesMax);
  const product = ratios.reduce((total, ratio) => total * scaled(ratio), 1n);
  const above = product * million * one * places;
  const below = one ** BigInt(ratios.length) * units;
  const rounded = (2n * above + below) / (2n * below);
  const digits = String(rounded).padStart(placesMax + 1, "0");
  const whole = digits.slice(0, -placesMax);
  const part = digits.slice(-placesMax).replace(/0+$/, "");
  const text = `$${whole}${part === "" ? "" : `.${part}`}`;
  return above % below === 0n ? text : `≈ ${text}`;
}
