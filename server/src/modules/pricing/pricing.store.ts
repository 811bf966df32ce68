import type { Db } from "#db/database.ts";
import { defineStore } from "#db/store.ts";
import { savePriceChanges } from "./price-changes.ts";
import { diffVersions, pageVersions, rollBackPrices } from "./price-versions.ts";
import { findPrices, installPrices, type PriceVersionRow } from "./pricing.ts";

export const pricingStore = defineStore({
  reads: { diffVersions, loadPrices, pageVersions },
  writes: { installPrices, rollBackPrices, savePriceChanges },
});

/**
 * Reads the price version in force. There is one, because the installation creates the first
 * version before anything reads it.
 */
async function loadPrices(db: Db): Promise<PriceVersionRow> {
  const row = await findPrices(db);
  if (row === undefined) throw new Error("no price version in force");
  return row;
}
