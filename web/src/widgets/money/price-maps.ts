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
export const priceMapNames = ["ModelPrice", ...ratioNames] as const;
export type PriceMapName = (typeof priceMapNames)[number];

export function isPriceMap(name: string): name is PriceMapName {
  return priceMapNames.some((each) => each === name);
}
