import { expect, test } from "bun:test";
import type { Column } from "#ui/table/column.ts";
import { csvCell, csvHead, csvRows } from "./csv.ts";

type Row = { readonly name: string; readonly note: string };

const columns: readonly Column<Row>[] = [
  { id: "name", title: "名称", rank: 1, width: 160, cell: () => null, csv: (row) => row.name },
  { id: "chart", title: "Chart", rank: 3, width: 80, cell: () => null },
  {
    id: "note",
    title: 'Note, "free"',
    rank: 3,
    width: 80,
    cell: () => null,
    csv: (row) => row.note,
  },
];

test("a text that a spreadsheet would run is disarmed, also behind blanks or in full width", () => {
  const dangerous = [
    '=HYPERLINK("http://evil")',
    "+1+cmd|' /C calc'!A0",
    "-2+3",
    "@SUM(A1)",
    "\t=1",
    " =1",
    "＝1+1",
    "\r=1",
  ];
  for (const text of dangerous) {
    expect(csvCell(text).replace(/^"/, "").startsWith("'")).toBe(true);
  }
});

test("numbers stay numbers, below zero too", () => {
  expect(["-12.5", "0", "+3", "1e3"].map(csvCell)).toEqual(["-12.5", "0", "+3", "1e3"]);
});

test("commas, quotes and line ends stay inside their cell", () => {
  expect(csvCell('a "b", c')).toBe('"a ""b"", c"');
  expect(csvCell("two\nlines")).toBe('"two\nlines"');
  expect(csvCell("=1,2")).toBe(`"'=1,2"`);
});

test("lines end as in RFC 4180; a column without a CSV text is left out", () => {
  expect(csvHead(columns)).toBe('名称,"Note, ""free"""\r\n');
  expect(csvRows(columns, [{ name: "a", note: "" }])).toBe("a,\r\n");
});
