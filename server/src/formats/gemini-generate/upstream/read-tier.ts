import type { ServedTier } from "@tollgate/contract/money/service-tiers.ts";
import { textOf } from "#formats/shared/read-json.ts";
import { parseGeminiTier } from "#formats/shared/tiers/service-tiers.ts";
import { reportOf } from "#formats/shared/token-counts.ts";

/** Returns the service tier that the usage of an answer names, for clients. */
export function namedTier(usage: unknown): ServedTier {
  const tier = parseGeminiTier(textOf(reportOf(usage)?.["serviceTier"]));
  return tier === "default" || tier === "flex" || tier === "priority" ? tier : readTier(usage);
}

/**
 * Returns the service tier that the usage of an answer names, as far as the charge depends on it.
 * Vertex names it as the type of the traffic, which the operator's channel chooses by a header.
 */
export function readTier(raw: unknown): ServedTier {
  const usage = reportOf(raw);
  const tier = parseGeminiTier(textOf(usage?.["serviceTier"]));
  if (tier === "default" || tier === "priority") return tier;
  switch (usage?.["trafficType"]) {
    case "ON_DEMAND_FLEX":
      return "flex";
    case "ON_DEMAND_PRIORITY":
      return "priority";
    case "ON_DEMAND":
      return tier === "auto" ? "default" : "";
    default:
      return "";
  }
}
