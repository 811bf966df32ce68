import type { Bucket } from "@tollgate/contract/money/charge.ts";
import type { T } from "#i18n/t.ts";
import type { ModelPrice } from "#widgets/money/model-prices.ts";

/** The kinds of tokens that are charged, in the order in which they are shown. */
export const buckets = [
  "input",
  "cacheRead",
  "cacheWrite5m",
  "cacheWrite1h",
  "inputImage",
  "inputAudio",
  "output",
  "outputAudio",
] as const satisfies readonly Bucket[];

/** Kinds of tokens that are only shown where they cost other than the kind that they belong to. */
const rareBuckets = [
  ["cacheRead", "cacheAudio"],
  ["cacheRead", "cacheImage"],
  ["output", "reasoning"],
] as const;

export type ShownBucket = (typeof buckets)[number] | (typeof rareBuckets)[number][1];

/** Returns the kinds of tokens that a price is shown for. */
export function bucketsOf(price: ModelPrice): readonly ShownBucket[] {
  if (price.kind !== "tokens") return buckets;
  const { rates } = price;
  return buckets.flatMap((name): readonly ShownBucket[] => {
    const others = rareBuckets.filter(([of, rare]) => of === name && rates[rare] !== rates[of]);
    return [name, ...others.map(([, rare]) => rare)];
  });
}

export function bucketName(bucket: ShownBucket, t: T): string {
  switch (bucket) {
    case "input":
      return t("pricing.inputKind");
    case "cacheRead":
      return t("pricing.cacheRead");
    case "cacheAudio":
      return t("pricing.kindCacheAudio");
    case "cacheImage":
      return t("pricing.kindCacheImage");
    case "cacheWrite5m":
      return t("pricing.cacheWrite5m");
    case "cacheWrite1h":
      return t("pricing.cacheWrite1h");
    case "inputImage":
      return t("pricing.imageIn");
    case "inputAudio":
      return t("pricing.audioIn");
    case "output":
      return t("pricing.outputKind");
    case "reasoning":
      return t("pricing.kindReasoning");
    case "outputAudio":
      return t("pricing.audioOut");
  }
}
