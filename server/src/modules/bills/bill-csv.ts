/** Writes what a bill and the ledger say, and what explains the gaps, as CSV. */

import type { BillFinding, BillRow } from "@tollgate/contract/endpoints/bills.ts";
import { writeCell } from "@tollgate/contract/fields/csv-cells.ts";

/**
 * A row begins with `sum`, or with the kind of the finding. Of a gap, what the bill has more is
 * above 0.
 */
const head = [
  "what",
  "day_or_time",
  "model",
  "key",
  "line",
  "request_id",
  "bill_calls",
  "here_calls",
  "gap_calls",
  "bill_input",
  "here_input",
  "gap_input",
  "bill_output",
  "here_output",
  "gap_output",
  "bill_dollars",
  "here_dollars",
];

/** Writes all rows, then all findings. */
export function writeBillCsv(rows: readonly BillRow[], findings: readonly BillFinding[]): string {
  const lines = [head, ...rows.map(cellsOfRow), ...findings.map(cellsOfFinding)];
  return lines.map((cells) => `${cells.map(cellOf).join(",")}\r\n`).join("");
}

/** A gap below 0 is a number, and no formula. */
function cellOf(text: string): string {
  return /^-\d{1,15}$/.test(text) ? text : writeCell(text);
}

function cellsOfRow({ day, model, key_name, bill, here }: BillRow): string[] {
  return [
    "sum",
    day,
    model,
    key_name,
    "",
    "",
    ...trio(bill.calls, here.calls),
    ...trio(bill.input, here.input),
    ...trio(bill.output, here.output),
    bill.dollars ?? "",
    here.dollars ?? "",
  ];
}

function cellsOfFinding(of: BillFinding): string[] {
  const [bill, here] = [
    of.bill ?? { input: null, output: null },
    of.here ?? { input: null, output: null },
  ];
  return [
    of.kind,
    new Date(of.at * 1_000).toISOString(),
    of.model,
    of.key_name,
    of.line === 0 ? "" : String(of.line),
    of.request_id,
    ...trio(of.bill === null ? 0 : 1, of.here === null ? 0 : 1),
    ...trio(bill.input, here.input),
    ...trio(bill.output, here.output),
    "",
    "",
  ];
}

/** Both counts and the gap; what is not known is empty. */
function trio(bill: number | null, here: number | null): string[] {
  const gap = bill === null && here === null ? "" : String((bill ?? 0) - (here ?? 0));
  return [bill === null ? "" : String(bill), here === null ? "" : String(here), gap];
}
