/** What cards and comparisons say of a model, line by line. */

import type { ModelFactsRow } from "@tollgate/contract/endpoints/model-facts.ts";
import type { ModelFacts } from "@tollgate/contract/endpoints/price-catalogue.ts";
import type { T } from "#i18n/t.ts";
import { type ModelPrice, showDollars } from "#widgets/money/model-prices.ts";
import { bucketName, buckets } from "./bucket-names.ts";
import { type PricingSearch, units } from "./pricing.search.ts";

export type ModelLine = { readonly name: string; readonly text: string };

/** Returns what the model is; what the catalogue does not know is left out. */
export function factLines(facts: ModelFacts | null | undefined, t: T): ModelLine[] {
  const { context, output, reads = [], writes = [], tools, reasoning } = facts ?? {};
  const abilities = [
    ...(tools === true ? [t("pricing.tools")] : []),
    ...(reasoning === true ? [t("pricing.reasoning")] : []),
  ];
  const media = [reads, writes].map((kinds) => kinds.map((kind) => mediumName(kind, t)).join(" "));
  return [
    ...(context === undefined ? [] : [{ name: t("pricing.context"), text: showTokens(context) }]),
    ...(output === undefined ? [] : [{ name: t("pricing.limit"), text: showTokens(output) }]),
    ...(reads.length + writes.length === 0
      ? []
      : [{ name: t("pricing.media"), text: media.map((kinds) => kinds || "–").join(" → ") }]),
    ...(abilities.length === 0
      ? []
      : [{ name: t("pricing.abilities"), text: abilities.join(" · ") }]),
  ];
}

/** Returns how the model did here of late; nothing where there were too few calls. */
export function statisticLines(row: ModelFactsRow | undefined, t: T): ModelLine[] {
  const statistics = row?.statistics ?? null;
  if (statistics === null) return [];
  const { answered, first_byte_ms: first } = statistics;
  return [
    ...(first === null
      ? []
      : [
          {
            name: t("pricing.firstByte"),
            text: t("pricing.seconds", { seconds: (first / 1_000).toFixed(2) }),
          },
        ]),
    { name: t("pricing.answered"), text: `${showShare(answered)} %` },
  ];
}

/** Writes a share as per cent, never rounded up to 100. */
function showShare(share: number): string {
  return share === 1 ? "100" : (Math.floor(share * 1_000) / 10).toFixed(1);
}

/** Kinds of tokens whose prices a model has only if it reads or writes such media. */
const mediumOf = { inputImage: "image", inputAudio: "audio", outputAudio: "audio" } as const;

/** Returns the price of each kind of tokens, or of a call. */
export function priceLines(
  row: ModelPrice,
  unit: PricingSearch["unit"],
  facts: ModelFacts | null | undefined,
  t: T,
): ModelLine[] {
  if (row.kind === "unpriced") return [];
  if (row.kind === "call") {
    return [{ name: t("pricing.perCallKind"), text: showDollars(row.perCall) }];
  }
  const media = new Set([...(facts?.reads ?? []), ...(facts?.writes ?? [])]);
  const shown = buckets.filter(
    (bucket) => !(bucket in mediumOf) || media.has(mediumOf[bucket as keyof typeof mediumOf]),
  );
  return shown.map((bucket) => ({
    name: bucketName(bucket, t),
    text: showDollars(row.rates[bucket] * units[unit]),
  }));
}

/** Writes a number of tokens as people say it: `128K`, `1M`, `1,047,576`. */
function showTokens(tokens: number): string {
  if (tokens >= 1_000_000 && tokens % 100_000 === 0) return `${tokens / 1_000_000}M`;
  if (tokens >= 1_000 && tokens % 1_000 === 0) return `${tokens / 1_000}K`;
  return tokens.toLocaleString("en-US");
}

function mediumName(kind: string, t: T): string {
  switch (kind) {
    case "text":
      return t("pricing.text");
    case "image":
      return t("pricing.image");
    case "audio":
      return t("pricing.audio");
    case "video":
      return t("pricing.video");
    case "pdf":
    case "file":
      return t("pricing.file");
    default:
      return kind;
  }
}
