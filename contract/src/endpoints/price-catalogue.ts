/**
 * The dated catalogue of prices: proposals for the models of a channel, and prices that are taken
 * from it, set by hand, or free.
 */

import { z } from "zod";
import { modelMapping } from "@tollgate/contract/fields/channel-fields.ts";
import { endpoint } from "./endpoint.ts";
import { bookPrices } from "@tollgate/contract/money/price-book.ts";
import { priceSource } from "@tollgate/contract/money/price-sources.ts";
import { modelNameMax, reservedNames } from "./prices.ts";

/** The most models that one call asks about or prices. */
export const pricedModelsMax = 1_000;

const modelName = z
  .string()
  .min(1)
  .max(modelNameMax)
  .refine((name) => name.trim() === name && !reservedNames.has(name), "名称不可用");

/** Which prices the program knows: the day that they are of, and where they are from. */
export const catalogueFacts = z.object({
  /** As `YYYY-MM-DD`. */
  date: z.iso.date(),
  source: z.string(),
  /** How many entries it has. */
  entries: z.number().int().min(0),
});
export type CatalogueFacts = z.infer<typeof catalogueFacts>;

/** What a model is, as far as the catalogue knows. */
export const modelFacts = z.object({
  name: z.string().optional(),
  /** The most tokens of input and output together, and of output. */
  context: z.number().int().min(1).optional(),
  output: z.number().int().min(1).optional(),
  /** What it reads and writes, such as `text`, `image`, `audio`. */
  reads: z.array(z.string()).optional(),
  writes: z.array(z.string()).optional(),
  tools: z.boolean().optional(),
  reasoning: z.boolean().optional(),
  deprecated: z.boolean().optional(),
});
export type ModelFacts = z.infer<typeof modelFacts>;

/** An entry of the catalogue with the prices that are in force today. */
export const catalogueMatch = z.object({
  provider: z.string(),
  provider_name: z.string(),
  entry: z.string(),
  /** The day that the price is of. */
  date: z.iso.date(),
  /** Where the price is published, if the source says. */
  source: z.string(),
  /**
   * Whether it is the price of this model at the channel's own provider. Otherwise it is what the
   * model's vendor asks, which the channel's provider may not.
   */
  exact: z.boolean(),
  prices: bookPrices,
  facts: modelFacts,
  /** What the source also asks for and no charge contains, such as searches in stored files. */
  unbilled: z.array(z.string()),
  /** Prices of a later day that the source announces already. */
  later: z.array(z.object({ from: z.iso.date(), prices: bookPrices })),
});
export type CatalogueMatch = z.infer<typeof catalogueMatch>;

const priceProposal = z.object({
  model: z.string(),
  /** Whether the price list has a price of it. */
  priced: z.boolean(),
  match: catalogueMatch.nullable(),
  /** Without a match, the entry with the most similar name; null: none is similar. */
  nearest: z.string().nullable(),
  /** Whether the channel is a local server, whose models may well be free. */
  free_allowed: z.boolean(),
});
export type PriceProposal = z.infer<typeof priceProposal>;

/** Proposes prices for the models of a channel, which need not be saved yet. */
export const proposePrices = endpoint({
  method: "POST",
  path: "/api/prices/proposals",
  access: "root",
  input: z.object({
    channel_type: z.number().int().min(0),
    base_url: z.string().max(500).default(""),
    models: z.array(modelName).max(pricedModelsMax),
    /** The names of models at the upstream, where they have others there. */
    model_mapping: modelMapping.default({}),
  }),
  output: z.array(priceProposal),
  extras: z.object({ catalogue: catalogueFacts }),
});

/** How one model is priced: from the catalogue, free, or typed. */
const appliedPrice = z.union([
  z.object({ model: modelName, provider: z.string().max(100), entry: z.string().max(300) }),
  z.object({ model: modelName, free: z.literal(true) }),
  z.object({ model: modelName, prices: bookPrices }),
]);
export type AppliedPrice = z.infer<typeof appliedPrice>;

/** Says which models have their new price, and which have none and why. */
export const appliedPrices = z.object({
  applied: z.array(z.string()),
  unpriced: z.array(z.object({ model: z.string(), reason: z.string() })),
  /** The price version in force now. */
  version: z.number().int(),
});
export type AppliedPrices = z.infer<typeof appliedPrices>;

/** Sets prices of several models in one price version. */
export const applyPrices = endpoint({
  method: "POST",
  path: "/api/prices/apply",
  access: "root",
  input: z.object({
    entries: z.array(appliedPrice).min(1).max(pricedModelsMax),
    /** Whether the typed prices come from the form or from a file. */
    from: z.enum(["form", "file"]).default("form"),
  }),
  output: appliedPrices,
});

/** The price book: what every model costs, and where its price comes from. */
export const readPriceBook = endpoint({
  method: "GET",
  path: "/api/prices/book",
  access: "root",
  input: z.object({}),
  output: z.array(
    z.object({
      model: z.string(),
      prices: bookPrices,
      /** Null: it was not noted. */
      source: priceSource.nullable(),
    }),
  ),
  extras: z.object({ version: z.number().int() }),
});

/** The most entries that one search answers. */
export const catalogueSearchMax = 50;

/** Says which catalogue is in use, and finds entries in it by their names. */
export const readCatalogue = endpoint({
  method: "GET",
  path: "/api/prices/catalogue",
  access: "root",
  input: z.object({
    /** Part of the names to find; empty: none are looked for. */
    keyword: z.string().max(300).default(""),
    provider: z.string().max(100).default(""),
  }),
  output: catalogueFacts.extend({
    providers: z.array(z.object({ id: z.string(), name: z.string() })),
    found: z.array(catalogueMatch),
  }),
});
