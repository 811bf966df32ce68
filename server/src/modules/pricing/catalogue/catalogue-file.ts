/** The form of a catalogue of prices: the files that are built in, and the one that replaces them. */

import { bookPrices } from "@tollgate/contract/money/price-book.ts";
import { z } from "zod";

/** The most entries and providers of a file, and the most names of an entry. */
const entriesMax = 20_000;
const providersMax = 1_000;
const namesMax = 100;

const text = z.string().min(1).max(300);

const provider = z.object({
  id: text,
  name: text,
  /** Where the provider publishes its prices. */
  source: z.string().max(500).optional(),
  /** Providers whose models this one sells at their prices, unless it has an entry of its own. */
  vendors: z.array(text).max(20).optional(),
});
export type CatalogueProvider = z.infer<typeof provider>;

const entry = z.object({
  provider: text,
  entry: text,
  /** The names that mean this entry, in lower case. */
  names: z.array(text).min(1).max(namesMax),
  name: z.string().max(300).optional(),
  /** The day that the prices are of, and where they are from; absent: as the whole file. */
  date: z.iso.date().optional(),
  source: z.string().max(500).optional(),
  context: z.number().int().min(1).optional(),
  output: z.number().int().min(1).optional(),
  reads: z.array(text).max(10).optional(),
  writes: z.array(text).max(10).optional(),
  tools: z.boolean().optional(),
  reasoning: z.boolean().optional(),
  deprecated: z.boolean().optional(),
  /** What the source prices and the product does not bill. */
  unbilled: z.array(text).max(10).optional(),
  /**
   * Prices in the order of the days from which they are in force; absent `from`: always. The last one
   * whose day has come counts.
   */
  prices: z
    .array(bookPrices.extend({ from: z.iso.date().optional() }))
    .min(1)
    .max(20),
});
export type CatalogueEntry = z.infer<typeof entry>;

export const catalogueFile = z.object({
  date: z.iso.date(),
  source: text,
  providers: z.array(provider).max(providersMax),
  entries: z.array(entry).max(entriesMax),
});
export type CatalogueFile = z.infer<typeof catalogueFile>;
