/**
 * Converts the options with prices of models to one table of models, and back. Decimals stay text,
 * see `charge.ts`.
 */

import { hasPrice } from "@tollgate/contract/money/charge.ts";
import { scaled } from "@tollgate/contract/money/decimals.ts";
import {
  type Parsed,
  parseDecimalMap,
  showDecimalMap,
} from "@tollgate/contract/endpoints/prices.ts";
import {
  type LongContextPrices,
  readFurtherSteps,
  readLongContexts,
} from "@tollgate/contract/money/long-context.ts";
import type { LongContext } from "@tollgate/contract/money/price-terms.ts";
import type { PriceChanges } from "@tollgate/contract/endpoints/price-versions.ts";
import { readTerms } from "@tollgate/contract/money/term-options.ts";
import {
  isPriceMap,
  longFields,
  type PriceField,
  priceFields,
  type PriceOptionName,
  priceOptionNames,
  termFields,
  type TermOptionName,
} from "#widgets/money/price-maps.ts";

type TextMap = Readonly<Record<string, string>>;
/** The prices of each field by model: decimals, and some as JSON. */
export type PriceMaps = Readonly<Record<PriceField, TextMap>>;
/** The prices of a model, without those that are not set. */
export type ModelPrices = Partial<Readonly<Record<PriceField, string>>>;
export type PriceRow = { readonly model: string; readonly prices: ModelPrices };

/** Reads the options from their JSON texts; fails with the error of the first invalid one. */
export function readPriceMaps(textOf: (name: PriceOptionName) => string): Parsed<PriceMaps> {
  const maps: Partial<Record<PriceField, TextMap>> = {};
  for (const name of priceOptionNames) {
    const parsed = isPriceMap(name) ? parseDecimalMap(textOf(name)) : readers[name](textOf(name));
    if (!parsed.ok) return { ok: false, message: `${name}：${parsed.message}` };
    Object.assign(maps, isPriceMap(name) ? { [name]: parsed.value } : parsed.value);
  }
  // Safe cast: the loop has set every map.
  return { ok: true, value: maps as PriceMaps };
}

const readers = {
  LongContextPrices: readLong,
  ServiceTierPrices: (text: string) => readEntries("ServiceTierPrices", text),
  HourPrices: (text: string) => readEntries("HourPrices", text),
  SearchPrices: (text: string) => readEntries("SearchPrices", text),
  TokenKindPrices: (text: string) => readEntries("TokenKindPrices", text),
} as const;

type LongMaps = Pick<PriceMaps, (typeof longFields)[number]>;

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

function readLong(text: string): Parsed<LongMaps> {
  const read = readLongContexts(parse(text));
  if (!read.ok) return read;
  const of = (pick: (long: LongContextPrices[string]) => string | undefined): TextMap =>
    Object.fromEntries(
      Object.entries(read.value).flatMap(([model, long]) => {
        const text = pick(long);
        return text === undefined ? [] : [[model, text]];
      }),
    );
  const value = {
    LongAbove: of(({ above }) => String(above)),
    LongRatio: of(({ ratio }) => ratio),
    LongCompletion: of(({ completion }) => completion),
    LongCache: of(({ cache }) => cache),
    LongFurther: of(({ further }) => further && JSON.stringify(further)),
  };
  return { ok: true, value };
}

/** Reads an option whose entry of a model is one field. */
function readEntries(name: TermOptionName, text: string): Parsed<Partial<PriceMaps>> {
  const read = readTerms(name, parse(text));
  if (!read.ok) return read;
  const texts = Object.entries(read.value).map(([model, of]) => [model, JSON.stringify(of)]);
  return { ok: true, value: { [termFields[name]]: Object.fromEntries(texts) } };
}

/** Reads the ratios of the groups; none while their JSON is invalid. */
export function readGroups(
  textOf: (name: "GroupRatio") => string,
): Readonly<Record<string, string>> {
  const parsed = parseDecimalMap(textOf("GroupRatio"));
  return parsed.ok ? parsed.value : {};
}

/** Returns all models in the maps with their prices, in alphabetical order. */
export function priceRows(maps: PriceMaps): PriceRow[] {
  const models = new Set(priceFields.flatMap((name) => Object.keys(maps[name])));
  return [...models].toSorted().map((model) => ({ model, prices: pricesOf(maps, model) }));
}

export function pricesOf(maps: PriceMaps, model: string): ModelPrices {
  const prices: Partial<Record<PriceField, string>> = {};
  for (const name of priceFields) {
    const text = Object.hasOwn(maps[name], model) ? maps[name][model] : undefined;
    if (text !== undefined) prices[name] = text;
  }
  return prices;
}

/**
 * Returns the JSON texts of those options that change when the models get these prices. A price that
 * a row lacks is removed.
 */
export function putPrices(
  maps: PriceMaps,
  rows: readonly PriceRow[],
): { readonly name: PriceOptionName; readonly text: string }[] {
  const next = { ...maps };
  for (const name of priceFields) {
    // A `Map` keeps the order of its entries, so that a changed model keeps its place in the JSON.
    const map = new Map(Object.entries(maps[name]));
    let isChanged = false;
    for (const { model, prices } of rows) {
      const text = prices[name];
      if (map.get(model) === text) continue;
      isChanged = true;
      if (text === undefined) map.delete(model);
      else map.set(model, text);
    }
    if (isChanged) next[name] = Object.fromEntries(map);
  }
  return priceOptionNames.flatMap((name): { name: PriceOptionName; text: string }[] => {
    if (isPriceMap(name)) {
      return next[name] === maps[name] ? [] : [{ name, text: showDecimalMap(next[name]) }];
    }
    if (name !== "LongContextPrices") {
      const field = termFields[name];
      return next[field] === maps[field] ? [] : [{ name, text: showEntries(next[field]) }];
    }
    const isSame = longFields.every((field) => next[field] === maps[field]);
    return isSame ? [] : [{ name, text: showLong(next) }];
  });
}

/**
 * Returns what has to be sent so that the models get these prices: the values that differ from
 * those before, by part of the price list; null where a value goes.
 */
export function changesOf(before: PriceMaps, after: readonly PriceRow[]): PriceChanges {
  const changes: Partial<Record<PriceOptionName, Record<string, string | null>>> = {};
  for (const { model, prices } of after) {
    const old = partsOf(pricesOf(before, model));
    const now = partsOf(prices);
    for (const part of priceOptionNames) {
      if (old[part] === now[part]) continue;
      (changes[part] ??= {})[model] = now[part] ?? null;
    }
  }
  return changes;
}

/** Returns a model's values by part of the price list, as texts of the list, or JSON. */
function partsOf(prices: ModelPrices): Partial<Record<PriceOptionName, string>> {
  const parts: Partial<Record<PriceOptionName, string>> = {};
  for (const name of priceOptionNames) {
    const text = partOf(prices, name);
    if (text !== undefined) parts[name] = text;
  }
  return parts;
}

function partOf(prices: ModelPrices, name: PriceOptionName): string | undefined {
  if (isPriceMap(name)) return prices[name];
  if (name !== "LongContextPrices") return prices[termFields[name]];
  const { LongAbove, LongRatio, LongCompletion, LongCache, LongFurther } = prices;
  if (LongAbove === undefined) return undefined;
  return JSON.stringify(longOf({ LongAbove, LongRatio, LongCompletion, LongCache, LongFurther }));
}

/** Writes the option as the server does. */
function showLong(maps: LongMaps): string {
  const prices = Object.keys(maps.LongAbove).map((model) => [
    model,
    longOf({
      LongAbove: maps.LongAbove[model],
      LongRatio: maps.LongRatio[model],
      LongCompletion: maps.LongCompletion[model],
      LongCache: maps.LongCache[model],
      LongFurther: maps.LongFurther[model],
    }),
  ]);
  return JSON.stringify(Object.fromEntries(prices), null, 2);
}

/** Returns a model's entry of `LongContextPrices`. */
export function longOf(
  fields: Readonly<Record<(typeof longFields)[number], string | undefined>>,
): LongContext {
  const { LongAbove, LongRatio = "1", LongCompletion = "1", LongCache, LongFurther } = fields;
  const above = Number(LongAbove);
  const further = LongFurther === undefined ? undefined : readFurtherSteps(LongFurther, above);
  return {
    above,
    ratio: LongRatio,
    completion: LongCompletion,
    ...(LongCache === undefined ? {} : { cache: LongCache }),
    ...(further?.ok !== true || further.value.length === 0 ? {} : { further: [...further.value] }),
  };
}

function showEntries(texts: TextMap): string {
  const prices = Object.entries(texts).map(([model, text]) => [model, parse(text)]);
  return JSON.stringify(Object.fromEntries(prices), null, 2);
}

/** Finds models that channels offer but that have no price: calls of them are refused. */
export function unpricedModels(enabled: readonly string[], maps: PriceMaps): string[] {
  return enabled.filter((model) => !hasPrice(maps, model));
}

export function samePrices(a: ModelPrices, b: ModelPrices): boolean {
  return priceFields.every((name) => a[name] === b[name]);
}

/** The largest number of decimal places of a price on the screen. */
const placesMax = 6;
const million = 1_000_000n;

/**
 * Writes the US dollars per million tokens that the product of these ratios means, such as `$2.50`;
 * `≈ $0.333333` if the price has more decimal places. Undefined: there would be a division by zero.
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
  const text = `$${whole}.${part.padEnd(2, "0")}`;
  return above % below === 0n ? text : `≈ ${text}`;
}
