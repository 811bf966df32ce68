/** What a version changed of a model's price, line by line. */

import { type PriceList, priceList } from "@tollgate/contract/money/charge.ts";
import { readBook } from "@tollgate/contract/money/price-book.ts";
import type { ModelChange } from "@tollgate/contract/endpoints/price-versions.ts";
import type { T } from "#i18n/t.ts";
import type { ChangeLine } from "#ui/table/ChangeList.tsx";
import { bookLines } from "#widgets/prices/book-lines.ts";
import { linesBetween } from "#widgets/prices/changed-lines.ts";

/** Quota units per dollar before and after. */
type Units = { readonly before: string; readonly after: string };

/** Returns a line for each price that differs. */
export function differenceLines(change: ModelChange, units: Units, t: T): ChangeLine[] {
  const before = linesOf(change.model, change.before, units.before, t);
  const after = linesOf(change.model, change.after, units.after, t);
  return linesBetween(before, after);
}

function linesOf(
  model: string,
  parts: ModelChange["before"],
  quotaPerUnit: string,
  t: T,
): ReadonlyMap<string, string> {
  if (parts === null) return new Map();
  const book = readBook(listOf(model, parts, quotaPerUnit), model);
  const { TaskPriceFactors: tasks } = parts;
  return new Map([
    ...(book === undefined
      ? []
      : bookLines(book, t).map(({ name, text }) => [name, text] as const)),
    ...(tasks === undefined ? [] : [[t("priceVersions.tasks"), tasks] as const]),
    // Ratios of a model without a price: they are kept, and cost nothing.
    ...(book === undefined
      ? Object.entries(parts).filter(([part]) => part !== "TaskPriceFactors")
      : []),
  ]);
}

/** Makes a price list of one model only. */
function listOf(
  model: string,
  parts: NonNullable<ModelChange["before"]>,
  quotaPerUnit: string,
): PriceList {
  const list: Record<string, unknown> = { ...empty, QuotaPerUnit: quotaPerUnit };
  for (const [part, text] of Object.entries(parts)) {
    list[part] = { [model]: /^[[{]/.test(text) ? JSON.parse(text) : text };
  }
  return priceList.parse(list);
}

const empty = {
  GroupRatio: {},
  ModelRatio: {},
  CompletionRatio: {},
  ModelPrice: {},
  CacheRatio: {},
  CreateCacheRatio: {},
  CreateCacheRatio1h: {},
  ImageRatio: {},
  AudioRatio: {},
  AudioCompletionRatio: {},
};
