/** Makes the list of a channel's costs from what somebody has said of them. */

import type { PriceList } from "@tollgate/contract/money/charge.ts";
import { type CostContent, costGroup, type ModelCost } from "@tollgate/contract/endpoints/costs.ts";
import { multiplied } from "@tollgate/contract/money/multiply.ts";
import type { BookPrices } from "@tollgate/contract/money/price-book.ts";
import { writePriceBook } from "@tollgate/contract/money/price-book-writer.ts";
import type { Parsed } from "@tollgate/contract/endpoints/prices.ts";

const noMap: Readonly<Record<string, string>> = {};

function emptyList(quotaPerUnit: string): PriceList {
  return {
    QuotaPerUnit: quotaPerUnit,
    GroupRatio: { [costGroup]: "1" },
    ModelRatio: noMap,
    CompletionRatio: noMap,
    ModelPrice: noMap,
    CacheRatio: noMap,
    CreateCacheRatio: noMap,
    CreateCacheRatio1h: noMap,
    ImageRatio: noMap,
    AudioRatio: noMap,
    AudioCompletionRatio: noMap,
  };
}

/** What is said of a channel's costs. */
export type SaidCosts = {
  readonly factor: string | null;
  readonly typed: Readonly<Record<string, ModelCost>>;
  /** The day of the catalogue; empty: it is not used. */
  readonly catalogue: string;
  /** What the catalogue says of the channel's models. */
  readonly listed: Readonly<Record<string, BookPrices>>;
};

/**
 * Makes the content of a version, or says which typed cost cannot be computed exactly. Of what the
 * catalogue says, such a cost stays unknown.
 *
 * @param quotaPerUnit the quota units of a US dollar.
 */
export function makeCosts(said: SaidCosts, quotaPerUnit: string): Parsed<CostContent> {
  const { factor, typed, catalogue } = said;
  const books = new Map<string, BookPrices>();
  const tasks: NonNullable<PriceList["TaskPriceFactors"]> = {};
  for (const [model, prices] of Object.entries(said.listed)) {
    const times = factor === null ? undefined : multiplied(prices, factor);
    if (times !== undefined && !Object.hasOwn(typed, model)) books.set(model, times);
  }
  for (const [model, { task, ...prices }] of Object.entries(typed)) {
    books.set(model, prices);
    if (task === undefined) continue;
    if (prices.perCall === undefined) return { ok: false, message: `${model}：任务需要按次价格` };
    tasks[model] = task;
  }
  const { list, refused } = writePriceBook(emptyList(quotaPerUnit), books);
  for (const [model, reason] of refused) {
    if (Object.hasOwn(typed, model)) return { ok: false, message: `${model}：${reason}` };
  }
  const whole = Object.keys(tasks).length === 0 ? list : { ...list, TaskPriceFactors: tasks };
  return { ok: true, value: { factor, catalogue, typed, list: whole } };
}
