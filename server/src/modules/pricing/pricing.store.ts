import type { Db } from "#db/database.ts";
import { defineStore } from "#db/store.ts";
import { findPrices, installPrices, type PriceVersionRow } from "./pricing.ts";

export const pricingStore = defineStore({
  reads: { loadPrices },
  writes: { installPrices },
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
