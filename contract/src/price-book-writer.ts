/** Writes prices of the price book as parts of a price list, exactly. */

import type { PriceList } from "./charge.ts";
import { decimalText, divide, type Quotient, scaled } from "./decimals.ts";
import {
  bookBuckets,
  type BookPrices,
  entryOf,
  factorOf,
  isRatioKind,
  one,
  pricedParts,
  rateOf,
  ratioMaps,
  type RatioKind,
  type TokenDollars,
} from "./price-book.ts";
import { type PricedKind, pricedKind } from "./price-terms.ts";
import type { Parsed } from "./prices.ts";

/** Returns the price list without any price of the model. */
export function withoutModel(list: PriceList, model: string): PriceList {
  const less: Record<string, unknown> = { ...list };
  for (const name of [...pricedParts, "Sources"] as const) {
    const map = list[name];
    if (entryOf<unknown>(map, model) === undefined) continue;
    less[name] = Object.fromEntries(Object.entries(map ?? {}).filter(([key]) => key !== model));
  }
  // Safe cast: every part is as it was, or lacks one entry.
  return less as PriceList;
}

/**
 * Replaces what a model costs in a price list. What cannot be expressed exactly is refused by name.
 * The caller notes the source of the price.
 */
export function writeBook(list: PriceList, model: string, prices: BookPrices): Parsed<PriceList> {
  const less = withoutModel(list, model);
  const { perCall, tokens, ...others } = prices;
  if (perCall !== undefined) {
    const isAlone = tokens === undefined && Object.values(others).every((of) => of === undefined);
    if (!isAlone) return refused(model, "按次价格不能与其他价格同时设置");
    return { ok: true, value: { ...less, ModelPrice: { ...less.ModelPrice, [model]: perCall } } };
  }
  if (tokens?.input === undefined) return refused(model, "缺少输入价格");
  const written = writeTokens(less, model, { ...tokens, input: tokens.input });
  if (!written.ok) return written;
  const steps = writeSteps(written.value, model, tokens, prices.steps ?? []);
  if (!steps.ok) return steps;
  const tiers = writeTiers(steps.value, model, tokens, prices.tiers ?? {});
  if (!tiers.ok) return tiers;
  const hours = writeHours(tiers.value, model, tokens, prices.hours ?? []);
  if (!hours.ok || prices.fees === undefined) return hours;
  return { ok: true, value: withEntry(hours.value, "CallFees", model, prices.fees) };
}

type Refused = { readonly ok: false; readonly message: string };

function refused(model: string, why: string): Refused {
  return { ok: false, message: `${model}：${why}` };
}

function inexact(model: string, name: string): Refused {
  return refused(model, `${name} 的价格无法精确表示`);
}

function withEntry(list: PriceList, part: keyof PriceList, model: string, of: unknown): PriceList {
  // Safe cast: the callers give each part an entry of its type.
  return { ...list, [part]: { ...Object(list[part]), [model]: of } } as PriceList;
}

type WithInput = TokenDollars & { readonly input: string };

function writeTokens(list: PriceList, model: string, tokens: WithInput): Parsed<PriceList> {
  const input = rateOf(tokens.input, list.QuotaPerUnit);
  if (!isExact(input)) return inexact(model, "input");
  let next = withEntry(list, "ModelRatio", model, input.text);
  const kept: Partial<Record<PricedKind, string>> = {};
  for (const name of pricedKind.options) {
    const dollars = tokens[name];
    if (dollars === undefined) continue;
    const ratio = isRatioKind(name) ? ratioOf(name, dollars, tokens) : undefined;
    if (ratio !== undefined && isRatioKind(name)) {
      next = withEntry(next, ratioMaps[name], model, ratio.text);
    }
    if (ratio?.isExact === true) continue;
    const rate = rateOf(dollars, list.QuotaPerUnit);
    if (!isExact(rate)) return inexact(model, name);
    kept[name] = rate.text;
  }
  const isWhole = Object.keys(kept).length === 0;
  return { ok: true, value: isWhole ? next : withEntry(next, "TokenKindPrices", model, kept) };
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
  // Relative to a price that is itself a rounded ratio, no ratio is exact.
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

function writeSteps(
  list: PriceList,
  model: string,
  tokens: TokenDollars,
  steps: NonNullable<BookPrices["steps"]>,
): Parsed<PriceList> {
  const [step, ...further] = steps;
  if (step === undefined) return { ok: true, value: list };
  const factors = factorsOf(tokens, step.tokens);
  const isOne = further.length === 0 && factors !== undefined && factors.cache === factors.ratio;
  if (!isOne) return inexact(model, "steps");
  const { ratio, completion } = factors;
  const long = { above: step.above, ratio, completion };
  return { ok: true, value: withEntry(list, "LongContextPrices", model, long) };
}

function writeTiers(
  list: PriceList,
  model: string,
  tokens: TokenDollars,
  tiers: NonNullable<BookPrices["tiers"]>,
): Parsed<PriceList> {
  const written: Record<string, Factors> = {};
  for (const [tier, varied] of Object.entries(tiers)) {
    const factors = factorsOf(tokens, varied);
    if (factors === undefined) return inexact(model, tier);
    written[tier] = factors;
  }
  if (Object.keys(written).length === 0) return { ok: true, value: list };
  return { ok: true, value: withEntry(list, "ServiceTierPrices", model, written) };
}

function writeHours(
  list: PriceList,
  model: string,
  tokens: TokenDollars,
  hours: NonNullable<BookPrices["hours"]>,
): Parsed<PriceList> {
  const written: object[] = [];
  for (const { from, until, tokens: varied } of hours) {
    const factors = factorsOf(tokens, varied);
    if (factors === undefined) return inexact(model, `${from}–${until}`);
    written.push({ ...factors, from, until });
  }
  if (written.length === 0) return { ok: true, value: list };
  return { ok: true, value: withEntry(list, "HourPrices", model, written) };
}
