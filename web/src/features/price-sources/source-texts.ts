/** Names of kinds of sources, of fields of prices and of reasons, in the user's language. */

import type {
  DraftLine,
  SourceKind,
  WaitReason,
} from "@tollgate/contract/endpoints/price-sources.ts";
import { bookPrices } from "@tollgate/contract/money/price-book.ts";
import type { T } from "#i18n/t.ts";
import { bookLines } from "#widgets/prices/book-lines.ts";

export function kindName(kind: SourceKind, t: T): string {
  switch (kind) {
    case "catalogue":
      return t("priceSources.kindCatalogue");
    case "csv":
      return "CSV";
    case "gateway-pricing":
      return t("priceSources.kindGatewayPricing");
    case "gateway-ratios":
      return t("priceSources.kindGatewayRatios");
    case "litellm":
      return "LiteLLM";
    case "models-dev":
      return "models.dev";
    case "openrouter":
      return "OpenRouter";
  }
}

export function waitText(reason: WaitReason, t: T): string {
  switch (reason) {
    case "fall":
      return t("priceSources.waitFall");
    case "hand-set":
      return t("priceSources.waitHandSet");
    case "kind":
      return t("priceSources.waitKind");
    case "raise":
      return t("priceSources.waitRaise");
    case "terms":
      return t("priceSources.waitTerms");
    case "unpriced":
      return t("priceSources.waitUnpriced");
  }
}

/** Fields whose values are JSON of the price book. */
const ofJson: ReadonlySet<string> = new Set(["all", "steps", "tiers", "hours"]);

/** Writes the field of a line and both its values, as the price book names them. */
export function lineTexts({ field, now, proposed }: DraftLine, t: T) {
  return {
    name: fieldName(field, proposed, t),
    before: now === null ? null : valueText(field, now, t),
    after: valueText(field, proposed, t),
  };
}

function fieldName(field: string, value: string, t: T): string {
  if (field === "all") return t("priceSources.wholePrice");
  if (field === "steps") return t("priceSources.steps");
  if (field === "tiers") return t("priceSources.tiers");
  if (field === "hours") return t("priceSources.hours");
  return linesOf(field, value, t)[0]?.name ?? field;
}

function valueText(field: string, value: string, t: T): string {
  const lines = linesOf(field, value, t);
  if (!ofJson.has(field)) return lines[0]?.text ?? value;
  return lines.map(({ name, text }) => `${name} ${text}`).join(", ") || value;
}

/** The lines of a price that has this field alone. */
function linesOf(field: string, value: string, t: T) {
  const [of, fee] = field.split(".");
  const parsed = bookPrices.safeParse(
    field === "all"
      ? read(value)
      : field === "perCall"
        ? { perCall: value }
        : of === "searches"
          ? { searches: { [fee ?? ""]: value } }
          : ofJson.has(field)
            ? { [field]: read(value) }
            : { tokens: { [field]: value } },
  );
  return parsed.success ? bookLines(parsed.data, t) : [];
}

function read(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
