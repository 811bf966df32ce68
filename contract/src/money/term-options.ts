/**
 * Reads the options `HourPrices`, `SearchPrices` and `TokenKindPrices` as people and programs write
 * them: decimals may be numbers or text. What they mean is in `price-terms.ts`. Editors read the
 * entries of single models here, those of `ServiceTierPrices` as well.
 */

import { z } from "zod";
import { isObject, readByModel, readPriceFactor, wrongFactor } from "./price-factors.ts";
import {
  type SearchPrices,
  type HourWindow,
  isTimeOfDay,
  type PricedKind,
  pricedKind,
  termsMax,
  type TokenKindPrices,
} from "./price-terms.ts";
import { parseDecimal, type Parsed } from "@tollgate/contract/endpoints/prices.ts";
import { readTiers } from "./service-tier-prices.ts";

type ByModel<Value> = Readonly<Record<string, Value>>;

/** Makes the schema of an option with an entry by model. */
function optionOf<Value>(readEntry: (sent: unknown) => Parsed<Value>) {
  return z.unknown().transform((sent, context): ByModel<Value> => {
    const read = readEntries(sent, readEntry);
    if (read.ok) return read.value;
    context.addIssue({ code: "custom", message: read.message });
    return z.NEVER;
  });
}

function readEntries<Value>(
  sent: unknown,
  readEntry: (sent: unknown) => Parsed<Value>,
): Parsed<ByModel<Value>> {
  return readByModel(sent, (model, of) => {
    const read = readEntry(of);
    return read.ok ? read : { ok: false, message: `${model}：${read.message}` };
  });
}

export const hourPriceOption = optionOf(readHours);
export const searchPriceOption = optionOf(readSearches);
export const kindPriceOption = optionOf(readKinds);

/** Reads the entry of one model in one of the options, from its JSON text. */
export function readModelTerm(option: TermOption, json: string): Parsed<unknown> {
  let sent: unknown;
  try {
    sent = JSON.parse(json);
  } catch {
    return { ok: false, message: "不是合法的 JSON 字符串" };
  }
  return readers[option](sent);
}

/** Reads the parsed JSON of one of the options, or says which model has a wrong value, and why. */
export function readTerms(option: TermOption, sent: unknown): Parsed<ByModel<unknown>> {
  return readEntries<unknown>(sent, readers[option]);
}

const readers = {
  ServiceTierPrices: readTiers,
  HourPrices: readHours,
  SearchPrices: readSearches,
  TokenKindPrices: readKinds,
} as const;
type TermOption = keyof typeof readers;

const windowNames: ReadonlySet<string> = new Set(["from", "until", "ratio", "cache", "completion"]);

function readHours(sent: unknown): Parsed<HourWindow[]> {
  if (!Array.isArray(sent) || sent.length === 0 || sent.length > termsMax) {
    return { ok: false, message: `必须是 1 到 ${termsMax} 个时段的数组` };
  }
  const windows: HourWindow[] = [];
  for (const each of sent) {
    const read = readWindow(each);
    if (!read.ok) return read;
    windows.push(read.value);
  }
  return { ok: true, value: windows };
}

function readWindow(sent: unknown): Parsed<HourWindow> {
  const isKnown = isObject(sent) && Object.keys(sent).every((name) => windowNames.has(name));
  if (!isKnown) {
    return { ok: false, message: "时段只能设置 from、until、ratio、cache 和 completion" };
  }
  const { from, until } = sent;
  if (!isTimeOfDay(from) || !isTimeOfDay(until) || from === until) {
    return { ok: false, message: "from 和 until 必须是两个不同的 UTC 时间，例如 16:30" };
  }
  const of = `${from}-${until}`;
  const ratio = readPriceFactor(sent["ratio"] ?? 1);
  if (ratio === undefined) return wrongFactor(of, "ratio");
  const cache = readPriceFactor(sent["cache"] ?? ratio);
  if (cache === undefined) return wrongFactor(of, "cache");
  const completion = readPriceFactor(sent["completion"] ?? ratio);
  if (completion === undefined) return wrongFactor(of, "completion");
  return { ok: true, value: { from, until, ratio, cache, completion } };
}

const searchNames = ["call", "search", "searchingCall"] as const;

function readSearches(sent: unknown): Parsed<SearchPrices> {
  const names = isObject(sent) ? Object.keys(sent) : [];
  const known: ReadonlySet<string> = new Set(searchNames);
  if (!isObject(sent) || names.length === 0 || !names.every((name) => known.has(name))) {
    return { ok: false, message: `只能设置 ${searchNames.join("、")}，至少一项` };
  }
  const searching: { [Name in keyof SearchPrices]: string } = {};
  for (const name of searchNames) {
    if (sent[name] === undefined) continue;
    const read = readDecimal(name, sent[name]);
    if (!read.ok) return read;
    searching[name] = read.value;
  }
  return { ok: true, value: searching };
}

function readKinds(sent: unknown): Parsed<TokenKindPrices> {
  const entries = isObject(sent) ? Object.entries(sent) : [];
  const wrong = {
    ok: false,
    message: `只能设置 ${pricedKind.options.join("、")}，至少一项`,
  } as const;
  if (entries.length === 0) return wrong;
  const prices: { [Kind in PricedKind]?: string } = {};
  for (const [name, value] of entries) {
    const kind = pricedKind.safeParse(name).data;
    if (kind === undefined) return wrong;
    const read = readDecimal(kind, value);
    if (!read.ok) return read;
    prices[kind] = read.value;
  }
  return { ok: true, value: prices };
}

function readDecimal(name: string, sent: unknown): Parsed<string> {
  const isText = typeof sent === "number" || typeof sent === "string";
  const read = parseDecimal(isText ? String(sent) : "");
  return read.ok ? read : { ok: false, message: `${name}：${read.message}` };
}
