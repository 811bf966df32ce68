/**
 * Changes the prices of many models, in dollars of the price book: multiplies them, sets some of
 * them, or takes those of another model. What cannot be expressed exactly is refused by name.
 */

import type { PriceList } from "@tollgate/contract/money/charge.ts";
import { decimalText, divide, scaled } from "@tollgate/contract/money/decimals.ts";
import {
  bookBuckets,
  type BookPrices,
  type TokenDollars,
} from "@tollgate/contract/money/price-book.ts";
import { writePriceBook } from "@tollgate/contract/money/price-book-writer.ts";
import type { Parsed } from "@tollgate/contract/endpoints/prices.ts";

const one = scaled("1");

/** Multiplies every price by a factor; undefined: a product has too many digits. */
export function multiplyBook(prices: BookPrices, factor: string): BookPrices | undefined {
  let isExact = true;
  const times = (dollars: string): string => {
    const product = divide(scaled(dollars) * scaled(factor), one);
    if (!product.isExact || !decimalText.safeParse(product.text).success) isExact = false;
    return product.text;
  };
  const next = mapDollars(prices, times);
  return isExact ? next : undefined;
}

/** Replaces each amount of dollars. */
function mapDollars(prices: BookPrices, of: (dollars: string) => string): BookPrices {
  const { perCall, tokens, steps, tiers, hours, searches } = prices;
  const map = (dollars: TokenDollars): TokenDollars => mapValues(dollars, of);
  return {
    ...(perCall === undefined ? {} : { perCall: of(perCall) }),
    ...(tokens === undefined ? {} : { tokens: map(tokens) }),
    ...(steps === undefined
      ? {}
      : { steps: steps.map((step) => ({ ...step, tokens: map(step.tokens) })) }),
    ...(tiers === undefined ? {} : { tiers: mapValues(tiers, map) }),
    ...(hours === undefined
      ? {}
      : { hours: hours.map((hour) => ({ ...hour, tokens: map(hour.tokens) })) }),
    ...(searches === undefined ? {} : { searches: mapValues(searches, of) }),
  };
}

function mapValues<Value>(
  values: Readonly<Record<string, Value | undefined>>,
  of: (value: Value) => Value,
): Record<string, Value> {
  return Object.fromEntries(
    Object.entries(values).flatMap(([name, value]) =>
      value === undefined ? [] : [[name, of(value)] as const],
    ),
  );
}

/** Prices that were typed for many models; absent: each model keeps its own. */
export type SetPrices = TokenDollars & { readonly perCall?: string };

/**
 * Sets some prices of a model; the others stay in dollars as they are. A price per call takes the
 * place of all others, and a price of tokens that of a price per call. What varies the prices, such
 * as those of long prompts, varies the new ones by the same factors.
 */
export function setBook(present: BookPrices | undefined, set: SetPrices): BookPrices {
  const { perCall, ...tokens } = set;
  if (perCall !== undefined) return { perCall };
  const { tokens: old = {}, perCall: _, ...others } = present ?? {};
  const next: TokenDollars = { ...old, ...tokens };
  const vary = (varied: TokenDollars): TokenDollars => variedAs(old, varied, next);
  const { steps, tiers, hours, searches } = others;
  return {
    tokens: next,
    ...(steps === undefined
      ? {}
      : { steps: steps.map((step) => ({ ...step, tokens: vary(step.tokens) })) }),
    ...(tiers === undefined ? {} : { tiers: mapValues(tiers, vary) }),
    ...(hours === undefined
      ? {}
      : { hours: hours.map((hour) => ({ ...hour, tokens: vary(hour.tokens) })) }),
    ...(searches === undefined ? {} : { searches }),
  };
}

/** Varies new prices by the factors by which the old ones are varied. */
function variedAs(old: TokenDollars, varied: TokenDollars, next: TokenDollars): TokenDollars {
  return Object.fromEntries(
    bookBuckets.flatMap((bucket) => {
      const [from, to, now] = [old[bucket], varied[bucket], next[bucket]];
      if (to === undefined || now === undefined) return [];
      if (from === undefined || scaled(from) === 0n) return [[bucket, to]];
      return [[bucket, divide(scaled(now) * scaled(to), scaled(from)).text]];
    }),
  );
}

/** Says whether a price list can have these prices exactly, or why not. */
export function checkBook(model: string, prices: BookPrices, quotaPerUnit: string): Parsed<true> {
  const { refused } = writePriceBook({ ...empty, QuotaPerUnit: quotaPerUnit }, [[model, prices]]);
  const message = refused.get(model);
  return message === undefined ? { ok: true, value: true } : { ok: false, message };
}

const empty: Omit<PriceList, "QuotaPerUnit"> = {
  GroupRatio: {},
  ModelRatio: {},
  CompletionRatio: {},
  ModelPrice: {},
  CacheRatio: {},
  CreateCacheRatio: {},
  CreateCacheRatio1h: {},
  ImageRatio: {},
  AudioRatio: {},
  AudioCompletionRatio: {},
};
