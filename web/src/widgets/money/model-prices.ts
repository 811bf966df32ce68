/**
 * The prices that a group pays. The cost of a token is computed by `contract/src/money/charge.ts`, which also
 * charges calls; this file converts it to dollars.
 */

import {
  type ChargedUsage,
  charge,
  type PriceList,
  type UnitPrice,
  unitPrice,
} from "@tollgate/contract/money/charge.ts";
import { scaled } from "@tollgate/contract/money/decimals.ts";
import { type ServiceTier, serviceTier } from "@tollgate/contract/money/service-tiers.ts";
import {
  type RateName,
  rateScale,
  type SearchRates,
  type TokenPrices,
} from "@tollgate/contract/money/token-price.ts";
import type { LongStep } from "@tollgate/contract/money/price-terms.ts";
import { failingDemoModel } from "@tollgate/contract/endpoints/demo-calls.ts";
import { parseDecimal, type PricingRow, quotaType } from "@tollgate/contract/endpoints/prices.ts";

/** The prices as the server answers them to the caller. */
export type Pricing = {
  readonly rows: readonly PricingRow[];
  readonly groupRatios: Readonly<Record<string, number>>;
  /** The groups that the caller may use: name → description. */
  readonly groups: Readonly<Record<string, string>>;
  readonly unpriced: readonly Pick<PricingRow, "enable_groups" | "model_name">[];
};

export type ModelPrice = {
  readonly model: string;
  /** The caller's groups in which the model can be called. */
  readonly groups: readonly string[];
  /** Whether the model can be called in the group that is shown. */
  readonly isCallable: boolean;
} & (
  | { readonly kind: "call"; readonly perCall: Dollars; readonly price: UnitPrice }
  /** The prices of one token of each kind. */
  | {
      readonly kind: "tokens";
      readonly input: Dollars;
      readonly output: Dollars;
      readonly rates: Rates;
      readonly price: UnitPrice;
      /** The prices of calls with more than `above` input tokens, step by step; empty: the same. */
      readonly long: readonly { readonly above: number; readonly rates: Rates }[];
      /** The prices of service tiers that have their own. */
      readonly tiers: readonly { readonly tier: ServiceTier; readonly rates: Rates }[];
      /** The prices at hours of the day, in UTC, that have their own. */
      readonly hours: readonly {
        readonly from: string;
        readonly until: string;
        readonly rates: Rates;
      }[];
      /** Dollars for 1,000 calls, searches, and calls that searched, beside the tokens. */
      readonly beside: readonly { readonly kind: keyof SearchRates; readonly price: Dollars }[];
    }
  | { readonly kind: "unpriced" }
);

/** US dollars × 10^`dollarPlaces`, as an integer so that prices are exact. */
export type Dollars = bigint;

export const dollarPlaces = 24;

const dollarScale = 10n ** BigInt(dollarPlaces);

/**
 * Returns the models with their prices in a group, sorted by name; without the demo's model that
 * only fails, which nobody chooses by its price.
 */
export function modelPrices(pricing: Pricing, group: string, quotaPerUnit: number): ModelPrice[] {
  const list = priceListOf(pricing, quotaPerUnit);
  const priced = pricing.rows.map((row) => priceOfRow(row, list, group));
  const unpriced = pricing.unpriced.map(({ model_name, enable_groups }): ModelPrice => ({
    model: model_name,
    groups: enable_groups,
    isCallable: false,
    kind: "unpriced",
  }));
  return [...priced, ...unpriced]
    .filter(({ model }) => model !== failingDemoModel)
    .toSorted((a, b) => (a.model < b.model ? -1 : 1));
}

/** Returns the prices of a model in each of the caller's groups in which it can be called. */
export function groupPrices(
  pricing: Pricing,
  model: string,
  quotaPerUnit: number,
): readonly { readonly group: string; readonly ratio: number; readonly price: ModelPrice }[] {
  const row = pricing.rows.find(({ model_name }) => model_name === model);
  if (row === undefined) return [];
  const list = priceListOf(pricing, quotaPerUnit);
  return row.enable_groups.map((group) => ({
    group,
    ratio: pricing.groupRatios[group] ?? 1,
    price: priceOfRow(row, list, group),
  }));
}

/**
 * Returns what a call would be charged, in quota units, by the function that charges calls; null:
 * the model has no price.
 */
export function costOf(row: ModelPrice, usage: ChargedUsage): number | null {
  return row.kind === "unpriced" ? null : charge(row.price, usage);
}

function priceOfRow(row: PricingRow, list: PriceList, group: string): ModelPrice {
  const shared = {
    model: row.model_name,
    groups: row.enable_groups,
    isCallable: row.enable_groups.includes(group),
  };
  const price = unitPrice(list, row.model_name, group);
  if (price === undefined) return { ...shared, kind: "unpriced" };
  if (price.kind === "call") {
    return { ...shared, kind: "call", perCall: dollarsOf(price.perCall, list), price };
  }
  const rates = ratesOf(price.rates, list);
  const { long = [] } = price;
  return {
    ...shared,
    kind: "tokens",
    input: rates.input,
    output: rates.output,
    rates,
    price,
    long: long.map(({ above, price: of }) => ({ above, rates: ratesOf(of.rates, list) })),
    tiers: serviceTier.options.flatMap((tier) => {
      const tiered = price.tiers?.charged[tier];
      return tiered === undefined ? [] : [{ tier, rates: ratesOf(tiered.rates, list) }];
    }),
    hours: (row.hour_prices ?? []).flatMap(({ from, until }, at) => {
      const hourly = price.hours?.[at]?.price;
      return hourly === undefined ? [] : [{ from, until, rates: ratesOf(hourly.rates, list) }];
    }),
    beside: besideOf(price, list),
  };
}

function besideOf({ searching }: TokenPrices, list: PriceList) {
  const kinds = ["call", "search", "searchingCall"] as const;
  return kinds.flatMap((kind) => {
    const price = searching === null ? 0n : dollarsOf(searching[kind] * 1_000n, list);
    return price === 0n ? [] : [{ kind, price }];
  });
}

type Rates = Readonly<Record<RateName, Dollars>>;

function ratesOf(rates: Readonly<Record<RateName, bigint>>, list: PriceList): Rates {
  const of = (name: RateName): Dollars => dollarsOf(rates[name], list);
  return {
    input: of("input"),
    cacheRead: of("cacheRead"),
    cacheWrite5m: of("cacheWrite5m"),
    cacheWrite1h: of("cacheWrite1h"),
    inputAudio: of("inputAudio"),
    inputImage: of("inputImage"),
    cacheAudio: of("cacheAudio"),
    cacheImage: of("cacheImage"),
    output: of("output"),
    reasoning: of("reasoning"),
    outputAudio: of("outputAudio"),
    outputImage: of("outputImage"),
  };
}

/** Converts the server's answer to the price list that the charge formula takes. */
function priceListOf({ rows, groupRatios }: Pricing, quotaPerUnit: number): PriceList {
  const perCall = rows.filter(({ quota_type }) => quota_type === quotaType.enum.call);
  const perToken = rows.filter(({ quota_type }) => quota_type === quotaType.enum.tokens);
  const byModel = (of: readonly PricingRow[], value: (row: PricingRow) => number) =>
    decimals(of.map((row) => [row.model_name, value(row)]));
  const ofSet = (value: (row: PricingRow) => number | undefined) =>
    decimals(
      perToken.flatMap((row) => {
        const ratio = value(row);
        return ratio === undefined ? [] : [[row.model_name, ratio] as const];
      }),
    );
  return {
    QuotaPerUnit: decimalOf(quotaPerUnit) ?? "1",
    GroupRatio: decimals(Object.entries(groupRatios)),
    ModelRatio: byModel(perToken, (row) => row.model_ratio),
    CompletionRatio: byModel(perToken, (row) => row.completion_ratio),
    ModelPrice: byModel(perCall, (row) => row.model_price),
    // A model without such a ratio is not in its map, so it has the default of the formula.
    CacheRatio: ofSet((row) => row.cache_ratio),
    CreateCacheRatio: ofSet((row) => row.create_cache_ratio),
    CreateCacheRatio1h: ofSet((row) => row.create_cache_ratio_1h),
    ImageRatio: ofSet((row) => row.image_ratio),
    AudioRatio: ofSet((row) => row.audio_ratio),
    AudioCompletionRatio: ofSet((row) => row.audio_completion_ratio),
    LongContextPrices: Object.fromEntries(perToken.flatMap(longContextOf)),
    ServiceTierPrices: Object.fromEntries(perToken.flatMap(serviceTiersOf)),
    HourPrices: entriesOf(perToken, ({ hour_prices: hours }) => hours),
    SearchPrices: entriesOf(perToken, ({ search_prices: searching }) => searching),
    TokenKindPrices: entriesOf(perToken, ({ kind_prices: kinds }) => kinds),
  };
}

/** Returns what the rows have of one kind, by model. */
function entriesOf<Value>(
  rows: readonly PricingRow[],
  valueOf: (row: PricingRow) => Value | undefined,
): Record<string, Value> {
  return Object.fromEntries(
    rows.flatMap((row) => {
      const value = valueOf(row);
      return value === undefined ? [] : [[row.model_name, value]];
    }),
  );
}

type ShownLong = NonNullable<PricingRow["long_context"]>;

function longContextOf({ model_name, long_context: long }: PricingRow) {
  if (long === undefined) return [];
  const [first, ...further] = [long, ...(long.further ?? [])].flatMap(longStepOf);
  if (first === undefined) return [];
  return [[model_name, further.length === 0 ? first : { ...first, further }] as const];
}

function longStepOf(long: Omit<ShownLong, "further">): LongStep[] {
  const ratio = decimalOf(long.ratio);
  const completion = decimalOf(long.completion_ratio);
  if (ratio === undefined || completion === undefined) return [];
  const cache = long.cache_ratio === undefined ? undefined : decimalOf(long.cache_ratio);
  const step = { above: long.above, ratio, completion };
  return [cache === undefined ? step : { ...step, cache }];
}

function serviceTiersOf({ model_name, service_tiers: shown }: PricingRow) {
  if (shown === undefined) return [];
  const tiers = shown.flatMap(({ tier, ratio, cache_ratio, completion_ratio }) => {
    const input = decimalOf(ratio);
    const cache = decimalOf(cache_ratio);
    const completion = decimalOf(completion_ratio);
    if (input === undefined || cache === undefined || completion === undefined) return [];
    return [[tier, { ratio: input, cache, completion }] as const];
  });
  return [[model_name, Object.fromEntries(tiers)] as const];
}

/**
 * Converts numbers to decimal texts. Values that are no decimals of at least 0 are left out,
 * because no price is better than a wrong one.
 */
function decimals(entries: readonly (readonly [string, number])[]): Record<string, string> {
  return Object.fromEntries(
    entries.flatMap(([name, value]) => {
      const text = decimalOf(value);
      return text === undefined ? [] : [[name, text]];
    }),
  );
}

function decimalOf(value: number): string | undefined {
  const parsed = parseDecimal(String(value));
  return parsed.ok ? parsed.value : undefined;
}

/**
 * Converts a price in quota to dollars.
 *
 * @param rate quota units × `rateScale`.
 */
function dollarsOf(rate: bigint, { QuotaPerUnit }: PriceList): Dollars {
  const units = scaled(QuotaPerUnit);
  return units === 0n ? 0n : (rate * scaled("1") * dollarScale) / (rateScale * units);
}

/** The largest number of significant digits of a price on the screen. */
const digitsMax = 6;

/**
 * Writes a price as text: `$2.50`, `$0.000075`; `≈ $0.333333` if it has more digits than are shown.
 */
export function showDollars(dollars: Dollars): string {
  const text = dollars.toString().padStart(dollarPlaces + 1, "0");
  const whole = text.slice(0, -dollarPlaces);
  const part = text.slice(-dollarPlaces);
  const zeros = whole === "0" ? (/^0*/.exec(part)?.[0].length ?? 0) : 0;
  const places = Math.min(dollarPlaces, zeros + digitsMax);
  const step = 10n ** BigInt(dollarPlaces - places);
  const rounded = ((dollars + step / 2n) / step) * step;
  const shown = rounded.toString().padStart(dollarPlaces + 1, "0");
  const digits = shown.slice(-dollarPlaces).replace(/0+$/, "").padEnd(2, "0");
  const price = `$${groupDigits(shown.slice(0, -dollarPlaces))}.${digits}`;
  return rounded === dollars ? price : `≈ ${price}`;
}

function groupDigits(whole: string): string {
  return whole.replace(/\B(?=(\d{3})+$)/g, ",");
}
