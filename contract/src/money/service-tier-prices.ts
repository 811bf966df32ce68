/**
 * Reads option `ServiceTierPrices` as people and programs write it: factors may be numbers or
 * decimal text. What is charged by it is in `charge.ts`.
 */

import { z } from "zod";
import type { ServiceTierFactors, TierFactors } from "./price-terms.ts";
import { isObject, readByModel, readPriceFactor, wrongFactor } from "./price-factors.ts";
import type { Parsed } from "@tollgate/contract/endpoints/prices.ts";
import { serviceTier } from "./service-tiers.ts";

type ServiceTierPrices = Readonly<Record<string, ServiceTierFactors>>;

/** Reads the parsed JSON of the option, or says which model has a wrong value and what it must be. */
function readServiceTiers(sent: unknown): Parsed<ServiceTierPrices> {
  return readByModel(sent, (model, of) => {
    const read = readTiers(of);
    return read.ok ? read : { ok: false, message: `${model}：${read.message}` };
  });
}

export const serviceTierOption = z.unknown().transform((sent, context): ServiceTierPrices => {
  const read = readServiceTiers(sent);
  if (read.ok) return read.value;
  context.addIssue({ code: "custom", message: read.message });
  return z.NEVER;
});

const tierNames = serviceTier.options.join("、");

/** Reads the tiers of one model. */
export function readTiers(sent: unknown): Parsed<ServiceTierFactors> {
  const tiers: { [Tier in keyof ServiceTierFactors]: TierFactors } = {};
  const entries = isObject(sent) ? Object.entries(sent) : [];
  if (entries.length === 0) {
    return { ok: false, message: `至少要设置一个服务等级：${tierNames}` };
  }
  for (const [name, of] of entries) {
    const tier = serviceTier.safeParse(name).data;
    if (tier === undefined) {
      return { ok: false, message: `服务等级 ${name.slice(0, 40)} 无效，只能是 ${tierNames}` };
    }
    const read = readTier(tier, of);
    if (!read.ok) return read;
    tiers[tier] = read.value;
  }
  return { ok: true, value: tiers };
}

const names: ReadonlySet<string> = new Set(["ratio", "cache", "completion"]);

function readTier(of: string, sent: unknown): Parsed<TierFactors> {
  const isKnown = isObject(sent) && Object.keys(sent).every((name) => names.has(name));
  if (!isKnown) return { ok: false, message: `${of} 只能设置 ratio、cache 和 completion` };
  const ratio = readPriceFactor(sent["ratio"] ?? 1);
  if (ratio === undefined) return wrongFactor(of, "ratio");
  const cache = readPriceFactor(sent["cache"] ?? ratio);
  if (cache === undefined) return wrongFactor(of, "cache");
  const completion = readPriceFactor(sent["completion"] ?? 1);
  if (completion === undefined) return wrongFactor(of, "completion");
  return { ok: true, value: { ratio, cache, completion } };
}
