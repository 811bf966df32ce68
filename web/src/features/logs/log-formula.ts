/**
 * The computation of a log row's charge, with its real numbers. The result is computed by the same
 * function that charged the call. If it differs from the charge in the row, the formula shows the
 * difference instead of hiding it.
 */

import {
  type Bucket,
  charge,
  type ChargedUsage,
  chargedUsage,
  decimalPlacesMax,
  noUsage,
  type PriceList,
  priceList,
  rateScale,
  scaled,
  unitPrice,
} from "@tollgate/contract/charge.ts";
import type { LogCharge } from "@tollgate/contract/logs.ts";
import { parseDecimal } from "@tollgate/contract/prices.ts";
import type { Formula, FormulaTerm } from "#widgets/money/BillingFormula.tsx";
import type { LogView } from "./log-view.ts";

/** The decimal places of the integers that `unitPrice` returns. */
const ratePlaces = 4 * decimalPlacesMax;

/** The kinds of tokens in the order in which a bill lists them. */
const buckets: readonly Bucket[] = [
  "input",
  "cacheRead",
  "cacheWrite5m",
  "cacheWrite1h",
  "inputImage",
  "inputAudio",
  "output",
  "reasoning",
  "outputImage",
  "outputAudio",
];

/**
 * Makes the formula for a log row; null if the row has no figures at all.
 *
 * @param kept what the server stored about the charge. For rows that another gateway wrote it has
 * no token counts or no prices; then those in the row itself are used.
 * @param quotaPerUnit quota units per dollar, for rows without stored prices.
 */
export function formulaOf(row: LogView, kept: LogCharge, quotaPerUnit: number): Formula | null {
  const usage = kept.usage ?? usageOfRow(row);
  const prices = kept.prices ?? pricesOfRow(row, quotaPerUnit);
  if (usage === null || prices === null) return null;
  const price = unitPrice(prices, row.model_name, row.group);
  if (price === undefined) return null;
  const sum = { charged: row.quota, writeOff: kept.write_off, due: charge(price, usage) };
  const isKept = kept.usage !== null && kept.prices !== null;
  const groupRatio = prices.GroupRatio[row.group] ?? "1";
  if (price.kind === "call") {
    const used = buckets.some((bucket) => usage[bucket] > 0);
    return {
      ...sum,
      isKept,
      kind: "call",
      groupRatio,
      dollars: prices.ModelPrice[row.model_name] ?? "0",
      quotaPerUnit: prices.QuotaPerUnit,
      exact: used ? showScaled(price.perCall, ratePlaces) : "0",
    };
  }
  const factors = factorsOf(prices, row);
  const terms = buckets
    .filter((bucket) => usage[bucket] > 0)
    .map((bucket): FormulaTerm => {
      const rate = price.rates[bucket];
      return {
        bucket,
        count: usage[bucket],
        factor: factors(bucket),
        perMillion: perMillion(rate, prices.QuotaPerUnit),
        quota: showScaled(BigInt(usage[bucket]) * rate, ratePlaces),
      };
    });
  const exact = buckets.reduce(
    (total, name) => total + BigInt(usage[name]) * price.rates[name],
    0n,
  );
  return {
    ...sum,
    isKept,
    kind: "tokens",
    groupRatio,
    modelRatio: prices.ModelRatio[row.model_name] ?? "0",
    terms,
    exact: showScaled(exact, ratePlaces),
  };
}

/**
 * Returns a function that gives the price of each kind of token relative to an input token. It
 * works for free models, too, because it does not depend on their ratio of 0.
 */
function factorsOf(prices: PriceList, row: LogView): (bucket: Bucket) => string {
  const { model_name: model, group } = row;
  const plain = { ...prices, ModelRatio: { [model]: "1" }, GroupRatio: { [group]: "1" } };
  const price = unitPrice(plain, model, group);
  return (bucket) => (price?.kind === "tokens" ? showScaled(price.rates[bucket], ratePlaces) : "1");
}

/** Converts a rate to US dollars per million tokens, rounded to twelve decimal places. */
function perMillion(rate: bigint, quotaPerUnit: string): string {
  const unit = scaled(quotaPerUnit);
  if (unit === 0n) return "0";
  const places = 10n ** BigInt(decimalPlacesMax);
  const dollars = (rate * 1_000_000n * places * places * 2n) / (unit * rateScale);
  return showScaled((dollars + 1n) / 2n, decimalPlacesMax);
}

/** Writes an integer that counts units of 10^−`places` as decimal text without trailing zeros. */
function showScaled(value: bigint, places: number): string {
  const digits = value.toString().padStart(places + 1, "0");
  const part = digits.slice(-places).replace(/0+$/, "");
  return digits.slice(0, -places) + (part === "" ? "" : `.${part}`);
}

/**
 * Reads the token counts of a row in the notation of one-api: the prompt tokens include cached
 * ones, except in Anthropic's format.
 */
function usageOfRow({ prompt_tokens, completion_tokens, details }: LogView): ChargedUsage | null {
  const { audio_input = 0, audio_output = 0, cache_tokens = 0 } = details;
  const written = details.cache_creation_tokens ?? 0;
  const withSound = details.audio === true || details.ws === true;
  const usage = {
    ...noUsage,
    input: prompt_tokens - (details.claude === true ? 0 : cache_tokens + written),
    cacheRead: cache_tokens,
    cacheWrite5m: written,
    output: completion_tokens,
  };
  const heard = {
    ...usage,
    input: details.text_input ?? 0,
    cacheRead: 0,
    cacheWrite5m: 0,
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
    CreateCacheRatio: of(model, details.cache_creation_ratio),
    CreateCacheRatio1h: {},
    ImageRatio: {},
    AudioRatio: of(model, details.audio_ratio),
    AudioCompletionRatio: of(model, details.audio_completion_ratio),
  };
  return priceList.safeParse(list).data ?? null;
}

function decimalOf(value: number): string {
  const parsed = parseDecimal(String(value));
  return parsed.ok ? parsed.value : "";
}
