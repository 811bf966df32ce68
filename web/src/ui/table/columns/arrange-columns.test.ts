import { expect, test } from "bun:test";
import { arrangeColumns, choiceOf, moveColumn } from "./arrange-columns.ts";
import type { Column } from "#ui/table/column.ts";

type Named = Pick<Column<never>, "card" | "hidden" | "id">;

const columns: readonly Named[] = [
  { id: "id" },
  { id: "name", card: "title" },
  { id: "size" },
  { id: "note", hidden: true },
];

function shownOf(choice: Parameters<typeof arrangeColumns>[1], of = columns): readonly string[] {
  return arrangeColumns(of, choice)
    .filter(({ shown }) => shown)
    .map(({ column }) => column.id);
}

test("without a choice, columns stand as the screen gives them", () => {
  expect(shownOf(null)).toEqual(["id", "name", "size"]);
});

test("a stored choice still holds for the other columns after one was added or removed", () => {
  const choice = [
    { id: "gone", shown: true },
    { id: "size", shown: true },
    { id: "id", shown: false },
    { id: "name", shown: true },
  ];
  expect(shownOf(choice)).toEqual(["size", "name"]);
  const grown = [...columns.slice(0, 3), { id: "fresh" }, ...columns.slice(3)];
  expect(shownOf(choice, grown)).toEqual(["size", "fresh", "name"]);
});

test("the column that names the record cannot be hidden", () => {
  expect(shownOf([{ id: "name", shown: false }])).toContain("name");
});

test("a column that the stored choice names twice appears once", () => {
  const twice = [
    { id: "size", shown: true },
    { id: "size", shown: false },
  ];
  expect(arrangeColumns(columns, twice).map(({ column }) => column.id)).toEqual([
    "id",
    "name",
    "size",
    "note",
  ]);
});

test("moving stops at the ends, and in the original order nothing is stored", () => {
  const own = arrangeColumns(columns, null);
  expect(moveColumn(own, "id", -1).map(({ column }) => column.id)[0]).toBe("id");
  const moved = moveColumn(own, "id", 1);
  expect(choiceOf(columns, moved)?.map(({ id }) => id)).toEqual(["name", "id", "size", "note"]);
  expect(choiceOf(columns, moveColumn(moved, "id", -1))).toBeNull();
});
