import { expect, test } from "bun:test";
import { indexRows, packRows } from "./packed-rows.ts";

test("every row is found by each of its keys, and nothing by others", () => {
  const rows = Array.from({ length: 3_000 }, (_, id) => ({
    id: id + 2 ** 40,
    keys: id % 3 === 0 ? [`key ${id}`, `old key ${id}`] : [`key ${id}`],
    text: id % 7 === 0 ? "" : `text of ${id}, 名字 ${id}`,
  }));
  const index = indexRows([packRows(rows.slice(0, 1_000)), packRows(rows.slice(1_000))]);
  expect(index.count).toBe(3_000);
  for (const { id, keys, text } of rows) {
    for (const key of keys) expect(index.find(key)).toEqual({ id, text });
  }
  expect(index.find("key 3000")).toBeUndefined();
  expect(index.find("")).toBeUndefined();
});

test("no rows are an index without any", () => {
  expect(indexRows([]).find("key")).toBeUndefined();
  expect(indexRows([packRows([])]).count).toBe(0);
});
