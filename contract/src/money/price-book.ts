/**
 * The price book: what a model costs, in US dollars, as vendors publish it. A price list says the
 * same in ratios. `readBook` and `writeBook` convert exactly: no price is rounded to become a ratio.
 * Where a ratio would have no end (2.5 dollars are 8.333… × 0.3 dollars), part `TokenKindPrices`
 * keeps the price, and the ratio beside it is its rounding, for programs that know only ratios.
 */

import { z } from "zod";
import type { PriceList } from "./charge.ts";
import { decimalText, divide, type Quotient, scaled } from "./decimals.ts";
import { defaultPriceList } from "./default-prices.ts";
import type { PriceSource } from "./price-sources.ts";
import { isTimeOfDay, type PricedKind, pricedKind, termsMax } from "./price-terms.ts";
import { serviceTier } from "./service-tiers.ts";

const bookBucket = z.enum(["input", ...pricedKind.options]);
export const bookBuckets = bookBucket.options;
export type BookBucket = z.infer<typeof bookBucket>;

/** US dollars per million tokens of a kind; absent: what `charge.ts` says of an absent ratio. */
const tokenDollars = z.partialRecord(bookBucket, decimalText);
export type TokenDollars = z.infer<typeof tokenDollars>;

const timeOfDay = z.string().refine(isTimeOfDay, "无效的参数");

/** What a model costs: a fixed price per call, or prices of tokens and all that varies them. */
export const bookPrices = z.object({
  /** US dollars per call; if set, there are no others. */
  perCall: decimalText.optional(),
  tokens: tokenDollars.optional(),
  /** The prices of all tokens of a call whose whole input has more than `above` tokens. */
  steps: z
    .array(z.object({ above: z.number().int().min(1), tokens: tokenDollars }))
    .max(termsMax)
    .optional(),
  tiers: z.partialRecord(serviceTier, tokenDollars).optional(),
  /** Prices of calls that begin at these times of each day, in UTC. */
  hours: z
    .array(z.object({ from: timeOfDay, until: timeOfDay, tokens: tokenDollars }))
    .max(termsMax)
    .optional(),
  /**
   * US dollars per 1,000 calls, per 1,000 searches that the provider makes for answers, and per
   * 1,000 calls with at least one search, beside the tokens.
   */
  searches: z
    .object({
      call: decimalText.optional(),
      search: decimalText.optional(),
      searchingCall: decimalText.optional(),
    })
    .optional(),
});
export type BookPrices = z.infer<typeof bookPrices>;

/** The price list's map of ratios for each kind of tokens that has one. */
export const ratioMaps = {
  output: "CompletionRatio",
  cacheRead: "CacheRatio",
  cacheWrite5m: "CreateCacheRatio",
  cacheWrite1h: "CreateCacheRatio1h",
  inputImage: "ImageRatio",
  inputAudio: "AudioRatio",
  outputAudio: "AudioCompletionRatio",
} as const satisfies Partial<Record<PricedKind, keyof PriceList>>;
export type RatioKind = keyof typeof ratioMaps;

/** The parts of a price list that say what a model costs, but for tasks. */
export const pricedParts = [
  "ModelPrice",
  "ModelRatio",
  "CompletionRatio",
  "CacheRatio",
  "CreateCacheRatio",
  "CreateCacheRatio1h",
  "ImageRatio",
  "AudioRatio",
  "AudioCompletionRatio",
  "LongContextPrices",
  "ServiceTierPrices",
  "HourPrices",
  "SearchPrices",
  "TokenKindPrices",
] as const satisfies readonly (keyof PriceList)[];

/** Returns the entry that a part of a price list itself has for a model. */
export function entryOf<Value>(
  map: Readonly<Record<string, Value>> | undefined,
  model: string,
): Value | undefined {
  return map !== undefined && Object.hasOwn(map, model) ? map[model] : undefined;
}

export const one = scaled("1");

/** Prices are per million tokens, quota units per token. */
const million = 1_000_000n;

const outputBuckets: ReadonlySet<BookBucket> = new Set([
  "output",
  "reasoning",
  "outputAudio",
  "outputImage",
]);

const cacheBuckets: ReadonlySet<BookBucket> = new Set(["cacheRead", "cacheAudio", "cacheImage"]);

/** Says by which factor of steps, tiers and hours the price of a kind of tokens varies. */
export function factorOf(name: BookBucket): "cache" | "completion" | "ratio" {
  if (outputBuckets.has(name)) return "completion";
  return cacheBuckets.has(name) ? "cache" : "ratio";
}

/**
 * Reads what a model costs; undefined: it has no price. Dollars that ratios set by hand give with
 * over 12 places are rounded there; those of `writePriceBook` never are.
 */
export function readBook(list: PriceList, model: string): BookPrices | undefined {
  const perCall = entryOf(list.ModelPrice, model);
  if (perCall !== undefined) return { perCall };
  const ratio = entryOf(list.ModelRatio, model);
  if (ratio === undefined) return undefined;
  const tokens = readTokens(list, model, ratio);
  const long = entryOf(list.LongContextPrices, model);
  const steps = long === undefined ? [] : [long, ...(long.further ?? [])];
  const tiers = Object.entries(entryOf(list.ServiceTierPrices, model) ?? {});
  const hours = entryOf(list.HourPrices, model) ?? [];
  const searches = entryOf(list.SearchPrices, model);
  return {
    tokens,
    ...(steps.length > 0
      ? { steps: steps.map((step) => ({ above: step.above, tokens: varied(tokens, step) })) }
      : {}),
    ...(tiers.length > 0
      ? { tiers: Object.fromEntries(tiers.map(([tier, by]) => [tier, varied(tokens, by)])) }
      : {}),
    ...(hours.length > 0
      ? {
          hours: hours.map(({ from, until, ...by }) => ({
            from,
            until,
            tokens: varied(tokens, by),
          })),
        }
      : {}),
    ...(searches === undefined ? {} : { searches }),
  };
}

function readTokens(list: PriceList, model: string, ratio: string): TokenDollars {
  const kept = entryOf(list.TokenKindPrices, model) ?? {};
  const unit = scaled(list.QuotaPerUnit);
  /** @param rate quota units per token × 10^24. */
  const dollars = (rate: bigint): string => divide(rate * million, unit * one).text;
  const tokens: Partial<Record<BookBucket, string>> = { input: dollars(scaled(ratio) * one * one) };
  for (const name of pricedKind.options) {
    const rate = kept[name];
    if (rate !== undefined) {
      tokens[name] = dollars(scaled(rate) * one * one);
      continue;
    }
    const own = isRatioKind(name) ? entryOf(list[ratioMaps[name]], model) : undefined;
    if (own === undefined) continue;
    const audio = entryOf(list.AudioRatio, model) ?? "20";
    const base = name === "outputAudio" ? scaled(ratio) * scaled(audio) : scaled(ratio) * one;
    tokens[name] = dollars(base * scaled(own));
  }
  return tokens;
}

export function isRatioKind(name: PricedKind): name is RatioKind {
  return Object.hasOwn(ratioMaps, name);
}

type Factors = {
  readonly ratio: string;
  readonly completion: string;
  readonly cache?: string | undefined;
};

/** The prices in a step, a tier or an hour. */
function varied(tokens: TokenDollars, by: Factors): TokenDollars {
  return Object.fromEntries(
    bookBuckets.flatMap((name) => {
      const dollars = tokens[name];
      if (dollars === undefined) return [];
      const factor = by[factorOf(name)] ?? by.ratio;
      return [[name, divide(scaled(dollars) * scaled(factor), one).text]];
    }),
  );
}

/** Converts US dollars per million tokens to quota units per token. */
export function rateOf(dollars: string, quotaPerUnit: string): Quotient {
  return divide(scaled(dollars) * scaled(quotaPerUnit), one * million);
}

/**
 * Returns where the price of a model comes from; undefined: it was not noted. Lists of earlier
 * versions note nothing, but a price of the default list is known by what it says.
 */
export function sourceOf(list: PriceList, model: string): PriceSource | undefined {
  const noted = entryOf(list.Sources, model);
  if (noted !== undefined) return noted;
  return isDefault(list, model) ? entryOf(defaultPriceList.Sources, model) : undefined;
}

/** Whether a model has a price, which is that of the default list. */
export function isDefault(list: PriceList, model: string): boolean {
  const isPriced = pricedParts.slice(0, 2).some((part) => Object.hasOwn(list[part] ?? {}, model));
  return (
    isPriced &&
    pricedParts.every((part) => sameEntry(list[part], defaultPriceList[part], model)) &&
    list.QuotaPerUnit === defaultPriceList.QuotaPerUnit
  );
}

/** Whether two maps have the same entry for a model, or both have none. */
export function sameEntry(
  a: Readonly<Record<string, unknown>> | undefined,
  b: Readonly<Record<string, unknown>> | undefined,
  model: string,
): boolean {
  return JSON.stringify(entryOf(a, model)) === JSON.stringify(entryOf(b, model));
}
