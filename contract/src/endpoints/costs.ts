/**
 * What channels charge the gateway, which only root sees. A cost list has the same form as the price
 * list, and the cost of a call is computed by the same formula from the same usage. Costs are US
 * dollars as in the price book, per million tokens or per call; sums are whole quota units.
 */

import { z } from "zod";
import { priceList, taskPriceFactors } from "@tollgate/contract/money/charge.ts";
import { decimalText } from "@tollgate/contract/money/decimals.ts";
import { endpoint } from "./endpoint.ts";
import { id } from "@tollgate/contract/fields/fields.ts";
import { page, pageInput } from "./page.ts";
import { type BookPrices, bookBuckets, bookPrices } from "@tollgate/contract/money/price-book.ts";
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
  /**
   * What the prices of the catalogue are multiplied by for models whose costs are not typed; null:
   * the catalogue is not used.
   */
  factor: decimalText.nullable(),
  /** The day of the catalogue, as `YYYY-MM-DD`; empty: it was not used. */
  catalogue: z.string(),
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
      if (!parsed.ok) return { ok: false, message: `${model} ${bucket}：${parsed.message}` };
      // Safe cast: the schema lets only names of buckets pass.
      cost.tokens = { ...cost.tokens, [bucket as (typeof bookBuckets)[number]]: parsed.value };
    }
    if (perCall !== undefined) {
      const parsed = parseDecimal(String(perCall));
      if (!parsed.ok) return { ok: false, message: `${model} perCall：${parsed.message}` };
      cost.perCall = parsed.value;
    }
    read[model] = cost;
  }
  return { ok: true, value: read };
}

/** The most digits of a factor after the decimal point, so that no product has to be rounded. */
const factorPlacesMax = 4;
/** The largest factor: a channel that costs more has another provider's prices. */
const factorMax = 1_000;

/** Reads the factor of the catalogue's prices; empty: the catalogue is not used. */
export function readFactor(sent: number | string): Parsed<string | null> {
  if (String(sent).trim() === "") return { ok: true, value: null };
  const parsed = parseDecimal(String(sent));
  if (!parsed.ok) return { ok: false, message: `系数：${parsed.message}` };
  const places = parsed.value.split(".")[1]?.length ?? 0;
  if (places > factorPlacesMax || Number(parsed.value) > factorMax) {
    return {
      ok: false,
      message: `系数超出范围（最大 ${factorMax}，小数最多 ${factorPlacesMax} 位）：${parsed.value}`,
    };
  }
  return parsed;
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
  /** See `costContent`; empty: the catalogue is not used. */
  factor: z.string(),
  catalogue: z.string(),
  /** What was typed. */
  models: z.record(z.string(), modelCost),
  /** What each model of the channel costs; null: it is not known. */
  effective: z.array(
    z.object({
      model: z.string(),
      from: z.enum(["catalogue", "typed"]).nullable(),
      prices: modelCost.nullable(),
    }),
  ),
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
  input: z.object({ id, factor: decimal.default(""), models: modelCosts }),
  output: channelCosts,
});

/** Lists the versions of a channel's cost list, newest first. */
export const listCostVersions = endpoint({
  method: "GET",
  path: "/api/channel/:id/costs/versions",
  access: "root",
  input: z.object({ id, ...pageInput }),
  output: page(
    versionFacts.extend({
      factor: z.string(),
      catalogue: z.string(),
      models: z.record(z.string(), modelCost),
    }),
  ),
});
