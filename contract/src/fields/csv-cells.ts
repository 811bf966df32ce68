/** Cells of CSV files (RFC 4180), read and written. */

/** What a spreadsheet would run as a formula if a cell began with it. */
const formula = /^[=+\-@]/;

const quote = "\u0022";

/** Writes a cell, so that no program takes it for several, or for a formula. */
export function writeCell(text: string): string {
  const safe = formula.test(text) ? `'${text}` : text;
  if (!safe.includes(quote) && !/[,\r\n]/.test(safe)) return safe;
  return quote + safe.replaceAll(quote, quote + quote) + quote;
}

type CsvLine = { readonly line: number; readonly cells: readonly string[] };

/** Splits a file into lines of cells (RFC 4180), at most `max` of them; `line` counts from 1. */
export function readCells(text: string, max: number): CsvLine[] {
  const body = text.startsWith("\uFEFF") ? text.slice(1) : text;
  const separator = separatorOf(body);
  const lines: CsvLine[] = [];
  let cells: string[] = [];
  let cell = "";
  let isQuoted = false;
  let line = 1;
  let start = 1;
  const endLine = () => {
    cells.push(cell);
    if (cells.length > 1 || cell.trim() !== "") lines.push({ line: start, cells });
    cells = [];
    cell = "";
  };
  for (let at = 0; at < body.length && lines.length < max; at += 1) {
    const char = body[at] ?? "";
    if (char === "\n") line += 1;
    if (isQuoted) {
      if (char !== quote) cell += char;
      else if (body[at + 1] === quote) {
        cell += char;
        at += 1;
      } else isQuoted = false;
    } else if (char === quote && cell.trim() === "") {
      cell = "";
      isQuoted = true;
    } else if (char === separator) {
      cells.push(cell);
      cell = "";
    } else if (char === "\n") {
      endLine();
      start = line;
    } else if (char !== "\r") cell += char;
  }
  if (lines.length < max && (cell !== "" || cells.length > 0)) endLine();
  return lines;
}

/** The separator that the first line has most of. */
function separatorOf(text: string): string {
  const end = text.indexOf("\n");
  const head = end < 0 ? text : text.slice(0, end);
  const count = (separator: string) => head.split(separator).length;
  return [",", ";", "\t"].reduce((best, each) => (count(each) > count(best) ? each : best));
}
