/** The names of the options that hold the prices of models; `charge.ts` explains each. */

/** The options with ratios. A model that has a fixed price (`ModelPrice`) does not use them. */
export const ratioNames = [
  "ModelRatio",
  "CompletionRatio",
  "CacheRatio",
  "CreateCacheRatio",
  "CreateCacheRatio1h",
  "ImageRatio",
  "AudioRatio",
  "AudioCompletionRatio",
] as const;
const priceMapNames = ["ModelPrice", ...ratioNames] as const;
type PriceMapName = (typeof priceMapNames)[number];

export function isPriceMap(name: string): name is PriceMapName {
  return priceMapNames.some((each) => each === name);
}

/** All options with prices of models that price editors change. */
export const priceOptionNames = [
  ...priceMapNames,
  "LongContextPrices",
  "ServiceTierPrices",
  "HourPrices",
  "SearchPrices",
  "TokenKindPrices",
] as const;
export type PriceOptionName = (typeof priceOptionNames)[number];

/** The fields of a model's entry in `LongContextPrices`. */
export const longFields = [
  "LongAbove",
  "LongRatio",
  "LongCompletion",
  "LongCache",
  "LongFurther",
] as const;

/** The options whose entry of a model is one field of price editors, as JSON. */
export const termFields = {
  ServiceTierPrices: "Tiers",
  HourPrices: "Hours",
  SearchPrices: "Searches",
  TokenKindPrices: "Kinds",
} as const;
export type TermOptionName = keyof typeof termFields;
export type TermField = (typeof termFields)[TermOptionName];

/**
 * The fields of a model in price editors: its price in each map, its long-context prices, and its
 * entries in other options as JSON.
 */
export const priceFields = [
  ...priceMapNames,
  ...longFields,
  "Tiers",
  "Hours",
  "Searches",
  "Kinds",
] as const;
export type PriceField = (typeof priceFields)[number];
