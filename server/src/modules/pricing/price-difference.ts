/** Compares two price lists, model by model. */

import type { PriceList } from "@tollgate/contract/money/charge.ts";
import {
  changedModelsMax,
  type PriceDifference,
} from "@tollgate/contract/endpoints/price-versions.ts";

/** The parts of a list that are not by model, or say nothing of what a call costs. */
const otherParts: ReadonlySet<string> = new Set(["GroupRatio", "QuotaPerUnit", "Sources"]);

type Parts = Readonly<Record<string, string>>;

/** Says how `after` differs from `before`. Of many changed models, the first ones by name. */
export function differenceOf(before: PriceList, after: PriceList): PriceDifference {
  const [old, now] = [partsByModel(before), partsByModel(after)];
  const models = changedNames(old, now);
  const [ratios, newRatios] = [before.GroupRatio, after.GroupRatio].map(
    (groups) => new Map(Object.entries(groups)),
  ) as [Map<string, string>, Map<string, string>]; // Safe cast: two lists make two maps.
  return {
    models: models.slice(0, changedModelsMax).map((model) => ({
      model,
      before: old.get(model) ?? null,
      after: now.get(model) ?? null,
    })),
    total: models.length,
    groups: changedNames(ratios, newRatios).map((group) => ({
      group,
      before: ratios.get(group) ?? null,
      after: newRatios.get(group) ?? null,
    })),
    quota_per_unit: { before: before.QuotaPerUnit, after: after.QuotaPerUnit },
  };
}

/** Counts the models and groups whose prices differ. */
export function countChanges(before: PriceList, after: PriceList) {
  const { total, groups } = differenceOf(before, after);
  return { changed_models: total, changed_groups: groups.length };
}

/** Returns the prices of each model that has any, by part of the list. */
function partsByModel(list: PriceList): Map<string, Parts> {
  const models = new Map<string, Record<string, string>>();
  for (const [part, values] of Object.entries(list)) {
    if (otherParts.has(part) || typeof values !== "object") continue;
    for (const [model, of] of Object.entries(values)) {
      const parts = models.get(model) ?? {};
      parts[part] = typeof of === "string" ? of : JSON.stringify(of);
      models.set(model, parts);
    }
  }
  return models;
}

/** Returns the names whose values differ, sorted; a name may be in one map only. */
function changedNames(
  old: ReadonlyMap<string, Parts | string>,
  now: ReadonlyMap<string, Parts | string>,
): string[] {
  return [...new Set([...old.keys(), ...now.keys()])]
    .filter((name) => textOf(old.get(name)) !== textOf(now.get(name)))
    .toSorted((a, b) => (a < b ? -1 : 1));
}

/** Writes a value so that equal ones have the same text, in whatever order their parts stand. */
function textOf(value: Parts | string | undefined): string | undefined {
  if (value === undefined || typeof value === "string") return value;
  return JSON.stringify(Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1)));
}
