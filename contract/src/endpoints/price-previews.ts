/**
 * Tries a change of prices on past calls before it is saved: the calls of the last days are charged
 * again, from their stored counts and by the formula of every charge. No charge changes. A preview
 * runs beside calls on the node that began it; every node can tell how far it is, for a while.
 */

import { z } from "zod";
import { bookedPrices, priceChanges } from "./price-versions.ts";
import { endpoint } from "./endpoint.ts";
import { optionTextMax } from "@tollgate/contract/options/options.ts";

/** How many days back calls are charged again. */
export const previewDays = [1, 7, 30, 90] as const;
export type PreviewDays = (typeof previewDays)[number];

/** The most models, groups and users that a preview names, those with the largest difference first. */
export const previewRowsMax = 200;

/** How many of the users who would pay most more are named. */
export const previewMostMax = 10;

const whole = z.number().int();

/** Why a call keeps its charge in a preview. */
export const keptReason = z.enum(["counts", "kind", "price", "refunded"]);
export type KeptReason = z.infer<typeof keptReason>;

const sums = z.object({
  calls: whole,
  /** What the calls were charged, in quota units, and what they would be charged. */
  before: whole,
  after: whole,
  /** How many of them keep their charge, because it cannot be computed again. */
  kept: whole,
  /** What the calls whose cost is known cost, and what these were and would be charged. */
  cost: whole,
  costed_calls: whole,
  costed_before: whole,
  costed_after: whole,
});
export type PreviewSums = z.infer<typeof sums>;

const previewRow = sums.extend({
  /** The id of a user; 0 for a model or a group. */
  id: whole,
  /** The name; empty: a user who was deleted. */
  name: z.string(),
});
export type PreviewRow = z.infer<typeof previewRow>;

const rows = z.object({
  /** How many there are; the list has the `previewRowsMax` with the largest difference. */
  total: whole,
  items: z.array(previewRow),
});

const previewResult = z.object({
  totals: sums,
  models: rows,
  users: rows,
  groups: rows,
  /** The users who would pay most more, at most `previewMostMax`, the one who would most first. */
  most: z.array(previewRow),
  /** The calls that keep their charge, by the reason: their number, and what they were charged. */
  kept: z.array(z.object({ reason: keptReason, calls: whole, quota: whole })),
});
export type PreviewResult = z.infer<typeof previewResult>;

const pricePreview = z.object({
  id: z.string(),
  state: z.enum(["running", "done", "cancelled", "failed"]),
  /** Why it failed; empty: it did not. */
  message: z.string(),
  days: whole,
  /** The calls from `start` to before `end` are charged again; Unix seconds. */
  start: whole,
  end: whole,
  /** The price version that the change was tried on. */
  version: whole,
  /** How many calls were charged again, and about how many there are. */
  done: whole,
  about: whole,
  /** Null until all calls are charged again. */
  result: previewResult.nullable(),
});
export type PricePreview = z.infer<typeof pricePreview>;

const days = z
  .union([z.literal(1), z.literal(7), z.literal(30), z.literal(90)], "天数只能是 1、7、30 或 90")
  .default(7);

/** What is tried: changes as `savePriceChanges` takes them, whole options, or an earlier version. */
const triedPrices = z.object({
  changes: priceChanges.default({}),
  books: bookedPrices.default([]),
  /** Options of prices, with the texts that they would be saved with. */
  options: z.record(z.string().max(100), z.string().max(optionTextMax)).default({}),
  /** The version whose whole content is tried; absent: the one in force, with the changes. */
  version: z.number().int().min(1).optional(),
});
export type TriedPrices = z.infer<typeof triedPrices>;

/** Begins a preview. Invalid prices are refused as they are when they are saved. */
export const beginPricePreview = endpoint({
  method: "POST",
  path: "/api/prices/previews",
  access: "root",
  input: triedPrices.extend({
    days,
    /** A span in place of the last days, in Unix seconds; `end_timestamp` is exclusive. */
    start_timestamp: z.number().int().optional(),
    end_timestamp: z.number().int().optional(),
  }),
  output: pricePreview,
});

/** Begins a preview of an option of prices; nothing is saved. */
export const tryOption = endpoint({
  method: "PUT",
  path: "/api/option/",
  flag: "preview",
  access: "root",
  input: z.object({
    key: z.string().min(1).max(100),
    value: z.union([z.string().max(optionTextMax), z.number(), z.boolean()]),
    days,
  }),
  output: pricePreview,
});

/** Reads how far a preview is, and its result when it has one. */
export const readPricePreview = endpoint({
  method: "GET",
  path: "/api/prices/previews/:name",
  access: "root",
  input: z.object({ name: z.string().min(1).max(64) }),
  output: pricePreview,
});

/** Ends a preview that runs, and forgets it. */
export const cancelPricePreview = endpoint({
  method: "DELETE",
  path: "/api/prices/previews/:name",
  access: "root",
  input: z.object({ name: z.string().min(1).max(64) }),
  output: z.void(),
});
