/** Reads usage files: each line that is wrong is told of by itself. */

import {
  type BillColumn,
  type BillKind,
  type BillQuestion,
} from "@tollgate/contract/endpoints/bills.ts";
import { parseDecimal } from "@tollgate/contract/endpoints/prices.ts";
import { readCells } from "@tollgate/contract/fields/csv-cells.ts";
import { scaled } from "@tollgate/contract/money/decimals.ts";
import { type BillForm, billForms } from "./bill-forms.ts";
import { readTime } from "./bill-times.ts";

/** A line of a bill: a call, or the sum of some. */
export type BillLine = {
  /** From 1 on, the head included. */
  readonly line: number;
  /** Unix seconds. */
  readonly at: number;
  readonly model: string;
  readonly key: string;
  /** The upstream's id of the call; empty: the file has none. */
  readonly id: string;
  readonly input: number;
  readonly output: number;
  /** Null: the file does not say. */
  readonly calls: number | null;
  /** US dollars × 10^12; null: the file does not say. */
  readonly amount: bigint | null;
};

type BillFault = { readonly line: number; readonly message: string };

export type ReadBill =
  | {
      readonly ok: true;
      readonly isByCall: boolean;
      readonly lines: readonly BillLine[];
      readonly faults: readonly BillFault[];
      readonly faultCount: number;
    }
  /** Why the file is no such bill, in a sentence. */
  | { readonly ok: false; readonly message: string };

/** The most lines of a file, and the most wrong ones that are named. */
const linesMax = 200_000;
const faultsMax = 100;
const columnsMax = 200;

/** Reads a file. @param question its form, and the zone of times that name none. */
export function readBill(
  text: string,
  question: Pick<BillQuestion, "columns" | "kind" | "zone">,
): ReadBill {
  if (text.trim() === "") return wrong("文件是空的");
  const [head, ...rows] = readCells(text, linesMax + 2);
  if (rows.length > linesMax) return wrong(`最多 ${linesMax} 行`);
  const headings = head?.cells.map((cell) => cell.trim().toLowerCase()) ?? [];
  if (headings.length > columnsMax) return wrong(`最多 ${columnsMax} 列`);
  const form = question.kind === "csv" ? formOf(question.columns) : billForms[question.kind];
  const missing = missingColumn(form, headings, question.kind);
  if (missing !== null) return wrong(missing);
  if (rows.length === 0) return wrong("文件只有表头，没有用量");
  const lines: BillLine[] = [];
  const faults: BillFault[] = [];
  let faultCount = 0;
  const read = lineReader(form, headings, question.zone);
  for (const { line, cells } of rows) {
    if (cells.every((cell) => cell.trim() === "")) continue;
    const found = read(cells, line);
    if (found === null) continue;
    if (typeof found !== "string") {
      lines.push(found);
      continue;
    }
    faultCount += 1;
    if (faults.length < faultsMax) faults.push({ line, message: found });
  }
  if (lines.length === 0) {
    const [first] = faults;
    return first === undefined
      ? wrong("文件中没有调用")
      : wrong(`没有一行可以读取；第 ${first.line} 行：${first.message}`);
  }
  return { ok: true, isByCall: form.isByCall, lines, faults, faultCount };
}

function wrong(message: string): ReadBill {
  return { ok: false, message };
}

/** The form of a CSV file whose headings were named. */
function formOf(columns: BillQuestion["columns"]): BillForm {
  const named = Object.entries(columns).flatMap(([column, heading]) =>
    heading === "" ? [] : [[column, [heading.toLowerCase()]] as const],
  );
  return {
    columns: Object.fromEntries(named),
    alsoInput: [],
    isByCall: !named.some(([column]) => column === "calls"),
    only: null,
    amountsPerDollar: 1,
  };
}

const needed = ["time", "model", "input", "output"] as const satisfies readonly BillColumn[];

/** Says which column a file lacks; null: none. */
function missingColumn(form: BillForm, headings: readonly string[], kind: BillKind): string | null {
  for (const column of needed) {
    const wanted = form.columns[column] ?? [];
    if (wanted.some((heading) => headings.includes(heading))) continue;
    if (kind === "csv" && wanted.length === 0) return `请指定列：${column}`;
    return `这不是所选格式的用量文件：缺少列 ${wanted[0] ?? column}`;
  }
  return null;
}

type ReadLine = (cells: readonly string[], line: number) => BillLine | string | null;

/** Returns a function that reads a line: null if it is no call, a text if it is wrong. */
function lineReader(form: BillForm, headings: readonly string[], zone: string): ReadLine {
  const at = (heading: string): number => headings.indexOf(heading);
  const placeOf = (column: BillColumn): number => {
    const found = (form.columns[column] ?? []).find((heading) => at(heading) >= 0);
    return found === undefined ? -1 : at(found);
  };
  const places = {
    time: placeOf("time"),
    model: placeOf("model"),
    key: placeOf("key"),
    id: placeOf("id"),
    input: placeOf("input"),
    output: placeOf("output"),
    calls: placeOf("calls"),
    amount: placeOf("amount"),
  };
  const also = form.alsoInput.map(at).filter((place) => place >= 0);
  const { only } = form;
  const onlyAt = only === null ? -1 : at(only.heading);
  return (cells, line) => {
    const cell = (place: number): string => (place < 0 ? "" : (cells[place] ?? "").trim());
    if (onlyAt >= 0 && only?.values.includes(cell(onlyAt)) !== true) return null;
    const time = readTime(cell(places.time), zone);
    if (time === undefined) return `不是时间：${cell(places.time).slice(0, 40)}`;
    const model = cell(places.model);
    if (model === "") return "模型名称无效";
    const counted = [cell(places.output), cell(places.input), ...also.map(cell)].map(readCount);
    const [output, ...inputs] = counted;
    if (output === undefined || counted.includes(undefined)) return "用量必须是不小于 0 的整数";
    const calls = places.calls < 0 ? (form.isByCall ? 1 : null) : readCount(cell(places.calls));
    if (calls === undefined) return "用量必须是不小于 0 的整数";
    const amount = readMoney(cell(places.amount), form.amountsPerDollar);
    if (typeof amount === "string") return amount;
    const input = inputs.reduce<number>((sum, count) => sum + (count ?? 0), 0);
    const [key, id] = [cell(places.key), cell(places.id)];
    return { line, at: time.at, model, key, id, input, output, calls, amount };
  };
}

/** Reads a whole number, perhaps grouped by thousands; undefined: it is none. */
function readCount(text: string): number | undefined {
  if (text === "") return 0;
  const digits = text.replace(/[,_ ]/g, "").replace(/\.0+$/, "");
  return /^\d{1,12}$/.test(digits) ? Number(digits) : undefined;
}

/** Returns US dollars × 10^12; null: nothing is said; a text: what is wrong. */
function readMoney(text: string, perDollar: number): bigint | string | null {
  if (text === "") return null;
  const read = parseDecimal(text.replace(/^\$/, ""));
  return read.ok ? scaled(read.value) / BigInt(perDollar) : read.message;
}
