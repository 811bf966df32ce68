/** Rows as a CSV file: RFC 4180, as spreadsheets open it. Pure. */

import type { Column } from "#ui/table/column.ts";

/** Without this mark Excel reads UTF-8 in the system's code page. */
export const byteOrderMark = "\uFEFF";

/** Beginnings of cells that a spreadsheet runs as a formula, in full width too. */
const formula = /^[\s]*[=+\-@＝＋－＠]|^[\t\r\n]/u;

/** A number is never a formula, and with a quote before it a spreadsheet could not add it up. */
const plainNumber = /^[+-]?\d+(\.\d+)?$/;

/** A cell of the file. A text that would run as a formula gets a quote before it. */
export function csvCell(text: string): string {
  const safe = formula.test(text) && !plainNumber.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

/** The columns of the file: those with a CSV text. */
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
