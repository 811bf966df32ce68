/** Writes prices of the price book as parts of a price list, exactly. */

import type { PriceList } from "./charge.ts";
import { decimalText, divide, type Quotient, scaled } from "./decimals.ts";
import {
  bookBuckets,
  type BookPrices,
  factorOf,
  isRatioKind,
  one,
  pricedParts,
  rateOf,
  ratioMaps,
  type RatioKind,
  type TokenDollars,
} from "./price-book.ts";
import { type LongStep, type PricedKind, pricedKind } from "./price-terms.ts";
import type { Parsed } from "@tollgate/contract/endpoints/prices.ts";

/** What the parts of a price list say of one model. */
type ModelParts = Partial<Record<(typeof pricedParts)[number], unknown>>;

/** A price list with new prices, and the models whose prices cannot be written, with the reason. */
type WrittenPriceBook = {
  readonly list: PriceList;
  readonly refused: ReadonlyMap<string, string>;
};

/**
 * Replaces what models cost in a price list. What cannot be expressed exactly is refused, and leaves
 * the model as it was. The caller notes the sources of the prices.
 */
export function writePriceBook(
  list: PriceList,
  books: Iterable<readonly [model: string, prices: BookPrices]>,
): WrittenPriceBook {
  const parts: Record<string, Record<string, unknown>> = {};
  for (const name of pricedParts) parts[name] = { ...list[name] };
  const refused = new Map<string, string>();
  for (const [model, prices] of books) {
    const made = modelParts(prices, list.QuotaPerUnit);
    if (!made.ok) {
      refused.set(model, made.message);
      continue;
    }
    for (const name of pricedParts) {
      const of = made.value[name];
      const part = parts[name] ?? {};
      if (of === undefined) delete part[model];
      else part[model] = of;
    }
  }
  // Parts that lists of earlier versions lack stay absent as long as nothing is in them.
  const written = Object.entries(parts).filter(
    ([name, part]) => Object.hasOwn(list, name) || Object.keys(part).length > 0,
  );
  // Safe cast: each part got entries of its type.
  return { list: { ...list, ...Object.fromEntries(written) } as PriceList, refused };
}

/** Writes what one model costs. */
function modelParts(prices: BookPrices, quotaPerUnit: string): Parsed<ModelParts> {
  const { perCall, tokens, steps = [], tiers = {}, hours = [], searches } = prices;
  if (perCall !== undefined) {
    const isAlone = Object.values({ ...prices, perCall: undefined }).every(
      (of) => of === undefined,
    );
    return isAlone
      ? { ok: true, value: { ModelPrice: perCall } }
      : { ok: false, message: "按次价格不能与其他价格同时设置" };
  }
  if (tokens?.input === undefined) return { ok: false, message: "缺少输入价格" };
  const written = tokenParts({ ...tokens, input: tokens.input }, quotaPerUnit);
  if (!written.ok) return written;
  const parts: ModelParts = { ...written.value };
  if (searches !== undefined) parts.SearchPrices = searches;
  const [first, ...further] = steps.map(({ above, tokens: varied }) =>
    stepOf(tokens, above, varied),
  );
  if ([first, ...further].includes(null)) return inexact("steps");
  if (first !== undefined) {
    parts.LongContextPrices = { ...first, ...(further.length > 0 ? { further } : {}) };
  }
  const tierFactors: Record<string, Factors> = {};
  for (const [tier, varied] of Object.entries(tiers)) {
    const factors = factorsOf(tokens, varied);
    if (factors === undefined) return inexact(tier);
    tierFactors[tier] = factors;
  }
  if (Object.keys(tierFactors).length > 0) parts.ServiceTierPrices = tierFactors;
  const windows: object[] = [];
  for (const { from, until, tokens: varied } of hours) {
    const factors = factorsOf(tokens, varied);
    if (factors === undefined) return inexact(`${from}–${until}`);
    windows.push({ ...factors, from, until });
  }
  if (windows.length > 0) parts.HourPrices = windows;
  return { ok: true, value: parts };
}

/** Null: its prices are no multiples of those below it. */
function stepOf(tokens: TokenDollars, above: number, varied: TokenDollars): LongStep | null {
  const factors = factorsOf(tokens, varied);
  if (factors === undefined) return null;
  const { ratio, cache, completion } = factors;
  return { above, ratio, completion, ...(cache === ratio ? {} : { cache }) };
}

function inexact(name: string): { readonly ok: false; readonly message: string } {
  return { ok: false, message: `${name} 的价格无法精确表示` };
}

type WithInput = TokenDollars & { readonly input: string };

function tokenParts(tokens: WithInput, quotaPerUnit: string): Parsed<ModelParts> {
  const input = rateOf(tokens.input, quotaPerUnit);
  if (!isExact(input)) return inexact("input");
  const parts: ModelParts = { ModelRatio: input.text };
  const kept: Partial<Record<PricedKind, string>> = {};
  for (const name of pricedKind.options) {
    const dollars = tokens[name];
    if (dollars === undefined) continue;
    const ratio = isRatioKind(name) ? ratioOf(name, dollars, tokens) : undefined;
    if (ratio !== undefined && isRatioKind(name)) parts[ratioMaps[name]] = ratio.text;
    if (ratio?.isExact === true) continue;
    const rate = rateOf(dollars, quotaPerUnit);
    if (!isExact(rate)) return inexact(name);
    kept[name] = rate.text;
  }
  if (Object.keys(kept).length > 0) parts.TokenKindPrices = kept;
  return { ok: true, value: parts };
}

function isExact(quotient: Quotient): boolean {
  return quotient.isExact && decimalText.safeParse(quotient.text).success;
}

/** Returns the ratio of a price to its base; undefined: there is none that a list may contain. */
function ratioOf(name: RatioKind, dollars: string, tokens: WithInput): Quotient | undefined {
  const { input, inputAudio } = tokens;
  const base = name === "outputAudio" && inputAudio !== undefined ? inputAudio : input;
  if (scaled(base) === 0n) return undefined;
  const times = name === "outputAudio" && inputAudio === undefined ? 20n : 1n;
  const ratio = divide(scaled(dollars) * one, scaled(base) * times);
  if (!decimalText.safeParse(ratio.text).success) return undefined;
  // Relative to a price whose own ratio is rounded, no ratio is exact.
  const isBaseExact = base === input || (scaled(base) * one) % scaled(input) === 0n;
  return { text: ratio.text, isExact: ratio.isExact && isBaseExact };
}

type Factors = { readonly ratio: string; readonly cache: string; readonly completion: string };

/**
 * Returns the factors by which prices vary; undefined: they do not vary by one factor for input, one
 * for input read from a cache, and one for output.
 */
function factorsOf(tokens: TokenDollars, to: TokenDollars): Factors | undefined {
  const factors: Partial<Record<keyof Factors, string>> = {};
  for (const name of bookBuckets) {
    const [from, varied] = [tokens[name], to[name]];
    if (varied === undefined) continue;
    if (from === undefined) return undefined;
    if (scaled(from) === 0n && scaled(varied) === 0n) continue;
    if (scaled(from) === 0n || scaled(varied) === 0n) return undefined;
    const factor = divide(scaled(varied) * one, scaled(from));
    const of = factorOf(name);
    if (!isExact(factor) || (factors[of] ?? factor.text) !== factor.text) return undefined;
    factors[of] = factor.text;
  }
  const { ratio = "1", cache = ratio, completion = "1" } = factors;
  return { ratio, cache, completion };
}
