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
export const priceOptionNames = [...priceMapNames, "LongContextPrices"] as const;
export type PriceOptionName = (typeof priceOptionNames)[number];

/** What `LongContextPrices` holds of a model, as fields beside its prices. */
export const longFields = ["LongAbove", "LongRatio", "LongCompletion"] as const;

/** What editors show of a model: its price in each map, and its prices of long prompts. */
export const priceFields = [...priceMapNames, ...longFields] as const;
export type PriceField = (typeof priceFields)[number];
