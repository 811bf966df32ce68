/**
 * What channels charge the gateway, which only root sees. A cost list has the same form as the price
 * list, and the cost of a call is computed by the same formula from the same usage. Costs are US
 * dollars as in the price book, per million tokens or per call; sums are whole quota units.
 */

import { z } from "zod";
import { priceList, taskPriceFactors } from "./charge.ts";
import { endpoint } from "./endpoint.ts";
import { id } from "./fields.ts";
import { page, pageInput } from "./page.ts";
import { type BookPrices, bookBuckets, bookPrices } from "./price-book.ts";
import { modelNameMax, parseDecimal, type Parsed, reservedNames } from "./prices.ts";

/** The group of a cost list, whose ratio is 1: a channel charges the same for all. */
export const costGroup = "cost";

/** The most models whose costs are typed for one channel. */
const typedModelsMax = 2_000;

/** What one model costs. `task`: what the fixed price of a task is multiplied by. */
const modelCost = bookPrices.extend({ task: taskPriceFactors.valueType.optional() });
export type ModelCost = z.infer<typeof modelCost>;

/** The content of one version of a channel's cost list. */
export const costContent = z.object({
  /** What was typed, by the names that clients use. */
  typed: z.record(z.string(), modelCost),
  /** What each model costs, as a price list. */
  list: priceList,
});
export type CostContent = z.infer<typeof costContent>;

const whole = z.number().int();
const decimal = z.union([z.string().max(60), z.number()]);
const tokenCosts = z.partialRecord(z.enum(bookBuckets), decimal);

/** A model's cost as a console sends it; `readModelCosts` says in words what is wrong with it. */
const sentCost = z.object({
  perCall: decimal.optional(),
  tokens: tokenCosts.optional(),
  steps: bookPrices.shape.steps,
  tiers: bookPrices.shape.tiers,
  hours: bookPrices.shape.hours,
  searches: bookPrices.shape.searches,
  task: modelCost.shape.task,
});

const modelCosts = z.record(z.string().min(1).max(modelNameMax), sentCost);

/** Reads the costs that somebody has typed, or says which one is wrong and why. */
export function readModelCosts(
  sent: z.infer<typeof modelCosts>,
): Parsed<Readonly<Record<string, ModelCost>>> {
  const models = Object.entries(sent);
  if (models.length > typedModelsMax) {
    return { ok: false, message: `最多 ${typedModelsMax} 个模型` };
  }
  const read: Record<string, ModelCost> = {};
  for (const [model, { perCall, tokens = {}, ...others }] of models) {
    if (reservedNames.has(model)) return { ok: false, message: `不能用作名称：${model}` };
    const cost: { -readonly [Part in keyof BookPrices]: BookPrices[Part] } = others;
    for (const [bucket, value] of Object.entries(tokens)) {
      const parsed = parseDecimal(String(value));
      if (!parsed.ok) return { ok: false, message: `${model}：${bucket} ${parsed.message}` };
      // Safe cast: the schema lets only names of buckets pass.
      cost.tokens = { ...cost.tokens, [bucket as (typeof bookBuckets)[number]]: parsed.value };
    }
    if (perCall !== undefined) {
      const parsed = parseDecimal(String(perCall));
      if (!parsed.ok) return { ok: false, message: `${model}：perCall ${parsed.message}` };
      cost.perCall = parsed.value;
    }
    read[model] = cost;
  }
  return { ok: true, value: read };
}

/** Who made a version of a cost list, and when, in Unix seconds; 0 and empty: there is none. */
const versionFacts = z.object({
  version: whole,
  created_at: whole,
  created_by: whole,
  username: z.string(),
});
export type CostVersion = z.infer<typeof versionFacts>;

const channelCosts = versionFacts.extend({
  /** What was typed. */
  models: z.record(z.string(), modelCost),
  /** What each model of the channel costs; null: it is not known. */
  effective: z.array(z.object({ model: z.string(), prices: modelCost.nullable() })),
});
export type ChannelCosts = z.infer<typeof channelCosts>;

/** Reads the cost list of a channel. */
export const readChannelCosts = endpoint({
  method: "GET",
  path: "/api/channel/:id/costs",
  access: "root",
  input: z.object({ id }),
  output: channelCosts,
});

/** Replaces the cost list of a channel by a new version; calls before keep the cost they had. */
export const saveChannelCosts = endpoint({
  method: "PUT",
  path: "/api/channel/:id/costs",
  access: "root",
  input: z.object({ id, models: modelCosts }),
  output: channelCosts,
});

/** Lists the versions of a channel's cost list, newest first. */
export const listCostVersions = endpoint({
  method: "GET",
  path: "/api/channel/:id/costs/versions",
  access: "root",
  input: z.object({ id, ...pageInput }),
  output: page(versionFacts.extend({ models: z.record(z.string(), modelCost) })),
});
