/** Makes the list of a channel's costs from what somebody has said of them. */

import type { PriceList } from "@tollgate/contract/charge.ts";
import { type CostContent, costGroup, type ModelCost } from "@tollgate/contract/costs.ts";
import { writePriceBook } from "@tollgate/contract/price-book-writer.ts";
import type { Parsed } from "@tollgate/contract/prices.ts";

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

type Costs = Readonly<Record<string, ModelCost>>;

/**
 * Makes the content of a version, or says which cost cannot be computed exactly.
 *
 * @param quotaPerUnit the quota units of a US dollar.
 */
export function makeCosts(typed: Costs, quotaPerUnit: string): Parsed<CostContent> {
  const books = Object.entries(typed).map(
    ([model, { task: _, ...prices }]) => [model, prices] as const,
  );
  const written = writePriceBook(emptyList(quotaPerUnit), books);
  const [refused] = written.refused;
  if (refused !== undefined) return { ok: false, message: `${refused[0]}：${refused[1]}` };
  let { list } = written;
  for (const [model, { task, ...prices }] of Object.entries(typed)) {
    if (task === undefined) continue;
    if (prices.perCall === undefined) return { ok: false, message: `${model}：任务需要按次价格` };
    list = { ...list, TaskPriceFactors: { ...list.TaskPriceFactors, [model]: task } };
  }
  return { ok: true, value: { typed, list } };
}
