/**
 * Price lists as CSV files: a line for each model, in US dollars per million tokens, as the price
 * book has them. Amounts are exact decimals in both directions. A file is read as a whole: each line
 * that is wrong is named, and whoever reads it saves all lines or none.
 */

import { readCells, writeCell } from "@tollgate/contract/fields/csv-cells.ts";
import { z } from "zod";
import type { PriceList } from "./charge.ts";
import { bookPrices, type BookBucket, type BookPrices, readBook, sourceOf } from "./price-book.ts";
import {
  modelNameMax,
  parseDecimal,
  type Parsed,
  reservedNames,
} from "@tollgate/contract/endpoints/prices.ts";

/** The longest file that is read, in characters, and the most lines of it. */
export const priceFileMax = 2_000_000;
const priceLinesMax = 5_000;

/** The columns with prices of tokens. */
const tokenColumns = {
  input: "input",
  output: "output",
  cache_read: "cacheRead",
  cache_write_5m: "cacheWrite5m",
  cache_write_1h: "cacheWrite1h",
  reasoning: "reasoning",
  input_image: "inputImage",
  output_image: "outputImage",
  input_audio: "inputAudio",
  output_audio: "outputAudio",
  cache_image: "cacheImage",
  cache_audio: "cacheAudio",
} as const satisfies Record<string, BookBucket>;

/** The columns with dollars per 1,000 calls, searches, and calls that search. */
const feeColumns = {
  call_fee: "call",
  search_fee: "search",
  searching_call_fee: "searchingCall",
} as const;

type TokenColumn = keyof typeof tokenColumns;
type FeeColumn = keyof typeof feeColumns;

// Safe casts: the names are those of the objects.
const tokenNames = Object.keys(tokenColumns) as TokenColumn[];
const feeNames = Object.keys(feeColumns) as FeeColumn[];

/**
 * All columns in the order of a written file. `per_call` is in dollars per call; `terms` has long
 * prompts, service tiers and hours as JSON of the price book; `source` and `date` are not read.
 */
const columns = ["model", "per_call", ...tokenNames, ...feeNames, "terms", "source", "date"];

/** Writes every model that has a price, by name. */
export function writePriceCsv(list: PriceList): string {
  const models = new Set([...Object.keys(list.ModelPrice), ...Object.keys(list.ModelRatio)]);
  const lines = [...models]
    .toSorted((a, b) => (a < b ? -1 : 1))
    .map((model) => {
      const { perCall = "", tokens = {}, searches = {}, ...terms } = readBook(list, model) ?? {};
      const source = sourceOf(list, model);
      return [
        model,
        perCall,
        ...tokenNames.map((name) => tokens[tokenColumns[name]] ?? ""),
        ...feeNames.map((name) => searches[feeColumns[name]] ?? ""),
        Object.keys(terms).length === 0 ? "" : JSON.stringify(terms),
        source?.from ?? "",
        source?.date ?? "",
      ];
    });
  return [columns, ...lines].map((cells) => `${cells.map(writeCell).join(",")}\r\n`).join("");
}

/** What a line of a table that is no such file must have after the model. */
export const tableRule = "需要输入价格和输出价格，可再加缓存输入价格";

/** A price of a file, and the line that it stands in, counted from 1. */
type FilePrice = {
  readonly line: number;
  readonly model: string;
  readonly prices: BookPrices;
};

export type PriceFile = {
  readonly rows: readonly FilePrice[];
  /** The lines that are wrong, with the reason. */
  readonly faults: readonly { readonly line: number; readonly message: string }[];
};

/**
 * Whether a text begins with the head of such a file, and not with that of some other table: all
 * its columns are known, or some are spelled as only this file spells them.
 */
export function isPriceCsv(text: string): boolean {
  const [head] = readCells(text, 1);
  const names = head?.cells.map((cell) => cell.trim().toLowerCase()) ?? [];
  if (names[0] !== "model" || names.length < 2) return false;
  return names.every((name) => columns.includes(name)) || names.some((name) => name.includes("_"));
}

/** Reads a file. Cells are separated by commas, semicolons or tabs, as its first line is. */
export function readPriceCsv(text: string): PriceFile {
  const faults: { line: number; message: string }[] = [];
  const rows: FilePrice[] = [];
  const seen = new Set<string>();
  const [head, ...lines] = readCells(text, priceLinesMax + 2);
  const names = head?.cells.map((cell) => cell.trim().toLowerCase()) ?? [];
  const unknown = names.find((name) => name !== "" && !columns.includes(name));
  const twice = names.find((name, at) => name !== "" && names.indexOf(name) !== at);
  if (names.length > columns.length) return wrong(1, `最多 ${columns.length} 列`);
  if (names[0] !== "model") return wrong(1, "第一列必须是 model");
  if (unknown !== undefined) return wrong(1, `未知的列：${unknown.slice(0, 40)}`);
  if (twice !== undefined) return wrong(1, `重复的列：${twice}`);
  if (lines.length > priceLinesMax) return wrong(1, `最多 ${priceLinesMax} 行`);
  for (const { line, cells } of lines) {
    if (cells.every((cell) => cell.trim() === "")) continue;
    const cell = new Map(names.map((name, at) => [name, (cells[at] ?? "").trim()]));
    const read = cells.length > names.length ? tooMany : readLine(cell);
    if (read.ok && !seen.has(read.value.model)) {
      seen.add(read.value.model);
      rows.push({ line, ...read.value });
    } else {
      const message = read.ok ? `重复的模型：${read.value.model}` : read.message;
      faults.push({ line, message });
    }
  }
  return { rows, faults };
}

function wrong(line: number, message: string): PriceFile {
  return { rows: [], faults: [{ line, message }] };
}

const tooMany = { ok: false, message: "单元格多于表头的列" } as const;

type ReadLine = Parsed<{ readonly model: string; readonly prices: BookPrices }>;

function readLine(cell: ReadonlyMap<string, string>): ReadLine {
  const model = (cell.get("model") ?? "").replace(/^'(?=[=+\-@])/, "").trim();
  if (model === "" || model.length > modelNameMax || reservedNames.has(model)) {
    return { ok: false, message: "模型名称无效" };
  }
  const amounts = new Map<string, string>();
  for (const name of ["per_call", ...tokenNames, ...feeNames]) {
    const text = cell.get(name) ?? "";
    if (text === "") continue;
    const read = parseDecimal(text.replace(/^\$/, ""));
    if (!read.ok) return { ok: false, message: `${name}：${read.message}` };
    amounts.set(name, read.value);
  }
  const terms = readTerms(cell.get("terms") ?? "");
  if (!terms.ok) return terms;
  const perCall = amounts.get("per_call");
  const tokens = picked(tokenNames, tokenColumns, amounts);
  const searches = picked(feeNames, feeColumns, amounts);
  if (perCall === undefined && tokens === undefined) return { ok: false, message: "没有价格" };
  const prices = {
    ...(perCall === undefined ? {} : { perCall }),
    ...(tokens === undefined ? {} : { tokens }),
    ...(searches === undefined ? {} : { searches }),
    ...terms.value,
  };
  return { ok: true, value: { model, prices } };
}

/** Returns the amounts of some columns under the names of the price book; undefined: none is set. */
function picked<Column extends string, Name extends string>(
  names: readonly Column[],
  to: Readonly<Record<Column, Name>>,
  amounts: ReadonlyMap<string, string>,
): Partial<Record<Name, string>> | undefined {
  const found: Partial<Record<Name, string>> = {};
  for (const name of names) {
    const amount = amounts.get(name);
    if (amount !== undefined) found[to[name]] = amount;
  }
  return Object.keys(found).length === 0 ? undefined : found;
}

const bookTerms = z.strictObject({
  steps: bookPrices.shape.steps,
  tiers: bookPrices.shape.tiers,
  hours: bookPrices.shape.hours,
});

function readTerms(text: string): Parsed<Pick<BookPrices, "hours" | "steps" | "tiers">> {
  if (text === "") return { ok: true, value: {} };
  try {
    const read = bookTerms.parse(JSON.parse(text));
    return { ok: true, value: read };
  } catch {
    return { ok: false, message: "terms：不是合法的 JSON 字符串" };
  }
}
