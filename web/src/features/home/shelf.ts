/** The models of this gateway as the home page shows them: a few of each brand. */

import { type Brand, brandOfModel } from "@tollgate/contract/words/brands.ts";
import type { ModelPrice } from "#widgets/money/model-prices.ts";

export type ShelfGroup = {
  /** Null: models of unknown brands. */
  readonly brand: Brand | null;
  readonly models: readonly ModelPrice[];
  /** The number of the brand's models that are not shown. */
  readonly more: number;
};

/** The largest numbers on the home page: of brands, of models of a brand, and of an only brand. */
const brandsMax = 6;
const modelsMax = 4;
const onlyModelsMax = 12;

/** Brands that most people look for, in the order in which they are shown. */
const popular = [
  "openai",
  "anthropic",
  "google",
  "deepseek",
  "alibaba",
  "xai",
  "moonshot",
  "zhipu",
  "bytedance",
  "meta",
  "mistral",
];

/** The models that a visitor may call with success, at a price that is known. */
export function shownOnShelf(prices: readonly ModelPrice[]): ModelPrice[] {
  return prices.filter(({ kind, isCallable }) => isCallable && kind !== "unpriced");
}

/**
 * Groups the models of the shelf by brand: popular brands first, then those with the most
 * models, unknown ones last.
 */
export function shelfOf(prices: readonly ModelPrice[]): ShelfGroup[] {
  const byBrand = new Map<Brand | null, ModelPrice[]>();
  for (const price of shownOnShelf(prices)) {
    const brand = brandOfModel(price.model);
    byBrand.set(brand, [...(byBrand.get(brand) ?? []), price]);
  }
  const shownMax = byBrand.size === 1 ? onlyModelsMax : modelsMax;
  return [...byBrand]
    .toSorted(([a, ofA], [b, ofB]) => rank(a) - rank(b) || ofB.length - ofA.length)
    .slice(0, brandsMax)
    .map(([brand, models]) => ({
      brand,
      models: models.slice(0, shownMax),
      more: Math.max(0, models.length - shownMax),
    }));
}

function rank(brand: Brand | null): number {
  if (brand === null) return popular.length + 1;
  const place = popular.indexOf(brand.id);
  return place < 0 ? popular.length : place;
}

/** Matches the names of models that answer no chat calls. */
const noChat =
  /embed|tts|whisper|dall-?e|imag|moderation|rerank|transcri|audio|realtime|bge|sora|video|error/i;

/** The first chat model that can be called, in the order of the shelf; undefined: there is none. */
export function firstChatModel(prices: readonly ModelPrice[]): ModelPrice | undefined {
  const isChat = (price: ModelPrice): boolean =>
    price.kind === "tokens" && !noChat.test(price.model);
  for (const { models } of shelfOf(prices.filter(isChat))) return models[0];
  return undefined;
}
