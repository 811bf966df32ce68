/** What changes of options mean for the price book, and what the audit log says of a change. */

import { hasPrice, type PriceList } from "@tollgate/contract/money/charge.ts";
import { defaultPriceList } from "@tollgate/contract/money/default-prices.ts";
import {
  entryOf,
  isDefault,
  pricedParts,
  ratioMaps,
  sameEntry,
} from "@tollgate/contract/money/price-book.ts";
import type { PriceSource } from "@tollgate/contract/money/price-sources.ts";

/** A day as `YYYY-MM-DD` in UTC. */
export function dayOf(nowMs: number): string {
  return new Date(nowMs).toISOString().slice(0, 10);
}

/** The parts that the family's console does not know of a price that is removed there. */
const ownParts = ["HourPrices", "SearchPrices", "TokenKindPrices"] as const;

/**
 * Completes a list of which options were replaced. Prices that changed are hand-set now. What a
 * changed ratio no longer says is dropped, because an exact price would hide the ratio. A model that
 * lost its price loses all of it, so that nothing of it counts when it gets another.
 */
export function completeOptions(
  before: PriceList,
  after: PriceList,
  noted: { readonly nowMs: number; readonly by: number },
): PriceList {
  const sources: Record<string, PriceSource> = { ...after.Sources };
  const own = {
    HourPrices: { ...after.HourPrices },
    SearchPrices: { ...after.SearchPrices },
    TokenKindPrices: { ...after.TokenKindPrices },
  };
  const changed = changedModels(before, after);
  const list: PriceList = { ...after, ...(changed.size > 0 ? { Sources: sources } : {}) };
  // Parts that lists of earlier versions lack stay absent.
  for (const part of ownParts) {
    if (after[part] !== undefined) Object.assign(list, { [part]: own[part] });
  }
  const option: PriceSource = { from: "option", date: dayOf(noted.nowMs), by: noted.by };
  for (const model of changed) {
    if (hasPrice(after, model)) {
      dropHidden({ before, after, model }, own.TokenKindPrices);
      const isRestored = isDefault(list, model);
      sources[model] = (isRestored ? entryOf(defaultPriceList.Sources, model) : null) ?? option;
      continue;
    }
    delete sources[model];
    for (const part of ownParts) {
      if (sameEntry(before[part], after[part], model)) delete own[part][model];
    }
  }
  return list;
}

/** The models whose prices differ between two lists. */
function changedModels(before: PriceList, after: PriceList): ReadonlySet<string> {
  const changed = new Set<string>();
  const isUnitChanged = before.QuotaPerUnit !== after.QuotaPerUnit;
  for (const part of pricedParts) {
    const [old, now] = [before[part] ?? {}, after[part] ?? {}];
    // With another unit, every price by tokens is another amount of dollars.
    const isAll = isUnitChanged && part === "ModelRatio";
    if (old === now && !isAll) continue;
    for (const model of new Set([...Object.keys(old), ...Object.keys(now)])) {
      if (isAll || !sameEntry(old, now, model)) changed.add(model);
    }
  }
  return changed;
}

type Change = { readonly before: PriceList; readonly after: PriceList; readonly model: string };

/** Drops the exact prices of a model that changed ratios replace. */
function dropHidden(
  { before, after, model }: Change,
  kinds: NonNullable<PriceList["TokenKindPrices"]>,
) {
  const kept = kinds[model];
  const isSet = !sameEntry(before.TokenKindPrices, after.TokenKindPrices, model);
  if (kept === undefined || isSet) return;
  const isChanged = (...parts: (typeof pricedParts)[number][]): boolean =>
    parts.some((part) => !sameEntry(before[part], after[part], model));
  if (isChanged("ModelRatio", "ModelPrice")) {
    delete kinds[model];
    return;
  }
  const replaced = new Set(
    Object.entries(ratioMaps).flatMap(([kind, part]) =>
      isChanged(part) || (kind === "outputAudio" && isChanged("AudioRatio")) ? [kind] : [],
    ),
  );
  const left = Object.entries(kept).filter(([kind]) => !replaced.has(kind));
  if (left.length === 0) delete kinds[model];
  else kinds[model] = Object.fromEntries(left);
}

/**
 * The largest number of changed prices that one audit log entry names. The price versions contain
 * all of them.
 */
const differencesMax = 50;

/**
 * Returns the changed prices: maps `<option>.<name>` to the values before and after; null for none.
 */
export function differences(
  before: PriceList,
  after: PriceList,
): Record<string, (string | null)[]> {
  const old = flatten(before);
  const now = flatten(after);
  const changed: Record<string, (string | null)[]> = {};
  for (const name of new Set([...old.keys(), ...now.keys()])) {
    const pair = [old.get(name) ?? null, now.get(name) ?? null];
    if (pair[0] === pair[1]) continue;
    if (Object.keys(changed).length === differencesMax) break;
    changed[name] = pair;
  }
  return changed;
}

/** Where prices come from is no price, so it is left out. */
function flatten({ Sources: _, ...list }: PriceList): Map<string, string> {
  const flat = new Map<string, string>();
  for (const [part, value] of Object.entries(list)) {
    if (typeof value === "string") flat.set(part, value);
    else {
      for (const [name, of] of Object.entries(value ?? {})) {
        flat.set(`${part}.${name}`, typeof of === "string" ? of : JSON.stringify(of));
      }
    }
  }
  return flat;
}
