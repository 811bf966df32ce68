import { expect, test } from "bun:test";
import { fitColumns } from "./fit-columns.ts";
import type { ColumnRank } from "#ui/table/column.ts";

type Named = { readonly id: string; readonly rank: ColumnRank; readonly width: number };

const columns: readonly Named[] = [
  { id: "time", rank: 2, width: 100 },
  { id: "address", rank: 4, width: 100 },
  { id: "model", rank: 1, width: 160 },
  { id: "group", rank: 3, width: 100 },
  { id: "charge", rank: 1, width: 90 },
  { id: "note", rank: 3, width: 100 },
];

function fit(room: number, unfoldWidth = 32) {
  const { fitting, left } = fitColumns({
    columns,
    room,
    widthOf: ({ width }) => width,
    unfoldWidth,
  });
  return [fitting.map(({ id }) => id), left.map(({ id }) => id)];
}

test("with room for all, no column gives way", () => {
  expect(fit(650)).toEqual([["time", "address", "model", "group", "charge", "note"], []]);
});

test("the highest rank gives way first, and of one rank the rightmost", () => {
  expect(fit(550)).toEqual([
    ["time", "model", "group", "charge"],
    ["address", "note"],
  ]);
  expect(fit(449)).toEqual([
    ["time", "model", "charge"],
    ["address", "group", "note"],
  ]);
});

test("the button that unfolds a row counts, unless it stands there anyway", () => {
  expect(fit(560)[1]).toEqual(["address", "note"]);
  expect(fit(560, 0)[1]).toEqual(["address"]);
});

test("room that a wide column leaves is given to a narrower one of a higher rank", () => {
  const wide: Named = { id: "wide", rank: 2, width: 300 };
  const { fitting } = fitColumns({
    columns: [wide, { id: "model", rank: 1, width: 160 }, { id: "note", rank: 5, width: 60 }],
    room: 252,
    widthOf: ({ width }) => width,
    unfoldWidth: 32,
  });
  expect(fitting.map(({ id }) => id)).toEqual(["model", "note"]);
});

test("a charge stays however little room there is", () => {
  expect(fit(10)[0]).toEqual(["model", "charge"]);
});
