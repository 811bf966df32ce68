/** Changes the prices of models, and leaves all others as they are. */

import { type PriceList, priceList } from "@tollgate/contract/charge.ts";
import { parseOption } from "@tollgate/contract/options.ts";
import { withoutModel, writeBook } from "@tollgate/contract/price-book-writer.ts";
import type { PriceSource } from "@tollgate/contract/price-sources.ts";
import { nameRule, reservedNames } from "@tollgate/contract/prices.ts";
import {
  type BookedPrices,
  editedPart,
  type PriceChanges,
} from "@tollgate/contract/price-versions.ts";
import { Refusal } from "#base/refusal.ts";
import type { Db } from "#db/database.ts";
import type { Actor } from "#modules/audit/audit.ts";
import { savePrices } from "./pricing.ts";

type ChangeSave = {
  readonly changes: PriceChanges;
  readonly books: BookedPrices;
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
  const { changes, books, from, ...rest } = save;
  const names = editedPart.options.filter((part) => changes[part] !== undefined);
  const target = books.length === 0 ? `option:${names.join(",")}` : `prices:${from}`;
  const source = { from, date: dayOf(save.nowMs), by: save.actor.userId };
  const parts = (present: PriceList): Partial<PriceList> => {
    const changed = { ...present, ...changedParts(present, changes) };
    return marked(booked(changed, books), books, source);
  };
  await savePrices(tx, { ...rest, target, parts });
}

/** Returns the UTC day of a time in Unix milliseconds, as `YYYY-MM-DD`. */
function dayOf(ms: number): string {
  return new Date(ms).toISOString().slice(0, 10);
}

function booked(list: PriceList, books: BookedPrices): PriceList {
  let next = list;
  for (const { model, prices } of books) {
    if (reservedNames.has(model) || model.trim() !== model) {
      throw new Refusal("invalid-input", `${nameRule}：${model.slice(0, 40)}`);
    }
    if (prices === null) next = withoutModel(next, model);
    else {
      const written = writeBook(next, model, prices);
      if (!written.ok) throw new Refusal("invalid-input", written.message);
      next = written.value;
    }
  }
  return next;
}

/** Notes where the prices of the booked models come from. */
function marked(list: PriceList, books: BookedPrices, source: PriceSource): PriceList {
  const priced = books.filter(({ prices }) => prices !== null);
  if (priced.length === 0) return list;
  const own = Object.fromEntries(priced.map(({ model }) => [model, source]));
  return { ...list, Sources: { ...list.Sources, ...own } };
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

function isNested(part: string): boolean {
  return part === "LongContextPrices" || part === "ServiceTierPrices";
}

function parsed(part: string, model: string, text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new Refusal("invalid-input", `${part}：${model}：不是合法的 JSON 字符串`);
  }
}
