import type { Bucket } from "@tollgate/contract/charge.ts";
import type { T } from "#i18n/t.ts";

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

export function bucketName(bucket: (typeof buckets)[number], t: T): string {
  switch (bucket) {
    case "input":
      return t("pricing.inputKind");
    case "cacheRead":
      return t("pricing.cacheRead");
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
    case "outputAudio":
      return t("pricing.audioOut");
  }
}
