import type { ServedTier } from "@tollgate/contract/money/service-tiers.ts";
import { textOf } from "#formats/shared/read-json.ts";
import { reportOf } from "#formats/shared/token-counts.ts";
import { mergeUsage } from "./read-usage.ts";

/** Returns the service tier that the usage of an answer names, for clients. */
export function namedTier(usage: unknown): ServedTier {
  const { speed, service_tier: tier } = reportOf(usage) ?? {};
  if (speed === "fast") return "fast";
  if (tier === "priority") return "priority";
  return tier === "standard" ? "default" : "";
}

/**
 * Returns the service tier that the usage of an answer names, as far as the charge depends on it.
 * Only the field `speed` tells that a call that asked for speed did not get it.
 */
export function readTier(last: unknown, first: unknown): ServedTier {
  const usage = mergeUsage(reportOf(first), reportOf(last));
  const speed = textOf(usage?.["speed"]);
  if (speed === "fast") return "fast";
  const tier = textOf(usage?.["service_tier"]);
  if (tier === "priority") return "priority";
  return speed === "standard" && tier !== "batch" ? "default" : "";
}
