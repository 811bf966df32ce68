import type { Db } from "#db/database.ts";
import { defineStore } from "#db/store.ts";
import { findPrices, installPrices, type PriceVersionRow } from "./pricing.ts";

export const pricingStore = defineStore({
  reads: { loadPrices },
  writes: { installPrices },
});

/** The version in force; the installation has made one before anything else reads it. */
async function loadPrices(db: Db): Promise<PriceVersionRow> {
  const row = await findPrices(db);
  if (row === undefined) throw new Error("no price version in force");
  return row;
}
