/** Reads prices from a CSV file, or from a table that was copied from anywhere. */

import { decimalText, divide, scaled } from "@tollgate/contract/money/decimals.ts";
import { bookBuckets, type BookPrices, readBook } from "@tollgate/contract/money/price-book.ts";
import type { PriceList } from "@tollgate/contract/money/charge.ts";
import {
  isPriceCsv,
  type PriceFile,
  priceFileMax,
  readPriceCsv,
  tableRule,
} from "@tollgate/contract/money/price-csv.ts";
import {
  modelNameMax,
  parseDecimal,
  type Parsed,
  reservedNames,
} from "@tollgate/contract/endpoints/prices.ts";
import { checkBook, setBook } from "./bulk-prices.ts";

/** The longest text that is read, in characters. */
export const importMax = priceFileMax;

/**
 * Reads prices of models, and names each line that is wrong. In a CSV file a line is the whole price
 * of its model. In another table a line has a model, its input and output price and optionally that
 * of cached input, in dollars per million tokens, or a model, a price and the word "call"; other
 * prices of the model change with its input price.
 */
export function readImport(text: string, list: PriceList): PriceFile {
  const { rows, faults } = isPriceCsv(text) ? readPriceCsv(text) : readTable(text, list);
  const checked = rows.map((row) => ({
    row,
    check: checkBook(row.model, row.prices, list.QuotaPerUnit),
  }));
  const inexact = checked.flatMap(({ row, check }) =>
    check.ok ? [] : [{ line: row.line, message: check.message }],
  );
  return {
    rows: checked.flatMap(({ row, check }) => (check.ok ? [row] : [])),
    faults: [...faults, ...inexact].toSorted((a, b) => a.line - b.line),
  };
}

/**
 * Reads a table copied from a spreadsheet or a provider's page. Cells are separated by tabs, commas,
 * semicolons, vertical bars or spaces. A first line without a price counts as a heading.
 */
function readTable(text: string, list: PriceList): PriceFile {
  const rows = new Map<string, PriceFile["rows"][number]>();
  const faults: { line: number; message: string }[] = [];
  let isFirst = true;
  for (const [index, content] of text.split(/\r?\n/).entries()) {
    const cells = content
      .split(/[\t,;|\s]+/)
      .filter((cell) => cell !== "" && !/^[-:]+$/.test(cell));
    if (cells.length === 0) continue;
    const isHead = isFirst && !cells.some((cell) => parseDecimal(amountOf(cell)).ok);
    isFirst = false;
    if (isHead) continue;
    const line = index + 1;
    const read = readLine(cells, list);
    const [model = ""] = cells;
    if (!read.ok) faults.push({ line, message: read.message });
    else if (rows.has(model)) faults.push({ line, message: `重复的模型：${model}` });
    else rows.set(model, { line, model, prices: read.value });
  }
  return { rows: [...rows.values()], faults };
}

/** Reads the number in a cell: `$2.50/1M` → `2.50`. */
function amountOf(cell: string): string {
  return cell.replace(/^\$/, "").replace(/\/.*$/, "");
}

function readLine(cells: readonly string[], list: PriceList): Parsed<BookPrices> {
  const [model = "", ...rest] = cells;
  if (model.length > modelNameMax || reservedNames.has(model)) {
    return { ok: false, message: "模型名称无效" };
  }
  const isCall = rest.length === 2 && /^(call|次)$/i.test(rest[1] ?? "");
  const amounts: string[] = [];
  for (const cell of isCall ? rest.slice(0, 1) : rest) {
    const amount = parseDecimal(amountOf(cell));
    if (!amount.ok) return amount;
    amounts.push(amount.value);
  }
  const [input, output, cacheRead] = amounts;
  if (isCall && input !== undefined) return { ok: true, value: { perCall: input } };
  if (input === undefined || output === undefined || amounts.length > 3) {
    return { ok: false, message: tableRule };
  }
  const typed = { input, output, ...(cacheRead === undefined ? {} : { cacheRead }) };
  return withOthers(readBook(list, model), typed);
}

/** Adds the prices that a line does not say: they change as the input price does. */
function withOthers(
  present: BookPrices | undefined,
  typed: { readonly input: string; readonly output: string; readonly cacheRead?: string },
): Parsed<BookPrices> {
  const old = present?.tokens ?? {};
  const before = scaled(old.input ?? "0");
  if (present === undefined || before === 0n || scaled(typed.input) === 0n) {
    return { ok: true, value: { tokens: typed } };
  }
  const others: Record<string, string> = {};
  for (const bucket of bookBuckets) {
    const dollars = old[bucket];
    if (dollars === undefined || bucket in typed) continue;
    const scaledTo = divide(scaled(dollars) * scaled(typed.input), before);
    if (!scaledTo.isExact || !decimalText.safeParse(scaledTo.text).success) {
      return { ok: false, message: `${bucket} 的价格无法精确表示` };
    }
    others[bucket] = scaledTo.text;
  }
  return { ok: true, value: setBook(present, { ...others, ...typed }) };
}
