/** Writes rows as a CSV file: RFC 4180, in the variant that spreadsheets open. Pure functions. */

import type { Column } from "#ui/table/column.ts";

/**
 * The byte-order mark at the beginning of the file: without it, Excel does not read the file as
 * UTF-8.
 */
export const byteOrderMark = "\uFEFF";

/**
 * Matches a cell that a spreadsheet would run as a formula; full-width characters count as well.
 */
const formula = /^[\s]*[=+\-@＝＋－＠]|^[\t\r\n]/u;

/**
 * Matches a number. Numbers get no quote, although some begin with a sign: they are never formulas,
 * and with a quote a spreadsheet could not add them up.
 */
const plainNumber = /^[+-]?\d+(\.\d+)?$/;

/**
 * Writes a cell of the file. A text that a spreadsheet would run as a formula gets a quote before
 * it.
 */
export function csvCell(text: string): string {
  const safe = formula.test(text) && !plainNumber.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

/** Returns the columns that the file has: those with a function for the CSV text. */
function csvColumns<Row>(columns: readonly Column<Row>[]): readonly Column<Row>[] {
  return columns.filter(({ csv }) => csv !== undefined);
}

export function csvHead<Row>(columns: readonly Column<Row>[]): string {
  return line(csvColumns(columns).map(({ title }) => title));
}

export function csvRows<Row>(columns: readonly Column<Row>[], rows: readonly Row[]): string {
  const written = csvColumns(columns);
  return rows.map((row) => line(written.map(({ csv }) => csv?.(row) ?? ""))).join("");
}

function line(cells: readonly string[]): string {
  return `${cells.map(csvCell).join(",")}\r\n`;
}

/** The forms of a file with rows. */
export type FileFormat = "csv" | "ndjson";

/** Writes whole rows as JSON, one a line. */
export function jsonLines(rows: readonly unknown[]): string {
  return rows.map((row) => `${JSON.stringify(row)}\n`).join("");
}
