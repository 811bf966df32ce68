/**
 * What readers of published lists share: how amounts are read exactly, what is refused, and in what
 * form entries and refused lines are gathered.
 */

import type { SourceFault } from "@tollgate/contract/endpoints/price-sources.ts";
import { modelNameMax, parseDecimal, type Parsed } from "@tollgate/contract/endpoints/prices.ts";
import {
  type BookBucket,
  type BookPrices,
  bookPrices,
  type TokenDollars,
} from "@tollgate/contract/money/price-book.ts";

/** What a list says of one model. */
export type SourceEntry = {
  /** The name of the model in the list. */
  readonly entry: string;
  /** Who sells or makes it, as the list writes it; empty: the list does not say. */
  readonly vendor: string;
  readonly prices: BookPrices;
  /** The day that the price is of, as `YYYY-MM-DD`; absent: that of the list. */
  readonly date?: string;
};

/** What was read of a list so far. */
export type Gathered = {
  readonly entries: SourceEntry[];
  /** The first refused lines. */
  readonly faults: SourceFault[];
  /** How many lines were refused. */
  faultCount: number;
};

/** A reader of one kind of list. @returns why the list cannot be read at all; null: it can. */
export type SourceReader = (text: string, to: Gathered, day: string) => string | null;

/** The most entries of a list, and the most refused lines that are named. */
export const entriesMax = 50_000;
const faultsMax = 200;

/**
 * The dearest prices that are believed, in US dollars per million tokens, per call, and per 1,000
 * searches: well above whatever a provider asked until 2026.
 */
const tokenDollarsMax = 10_000;
const callDollarsMax = 1_000;
const searchDollarsMax = 10_000;

const tooDear = "价格离谱，已拒绝";
export const notList = "不是该来源的价格列表";
export const tooManyEntries = `最多 ${entriesMax} 行`;

/** Notes that a line is refused. */
export function refuse(to: Gathered, place: string, message: string): void {
  to.faultCount += 1;
  if (to.faults.length < faultsMax) to.faults.push({ place: place.slice(0, 100), message });
}

/** Adds an entry, or notes why it is refused. */
export function gather(to: Gathered, place: string, found: SourceEntry): void {
  const { entry, prices } = found;
  if (entry === "" || entry.length > modelNameMax) {
    refuse(to, place, "模型名称无效");
  } else if (!bookPrices.safeParse(prices).success) {
    refuse(to, place, "价格类型无法识别");
  } else if (prices.perCall === undefined && prices.tokens?.input === undefined) {
    refuse(to, place, "没有价格");
  } else if (isTooDear(prices)) {
    refuse(to, place, tooDear);
  } else to.entries.push(found);
}

function isTooDear({ perCall = "0", tokens = {}, searches = {}, ...terms }: BookPrices): boolean {
  const { steps = [], tiers = {}, hours = [] } = terms;
  const all = [tokens, ...Object.values(tiers), ...[...steps, ...hours].map((of) => of.tokens)];
  return (
    Number(perCall) > callDollarsMax ||
    Object.values(searches).some((dollars) => Number(dollars) > searchDollarsMax) ||
    all.some((of) => Object.values(of).some((dollars) => Number(dollars) > tokenDollarsMax))
  );
}

/** The longest text of an amount that is read, in characters. */
const amountMax = 60;

/** Digits beyond which a number of JSON has only the noise of its binary form. */
const exactDigits = 12;

/**
 * Reads an amount exactly.
 * @param shift by how many places the decimal point moves to the right: 6 from dollars per token to
 *   dollars per million.
 */
export function readAmount(value: unknown, shift: number): Parsed<string> {
  const text =
    typeof value === "number" && Number.isFinite(value)
      ? String(Number(value.toPrecision(exactDigits)))
      : value;
  if (typeof text !== "string" || text.length > amountMax) {
    return { ok: false, message: `不是数字：${String(JSON.stringify(value)).slice(0, 40)}` };
  }
  const [digits = "", exponent = "0"] = text.trim().toLowerCase().split("e");
  const moved = parseDecimal(`${digits}e${Number(exponent) + shift}`);
  if (moved.ok) return moved;
  // A refusal shows the amount as it stands in the list.
  const written = parseDecimal(text);
  return written.ok ? moved : written;
}

/**
 * Reads prices of tokens from named fields; absent ones and null are left out.
 * @param names the field of each kind of tokens.
 */
export function readTokens(
  fields: Readonly<Record<string, unknown>>,
  names: Readonly<Partial<Record<BookBucket, string>>>,
  shift: number,
): Parsed<TokenDollars> {
  const tokens: Partial<Record<BookBucket, string>> = {};
  for (const [bucket, name] of Object.entries(names)) {
    const value = ownOf(fields, name);
    if (value === undefined || value === null) continue;
    const read = readAmount(value, shift);
    if (!read.ok) return { ok: false, message: `${name}：${read.message}` };
    // Safe cast: the names are those of `names`.
    tokens[bucket as BookBucket] = read.value;
  }
  return { ok: true, value: tokens };
}

/** Returns the fields of an object; undefined: it is none. */
export function fieldsOf(value: unknown): Readonly<Record<string, unknown>> | undefined {
  return typeof value === "object" && value !== null && !Array.isArray(value)
    ? // Safe cast: every object has texts as names of its fields.
      (value as Readonly<Record<string, unknown>>)
    : undefined;
}

/** Returns what an object itself has under a name. */
export function ownOf(fields: Readonly<Record<string, unknown>>, name: string): unknown {
  return Object.hasOwn(fields, name) ? fields[name] : undefined;
}

/** Reads JSON; undefined: it is none. */
export function readJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Returns a text as it is, and anything else as an empty one. */
export function textOf(value: unknown): string {
  return typeof value === "string" ? value.trim() : "";
}
