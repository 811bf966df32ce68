/**
 * The versions of the price list: what each one changed, who made it, when and why. A version never
 * changes; going back to an earlier one makes a new version of the same content.
 */

import { z } from "zod";
import { priceList } from "@tollgate/contract/money/charge.ts";
import { endpoint } from "./endpoint.ts";
import { id, queryWhole } from "@tollgate/contract/fields/fields.ts";
import { page, pageInput } from "./page.ts";
import { bookPrices, pricedParts } from "@tollgate/contract/money/price-book.ts";
import { modelNameMax } from "./prices.ts";

/** The longest reason that may be given for a version, in characters. */
export const priceReasonMax = 200;

/** The largest number of models that a comparison of two versions lists. */
export const changedModelsMax = 1_000;

const whole = z.number().int();

/** Why the prices change, for those who read the versions later; empty: nobody said. */
const reason = z
  .string()
  .trim()
  .max(priceReasonMax, `原因不能超过 ${priceReasonMax} 个字符`)
  .default("");

const priceVersion = z.object({
  id: whole,
  /** The version before, which the counts below compare with; 0: it is the first one. */
  before_id: whole,
  /** Unix seconds. */
  created_at: whole,
  /** From this time on calls are charged by this version, in Unix seconds. */
  starts_at: whole,
  /** Id of the user who made it; 0: the gateway itself, when it was set up. */
  created_by: whole,
  /** Empty: the gateway itself, or a user who is gone. */
  created_by_name: z.string(),
  reason: z.string(),
  /** Whether calls are charged by this version now. */
  in_force: z.boolean(),
  /**
   * Whether the list in it can be read. One that cannot was altered by other means, is never in
   * force, and is compared with nothing.
   */
  readable: z.boolean(),
  /** How many models and groups have other prices than in the version before. */
  changed_models: whole,
  changed_groups: whole,
});
export type PriceVersion = z.infer<typeof priceVersion>;

/** Lists the versions, newest first. */
export const listPriceVersions = endpoint({
  method: "GET",
  path: "/api/prices/versions",
  access: "root",
  input: z.object({ ...pageInput }),
  output: page(priceVersion),
});

/** The prices of a model by the part of the price list; texts as in the list, or JSON. */
const modelParts = z.record(z.string(), z.string());

const modelChange = z.object({
  model: z.string(),
  /** Null: the model has no price in this version. */
  before: modelParts.nullable(),
  after: modelParts.nullable(),
});
export type ModelChange = z.infer<typeof modelChange>;

const pair = z.object({ before: z.string().nullable(), after: z.string().nullable() });

const priceDifference = z.object({
  /** The models whose prices differ, by name; at most `changedModelsMax` of them. */
  models: z.array(modelChange),
  /** How many models differ. */
  total: whole,
  /** The groups whose ratios differ; null: the group has none. */
  groups: z.array(pair.extend({ group: z.string() })),
  /** Quota units per dollar in both versions. */
  quota_per_unit: z.object({ before: z.string(), after: z.string() }),
});
export type PriceDifference = z.infer<typeof priceDifference>;

/** Compares two versions, in whichever order. */
export const diffPriceVersions = endpoint({
  method: "GET",
  path: "/api/prices/versions/diff",
  access: "root",
  input: z.object({
    /** Ids of the versions. Absent: the version in force. */
    from: queryWhole,
    to: queryWhole,
  }),
  output: priceDifference,
});

/** Makes a new version with the whole content of an earlier one, group ratios included. */
export const rollBackPrices = endpoint({
  method: "POST",
  path: "/api/prices/versions/rollback",
  access: "root",
  input: z.object({ id, reason }),
  output: z.void(),
});

/** The parts of the price list that the console's forms and files change, model by model. */
export const editedPart = z.enum(pricedParts);

/** The longest value of one model in one part, in characters. */
const editedTextMax = 4_000;

/** New values by part and model, as texts of the list, or JSON; null takes the model's value away. */
export const priceChanges = z.partialRecord(
  editedPart,
  z.record(z.string().min(1).max(modelNameMax), z.string().max(editedTextMax).nullable()),
);
export type PriceChanges = z.infer<typeof priceChanges>;

/** The most models that one save prices by the price book. */
export const bookedModelsMax = 5_000;

/** What models cost from now on, in dollars; null: the model has no price any more. */
export const bookedPrices = z
  .array(z.object({ model: z.string().min(1).max(modelNameMax), prices: bookPrices.nullable() }))
  .max(bookedModelsMax);
export type BookedPrices = z.infer<typeof bookedPrices>;

/**
 * Changes prices of models as one version: all of them, or none if one is refused. What the changes
 * do not name stays as it is, also if somebody else has saved meanwhile. Prices in dollars that no
 * price list can have exactly are refused by the model's name.
 */
export const savePriceChanges = endpoint({
  method: "PUT",
  path: "/api/prices/",
  access: "root",
  input: z.object({
    changes: priceChanges.default({}),
    books: bookedPrices.default([]),
    /** Whether the prices were typed, or read from a file. */
    from: z.enum(["form", "file"]).default("form"),
    reason,
  }),
  output: z.void(),
});

/** Reads the whole price list in force, with the sources of prices. */
export const readPrices = endpoint({
  method: "GET",
  path: "/api/prices/",
  access: "root",
  input: z.object({}),
  output: z.object({ version: whole, list: priceList }),
});
