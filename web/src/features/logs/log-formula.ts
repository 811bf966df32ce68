/** The formula of a log row's charge, also of rows that another gateway wrote. */

import {
  type ChargedUsage,
  chargedUsage,
  noUsage,
  type PriceList,
  priceList,
} from "@tollgate/contract/money/charge.ts";
import type { LogCharge } from "@tollgate/contract/endpoints/log-charges.ts";
import { parseDecimal } from "@tollgate/contract/endpoints/prices.ts";
import type { Formula } from "#widgets/money/BillingFormula.tsx";
import { chargeFormula } from "#widgets/money/charge-formula.ts";
import type { LogView } from "./log-view.ts";

/**
 * Makes the formula for a log row; null if the row has no figures at all.
 *
 * @param kept what the server stored about the charge. For rows that another gateway wrote it has
 * no token counts or no prices; then those in the row itself are used.
 * @param quotaPerUnit quota units per dollar, for rows without stored prices.
 */
export function formulaOf(
  row: LogView,
  kept: Omit<LogCharge, "rerates">,
  quotaPerUnit: number,
): Formula | null {
  const usage = kept.usage ?? usageOfRow(row);
  const prices = kept.prices ?? pricesOfRow(row, quotaPerUnit);
  if (usage === null || prices === null) return null;
  return chargeFormula({
    model: row.model_name,
    group: row.group,
    usage,
    prices,
    charged: row.quota,
    writeOff: kept.write_off,
    isKept: kept.usage !== null && kept.prices !== null,
  });
}

/**
 * Reads the token counts of a row in the notation of one-api: the prompt tokens include cached
 * ones, except in Anthropic's format.
 */
function usageOfRow({ prompt_tokens, completion_tokens, details }: LogView): ChargedUsage | null {
  const { audio_input = 0, audio_output = 0, cache_tokens = 0 } = details;
  const written = details.cache_creation_tokens ?? 0;
  const forHour = details.cache_creation_tokens_1h ?? 0;
  const withSound = details.audio === true || details.ws === true;
  const tier = details.service_tier?.tier;
  const searches = details.web_search_call_count ?? 0;
  const usage = {
    ...noUsage,
    ...(tier === undefined ? {} : { tier }),
    input: prompt_tokens - (details.claude === true ? 0 : cache_tokens + written),
    cacheRead: cache_tokens,
    cacheWrite5m: written - forHour,
    cacheWrite1h: forHour,
    output: completion_tokens,
    ...(searches === 0 ? {} : { searches }),
  };
  const heard = {
    ...usage,
    input: details.text_input ?? 0,
    cacheRead: 0,
    cacheWrite5m: 0,
    cacheWrite1h: 0,
    inputAudio: audio_input,
    output: details.text_output ?? 0,
    outputAudio: audio_output,
  };
  return chargedUsage.safeParse(withSound ? heard : usage).data ?? null;
}

/**
 * Makes a price list of the ratios in the row itself; null if one of them is not a decimal of at
 * least 0.
 */
function pricesOfRow(row: LogView, quotaPerUnit: number): PriceList | null {
  const { details, model_name: model, group } = row;
  const fixed = details.model_price ?? -1;
  if (fixed < 0 && details.model_ratio === undefined) return null;
  const of = (name: string, value: number | undefined): Record<string, string> =>
    value === undefined ? {} : { [name]: decimalOf(value) };
  const list = {
    QuotaPerUnit: decimalOf(quotaPerUnit),
    GroupRatio: of(group, details.group_ratio ?? 1),
    ModelPrice: fixed < 0 ? {} : of(model, fixed),
    ModelRatio: of(model, details.model_ratio),
    CompletionRatio: of(model, details.completion_ratio),
    CacheRatio: of(model, details.cache_ratio),
    CreateCacheRatio: of(model, details.cache_creation_ratio_5m ?? details.cache_creation_ratio),
    CreateCacheRatio1h: of(model, details.cache_creation_ratio_1h),
    ImageRatio: {},
    AudioRatio: of(model, details.audio_ratio),
    AudioCompletionRatio: of(model, details.audio_completion_ratio),
    LongContextPrices: longOf(row),
    ServiceTierPrices: tierOf(row),
    SearchPrices: searchOf(row),
  };
  return priceList.safeParse(list).data ?? null;
}

function longOf({ details: { long_context: long }, model_name }: LogView) {
  if (long === undefined) return {};
  const { above, ratio, completion_ratio } = long;
  const prices = { above, ratio: decimalOf(ratio), completion: decimalOf(completion_ratio) };
  return { [model_name]: prices };
}

function searchOf({ details, model_name }: LogView) {
  const { search_prices: kept, web_search_price: price } = details;
  if (kept !== undefined) return { [model_name]: kept };
  return price === undefined ? {} : { [model_name]: { search: decimalOf(price) } };
}

function tierOf({ details: { service_tier: shown }, model_name }: LogView) {
  if (shown === undefined) return {};
  const { tier, ratio, cache_ratio, completion_ratio } = shown;
  const factors = {
    ratio: decimalOf(ratio),
    cache: decimalOf(cache_ratio),
    completion: decimalOf(completion_ratio),
  };
  return { [model_name]: { [tier]: factors } };
}

function decimalOf(value: number): string {
  const parsed = parseDecimal(String(value));
  return parsed.ok ? parsed.value : "";
}
