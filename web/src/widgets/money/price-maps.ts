/** The options that hold the prices of models, by name; `charge.ts` explains each. */

/** Ratios of a model; a fixed price replaces them. */
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
