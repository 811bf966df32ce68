/** The prices of one model and group: what is needed to compute the charge of a row again. */

import type { PriceList } from "@tollgate/contract/money/charge.ts";
import {
  hoursOf,
  kindPricesOf,
  longContextOf,
  searchPricesOf,
  serviceTiersOf,
} from "@tollgate/contract/money/token-price.ts";

/** Makes a price list that contains only the prices of this model and this group. */
export function pricesOf(list: PriceList, model: string, group: string): PriceList {
  const { QuotaPerUnit, GroupRatio, TaskPriceFactors = {}, ...maps } = list;
  const long = longContextOf(list, model);
  const tiers = serviceTiersOf(list, model);
  const hours = hoursOf(list, model);
  const searching = searchPricesOf(list, model);
  const kinds = kindPricesOf(list, model);
  const task = Object.hasOwn(TaskPriceFactors, model) ? TaskPriceFactors[model] : undefined;
  const own = (map: Readonly<Record<string, string>>, name: string): Record<string, string> =>
    Object.fromEntries(Object.entries(map).filter(([key]) => key === name));
  return {
    QuotaPerUnit,
    GroupRatio: own(GroupRatio, group),
    ModelRatio: own(maps.ModelRatio, model),
    CompletionRatio: own(maps.CompletionRatio, model),
    ModelPrice: own(maps.ModelPrice, model),
    CacheRatio: own(maps.CacheRatio, model),
    CreateCacheRatio: own(maps.CreateCacheRatio, model),
    CreateCacheRatio1h: own(maps.CreateCacheRatio1h, model),
    ImageRatio: own(maps.ImageRatio, model),
    AudioRatio: own(maps.AudioRatio, model),
    AudioCompletionRatio: own(maps.AudioCompletionRatio, model),
    ...(long === undefined ? {} : { LongContextPrices: { [model]: long } }),
    ...(tiers === undefined ? {} : { ServiceTierPrices: { [model]: tiers } }),
    ...(hours === undefined ? {} : { HourPrices: { [model]: [...hours] } }),
    ...(searching === undefined ? {} : { SearchPrices: { [model]: searching } }),
    ...(kinds === undefined ? {} : { TokenKindPrices: { [model]: kinds } }),
    ...(task === undefined ? {} : { TaskPriceFactors: { [model]: task } }),
  };
}
