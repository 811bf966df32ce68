/** Changes the prices of models, and leaves all others as they are. */

import { hasPrice, type PriceList, priceList } from "@tollgate/contract/money/charge.ts";
import { parseOption } from "@tollgate/contract/options/options.ts";
import { pricedParts } from "@tollgate/contract/money/price-book.ts";
import { writePriceBook } from "@tollgate/contract/money/price-book-writer.ts";
import type { PriceSource } from "@tollgate/contract/money/price-sources.ts";
import { nameRule, reservedNames } from "@tollgate/contract/endpoints/prices.ts";
import {
  type BookedPrices,
  editedPart,
  type PriceChanges,
} from "@tollgate/contract/endpoints/price-versions.ts";
import { Refusal } from "#base/refusal.ts";
import type { Db } from "#db/database.ts";
import type { Actor } from "#modules/audit/audit.ts";
import { completeOptions, dayOf } from "./price-changes.ts";
import { saveDerived } from "./pricing.ts";

type ChangeSave = {
  readonly changes: PriceChanges;
  readonly books: BookedPrices;
  /** The ratios of all groups, if they change, too. */
  readonly groups?: PriceList["GroupRatio"] | undefined;
  readonly from: "file" | "form";
  readonly reason: string;
  readonly actor: Actor;
  /** Unix milliseconds. */
  readonly nowMs: number;
};

/**
 * Saves changes of single models as one version, on top of what is in force then.
 * @throws Refusal `invalid-input` if one of them is invalid; then nothing is saved.
 */
export async function savePriceChanges(tx: Db, save: ChangeSave): Promise<void> {
  const { changes, books, groups, from, actor, reason, nowMs } = save;
  const ratios = groups === undefined ? {} : { GroupRatio: groups };
  const edited = editedPart.options.filter((part) => changes[part] !== undefined);
  const names = [...edited, ...Object.keys(ratios)];
  const target = books.length === 0 ? `option:${names.join(",")}` : `prices:${from}`;
  const derive = (list: PriceList): PriceList => changeList(list, { ...save, by: actor.userId });
  await saveDerived(tx, { derive, hasGroups: groups !== undefined, target, reason, actor, nowMs });
}

type ListChange = Omit<ChangeSave, "actor" | "reason"> & {
  /** Id of the user who makes the change. */
  readonly by: number;
};

/**
 * Returns a list with changes of single models.
 * @throws Refusal `invalid-input` if one of them is invalid.
 */
export function changeList(list: PriceList, change: ListChange): PriceList {
  const { changes, books, groups, from, by, nowMs } = change;
  const source = { from, date: dayOf(nowMs), by };
  const parts = {
    ...changedParts(list, changes),
    ...(groups === undefined ? {} : { GroupRatio: groups }),
  };
  const changed = completeOptions(list, { ...list, ...parts }, { nowMs, by });
  const models = Object.values(changes).flatMap((of) => Object.keys(of));
  return booked(marked(changed, models, source), books, source);
}

/** Notes that models that have a price have it from this source. */
function marked(list: PriceList, models: readonly string[], source: PriceSource): PriceList {
  const priced = models.filter((model) => hasPrice(list, model));
  if (priced.length === 0) return list;
  const own = Object.fromEntries(priced.map((model) => [model, source]));
  return { ...list, Sources: { ...list.Sources, ...own } };
}

/** Takes away everything that a list says of some models. */
function withoutModels(list: PriceList, models: ReadonlySet<string>): PriceList {
  if (models.size === 0) return list;
  const less: Record<string, unknown> = { ...list };
  for (const part of [...pricedParts, "Sources"] as const) {
    const entries = Object.entries(list[part] ?? {});
    if (list[part] === undefined) continue;
    less[part] = Object.fromEntries(entries.filter(([model]) => !models.has(model)));
  }
  // Safe cast: every part is as it was, or lacks some entries.
  return less as PriceList;
}

/** Writes the prices of the price book. */
function booked(list: PriceList, books: BookedPrices, source: PriceSource): PriceList {
  for (const { model } of books) {
    if (reservedNames.has(model) || model.trim() !== model) {
      throw new Refusal("invalid-input", `${nameRule}：${model.slice(0, 40)}`);
    }
  }
  const priced = books.flatMap(({ model, prices }) =>
    prices === null ? [] : [[model, prices] as const],
  );
  const removed = books.flatMap(({ model, prices }) => (prices === null ? [model] : []));
  const less = withoutModels(list, new Set(removed));
  const { list: written, refused } = writePriceBook(less, priced);
  for (const [model, reason] of refused) {
    throw new Refusal("invalid-input", `${model}：${reason}`);
  }
  return marked(
    written,
    priced.map(([model]) => model),
    source,
  );
}

/** Returns the changed parts, checked by the rules of the options of the same names. */
function changedParts(list: PriceList, changes: PriceChanges): Partial<PriceList> {
  const parts: [string, unknown][] = [];
  for (const part of editedPart.options) {
    const changed = changes[part];
    if (changed === undefined) continue;
    // A `Map` keeps the order of the models, and has no names that every object has.
    const map = new Map<string, unknown>(Object.entries(list[part] ?? {}));
    for (const [model, text] of Object.entries(changed)) {
      if (text === null) map.delete(model);
      else map.set(model, isNested(part) ? parsed(part, model, text) : text);
    }
    const value = parseOption(part, JSON.stringify(Object.fromEntries(map)));
    if (!value.ok) throw new Refusal("invalid-input", value.message);
    parts.push([part, value.value]);
  }
  // Safe cast: the schema has just read each part, and parts without a change are not there.
  return priceList.partial().parse(Object.fromEntries(parts)) as Partial<PriceList>;
}

/** Parts whose value of a model is JSON; those of all others are decimals. */
const nestedParts: ReadonlySet<string> = new Set([
  "LongContextPrices",
  "ServiceTierPrices",
  "HourPrices",
  "SearchPrices",
  "TokenKindPrices",
]);

function isNested(part: string): boolean {
  return nestedParts.has(part);
}

function parsed(part: string, model: string, text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new Refusal("invalid-input", `${part}：${model}：不是合法的 JSON 字符串`);
  }
}
