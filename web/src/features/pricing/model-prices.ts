/**
 * The price list as one group pays it. What a token costs is `contract/charge.ts`, the function
 * that charges calls; here its answer becomes dollars.
 */

import {
  type Bucket,
  type PriceList,
  rateScale,
  scaled,
  unitPrice,
} from "@tollgate/contract/charge.ts";
import { parseDecimal, type PricingRow, quotaType } from "@tollgate/contract/prices.ts";

/** What the server says of prices, for the caller. */
export type Pricing = {
  readonly rows: readonly PricingRow[];
  readonly groupRatios: Readonly<Record<string, number>>;
  /** Group → description. */
  readonly groups: Readonly<Record<string, string>>;
  readonly unpriced: readonly Pick<PricingRow, "enable_groups" | "model_name">[];
};

export type ModelPrice = {
  readonly model: string;
  /** The caller's groups in which it can be called. */
  readonly groups: readonly string[];
  /** In the group that is looked at. */
  readonly isCallable: boolean;
} & (
  | { readonly kind: "call"; readonly perCall: Dollars }
  /** Of one token. */
  | { readonly kind: "tokens"; readonly input: Dollars; readonly output: Dollars }
  | { readonly kind: "unpriced" }
);

/** US dollars × 10^`dollarPlaces`, so that a price stays exact. */
export type Dollars = bigint;

export const dollarPlaces = 24;

const dollarScale = 10n ** BigInt(dollarPlaces);

/** Every model with what it costs in `group`, by name. */
export function modelPrices(pricing: Pricing, group: string, quotaPerUnit: number): ModelPrice[] {
  const list = priceListOf(pricing, quotaPerUnit);
  const priced = pricing.rows.map((row): ModelPrice => {
    const shared = {
      model: row.model_name,
      groups: row.enable_groups,
      isCallable: row.enable_groups.includes(group),
    };
    const price = unitPrice(list, row.model_name, group);
    if (price === undefined) return { ...shared, kind: "unpriced" };
    if (price.kind === "call") {
      return { ...shared, kind: "call", perCall: dollarsOf(price.perCall, list) };
    }
    const of = (bucket: Bucket): Dollars => dollarsOf(price.rates[bucket], list);
    return { ...shared, kind: "tokens", input: of("input"), output: of("output") };
  });
  const unpriced = pricing.unpriced.map(({ model_name, enable_groups }): ModelPrice => ({
    model: model_name,
    groups: enable_groups,
    isCallable: false,
    kind: "unpriced",
  }));
  return [...priced, ...unpriced].toSorted((a, b) => (a.model < b.model ? -1 : 1));
}

/** The answer's numbers as the list that charges are computed from. */
function priceListOf({ rows, groupRatios }: Pricing, quotaPerUnit: number): PriceList {
  const perCall = rows.filter(({ quota_type }) => quota_type === quotaType.enum.call);
  const perToken = rows.filter(({ quota_type }) => quota_type === quotaType.enum.tokens);
  const byModel = (of: readonly PricingRow[], value: (row: PricingRow) => number) =>
    decimals(of.map((row) => [row.model_name, value(row)]));
  return {
    QuotaPerUnit: decimalOf(quotaPerUnit) ?? "1",
    GroupRatio: decimals(Object.entries(groupRatios)),
    ModelRatio: byModel(perToken, (row) => row.model_ratio),
    CompletionRatio: byModel(perToken, (row) => row.completion_ratio),
    ModelPrice: byModel(perCall, (row) => row.model_price),
    // Not part of the answer, and of no bucket shown here.
    CacheRatio: {},
    CreateCacheRatio: {},
    CreateCacheRatio1h: {},
    ImageRatio: {},
    AudioRatio: {},
    AudioCompletionRatio: {},
  };
}

/** What is no decimal ≥ 0 is left out: no price is better than a wrong one. */
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

/** @param rate quota units × `rateScale`. */
function dollarsOf(rate: bigint, { QuotaPerUnit }: PriceList): Dollars {
  const units = scaled(QuotaPerUnit);
  return units === 0n ? 0n : (rate * scaled("1") * dollarScale) / (rateScale * units);
}

/** Digits a price is shown with, after the zeros it may begin with. */
const digitsMax = 6;

/** `$2.50`, `$0.000075`; `≈ $0.333333` where there are more digits than people read. */
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
