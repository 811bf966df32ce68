/** Rows as a CSV file: RFC 4180, as spreadsheets open it. Pure. */

import type { Column } from "#ui/table/column.ts";

/** Without it Excel takes UTF-8 for the code page of its system. */
export const byteOrderMark = "\uFEFF";

/** Cells that a spreadsheet would run as a formula, also written full width. */
const formula = /^[\s]*[=+\-@＝＋－＠]|^[\t\r\n]/u;

/** A number is no formula, and would be none to add up with a quote before it. */
const plainNumber = /^[+-]?\d+(\.\d+)?$/;

/** A cell as it stands in the file. A text that would run as a formula gets a quote before it. */
export function csvCell(text: string): string {
  const safe = formula.test(text) && !plainNumber.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

/** The columns of the file: those that say what they are there. */
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
