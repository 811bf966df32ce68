import type { PriceList } from "@tollgate/contract/money/charge.ts";
import {
  type ModelStatistics,
  statisticsCallsMin,
} from "@tollgate/contract/endpoints/model-facts.ts";
import type { BookPrices } from "@tollgate/contract/money/price-book.ts";
import { writePriceBook } from "@tollgate/contract/money/price-book-writer.ts";
import type { PriceSource } from "@tollgate/contract/money/price-sources.ts";
import type { Db } from "#db/database.ts";
import { defineStore } from "#db/store.ts";
import { type Actor, appendAudit } from "#modules/audit/audit.ts";
import { sumModelUse } from "#modules/channel-statistics/channel-statistics.ts";
import { tellPrices } from "#modules/notifications/notifications.ts";
import { savePriceChanges } from "./model-changes.ts";
import { planCharges } from "./preview/planned-charges.repo.ts";
import { beginPreview, previewStep, readUserNames } from "./preview/preview.repo.ts";
import { addPreview, dropPreview, readPreview, savePreview } from "./preview/stored-previews.ts";
import { diffVersions, pageVersions, rollBackPrices } from "./price-versions.ts";
import {
  decideDraft,
  makeDraft,
  pageDrafts,
  priceLines,
  readDraft,
  saveDraft,
} from "./sources/drafts.repo.ts";
import {
  claimDueSource,
  createSource,
  findSource,
  listSources,
  noteSync,
  removeSource,
  updateSource,
} from "./sources/sources.repo.ts";
import {
  derivePrices,
  differences,
  findPrices,
  installPrices,
  type PriceVersionRow,
} from "./pricing.ts";

export const pricingStore = defineStore({
  reads: {
    beginPreview,
    diffVersions,
    findSource,
    listSources,
    loadPrices,
    makeDraft,
    pageDrafts,
    pageVersions,
    planCharges,
    previewStep,
    priceLines,
    readDraft,
    readModelStatistics,
    readPreview,
    readUserNames,
  },
  writes: {
    claimDueSource,
    createSource,
    decideDraft,
    installPrices,
    noteSync,
    removeSource,
    rollBackPrices,
    saveDraft,
    savePriceBook,
    savePriceChanges,
    updateSource,
    addPreview,
    dropPreview,
    savePreview,
  },
});

/** Says how models did in a time of whole hours, in Unix seconds: those with calls enough. */
async function readModelStatistics(
  db: Db,
  time: { readonly start: number; readonly end: number },
): Promise<[model: string, statistics: ModelStatistics][]> {
  const use = await sumModelUse(db, time);
  return use
    .filter(({ calls }) => calls >= statisticsCallsMin)
    .map(({ model, calls, answered, firstByteMs }) => [
      model,
      { answered: Math.min(1, answered / calls), first_byte_ms: firstByteMs },
    ]);
}

/**
 * Reads the price version in force. There is one, because the installation creates the first
 * version before anything reads it.
 */
async function loadPrices(db: Db): Promise<PriceVersionRow> {
  const row = await findPrices(db);
  if (row === undefined) throw new Error("no price version in force");
  return row;
}

/** What a model is to cost, and where that comes from. */
export type BookSave = {
  readonly model: string;
  readonly prices: BookPrices;
  readonly source: PriceSource;
};

/** The models whose prices could not be written exactly stay as they were, with the reason. */
type SavedPriceBook = {
  readonly version: number;
  readonly refused: readonly { readonly model: string; readonly reason: string }[];
};

/** Saves the prices of several models in one version. */
export async function savePriceBook(
  tx: Db,
  {
    books,
    actor,
    nowMs,
  }: { readonly books: readonly BookSave[]; readonly actor: Actor; readonly nowMs: number },
): Promise<SavedPriceBook> {
  let refused: ReadonlyMap<string, string> = new Map();
  const derive = (list: PriceList): PriceList => {
    const written = writePriceBook(
      list,
      books.map(({ model, prices }) => [model, prices]),
    );
    refused = written.refused;
    const noted = books.filter(({ model }) => !refused.has(model));
    const Sources = Object.fromEntries(noted.map(({ model, source }) => [model, source]));
    return { ...written.list, Sources: { ...list.Sources, ...Sources } };
  };
  const { before, after } = await derivePrices(tx, { derive, createdBy: actor.userId, nowMs });
  const detail = differences(before, after);
  if (Object.keys(detail).length > 0) {
    await tellPrices(tx, nowMs);
    const target = `models:${books.length}`;
    await appendAudit(tx, { actor, action: "price.update", target, detail, nowMs });
  }
  const { id } = await loadPrices(tx);
  return {
    version: id,
    refused: [...refused].map(([model, reason]) => ({ model, reason })),
  };
}
