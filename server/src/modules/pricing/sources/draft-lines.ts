/** Compares a published list with the prices in force: what would change, and what the rules allow. */

import { type PriceList } from "@tollgate/contract/money/charge.ts";
import {
  type DraftLine,
  draftLinesMax,
  type SourceRules,
  type WaitReason,
} from "@tollgate/contract/endpoints/price-sources.ts";
import { reservedNames } from "@tollgate/contract/endpoints/prices.ts";
import {
  type BookBucket,
  type BookPrices,
  readBook,
  sourceOf,
} from "@tollgate/contract/money/price-book.ts";
import { multiplied } from "@tollgate/contract/money/multiply.ts";
import { fieldsOfBook, textOfBook, wholePrice } from "./book-fields.ts";
import { findEntry, indexEntries } from "./find-entry.ts";
import type { SourceEntry } from "./source-entries.ts";

type Compared = {
  /** The price list in force. */
  readonly list: PriceList;
  /** The models that channels offer. */
  readonly offered: readonly string[];
  readonly entries: readonly SourceEntry[];
  readonly rules: SourceRules;
  /** The day of the list, as `YYYY-MM-DD`. */
  readonly day: string;
};

type DraftLines = {
  readonly lines: DraftLine[];
  /** How many models were found in the list. */
  readonly compared: number;
  /** How many further changes there are than a draft has lines. */
  readonly more: number;
  /** Models whose multiplied price has too many digits. */
  readonly inexact: readonly string[];
};

/**
 * Makes the lines of a draft, by model. Only models that have a price here or that a channel offers
 * are compared, and what the list does not say stays as it is.
 */
export function draftLines(compared: Compared): DraftLines {
  const { list, offered, entries, rules, day } = compared;
  const index = indexEntries(entries);
  const priced = [...Object.keys(list.ModelPrice), ...Object.keys(list.ModelRatio)];
  const lines: DraftLine[] = [];
  const inexact: string[] = [];
  let count = 0;
  let more = 0;
  for (const model of [...new Set([...priced, ...offered])].toSorted()) {
    const found = reservedNames.has(model) ? undefined : findEntry(index, model, rules.vendors);
    if (found === undefined) continue;
    count += 1;
    const asked = rules.factor === "1" ? found.prices : multiplied(found.prices, rules.factor);
    if (asked === undefined) {
      inexact.push(model);
      continue;
    }
    for (const line of linesOf(model, asked, found, compared)) {
      if (lines.length === draftLinesMax) more += 1;
      else lines.push({ ...line, line: lines.length, date: found.date ?? day });
    }
  }
  return { lines, compared: count, more, inexact };
}

type NewLine = Omit<DraftLine, "date" | "line">;

function linesOf(
  model: string,
  asked: BookPrices,
  { vendor, entry }: SourceEntry,
  { list, rules }: Compared,
): NewLine[] {
  const book = readBook(list, model);
  const shared = { model, vendor, entry, state: "open", message: "" } as const;
  if (book === undefined) {
    const proposed = textOfBook(asked);
    const waits: WaitReason[] = ["unpriced"];
    return [{ ...shared, field: wholePrice, now: null, proposed, change: null, waits }];
  }
  const isHandSet = rules.keep_hand_set && isSetByHand(list, model);
  const always: WaitReason[] = isHandSet ? ["hand-set"] : [];
  const isPerCall = book.perCall !== undefined;
  if (isPerCall !== (asked.perCall !== undefined)) {
    const kind: WaitReason[] = rules.keep_kind ? [...always, "kind"] : [...always, "terms"];
    const texts = { now: textOfBook(book), proposed: textOfBook(asked) };
    return [{ ...shared, field: wholePrice, ...texts, change: null, waits: kind }];
  }
  const now = fieldsOfBook(book);
  const lines: NewLine[] = [];
  for (const [field, proposed] of fieldsOfBook(withFollowers(book, asked))) {
    const before = now.get(field) ?? null;
    if (before === proposed) continue;
    const { change, waits } = judge({ field, before, proposed, book, rules });
    const reasons = [...always, ...waits];
    lines.push({ ...shared, field, now: before, proposed, change, waits: reasons });
  }
  return lines;
}

/** Where prices come from that no person has typed. */
const notTyped: ReadonlySet<string> = new Set(["catalogue", "default", "sync"]);

/** A price of which nothing is noted may have been set by hand, so it counts as one that was. */
function isSetByHand(list: PriceList, model: string): boolean {
  const source = sourceOf(list, model);
  return source === undefined || !notTyped.has(source.from);
}

/** The kinds of tokens that a list may leave unsaid because they cost what another kind costs. */
const followers = {
  input: ["cacheWrite5m", "cacheWrite1h", "inputAudio", "inputImage"],
  output: ["reasoning", "outputAudio", "outputImage"],
} as const satisfies Partial<Record<BookBucket, readonly BookBucket[]>>;

/** Lets kinds that have cost the same as another, and of which nothing is said, follow its price. */
function withFollowers(book: BookPrices, asked: BookPrices): BookPrices {
  const { tokens } = asked;
  if (tokens === undefined) return asked;
  const all: Partial<Record<BookBucket, string>> = { ...tokens };
  for (const leader of ["input", "output"] as const) {
    const [before, after] = [book.tokens?.[leader], tokens[leader]];
    if (before === undefined || after === undefined) continue;
    for (const follower of followers[leader]) {
      if (tokens[follower] === undefined && book.tokens?.[follower] === before) {
        all[follower] = after;
      }
    }
  }
  return { ...asked, tokens: all };
}

type Judged = {
  readonly field: string;
  readonly before: string | null;
  readonly proposed: string;
  readonly book: BookPrices;
  readonly rules: SourceRules;
};

/** A price that falls by more than this waits: a list that is wrong may give everything away. */
const fallMax = 90;

function judge({ field, before, proposed, book, rules }: Judged) {
  // Without a price of its own, a kind is compared with the input that it would cost at most.
  const base = field.startsWith("searches.") ? "0" : (book.tokens?.input ?? "0");
  const pairs = pairsOf(before ?? (Object.hasOwn(termFields, field) ? null : base), proposed);
  if (pairs === null) return { change: null, waits: ["terms"] as WaitReason[] };
  const changes = pairs.map(([old, now]) => percentOf(Number(old), Number(now)));
  const highest = Math.max(...changes);
  const lowest = Math.min(...changes);
  const waits: WaitReason[] = [];
  if (rules.raise_max !== null && highest > rules.raise_max) waits.push("raise");
  // A discount that there was not before, such as for cached input, is no fall unless it is free.
  if (before === null ? Number(proposed) === 0 : lowest < -fallMax) waits.push("fall");
  const isOne = before !== null && pairs.length === 1 && Number(before) > 0;
  return { change: isOne ? rounded(changes[0] ?? 0) : null, waits };
}

const termFields = { steps: true, tiers: true, hours: true } as const;

function percentOf(before: number, after: number): number {
  if (before === after) return 0;
  return before === 0 ? Number.POSITIVE_INFINITY : ((after - before) / before) * 100;
}

/** To a hundredth of a percent. */
function rounded(percent: number): number {
  return Math.round(percent * 100) / 100;
}

/** Returns the amounts of two texts, pair by pair; null: their forms differ. */
function pairsOf(
  before: string | null,
  after: string,
): (readonly [before: string, after: string])[] | null {
  if (before === null) return null;
  if (!after.startsWith("[") && !after.startsWith("{")) return [[before, after]];
  const [old, now] = [flat(JSON.parse(before)), flat(JSON.parse(after))];
  if (old.size !== now.size) return null;
  const pairs: (readonly [string, string])[] = [];
  for (const [path, amount] of now) {
    const was = old.get(path);
    if (was === undefined) return null;
    if (!isDollars(path)) {
      if (was !== amount) return null;
      continue;
    }
    pairs.push([was, amount]);
  }
  return pairs.length === 0 ? null : pairs;
}

/** Whether a place in the JSON of terms has dollars: in `tokens`, and directly in a tier. */
function isDollars(path: string): boolean {
  const last = path.split(".").at(-1) ?? "";
  return !["above", "from", "until"].includes(last);
}

function flat(value: unknown, path = "", to = new Map<string, string>()): Map<string, string> {
  if (typeof value === "object" && value !== null) {
    for (const [name, of] of Object.entries(value)) flat(of, `${path}.${name}`, to);
  } else to.set(path, String(value));
  return to;
}
