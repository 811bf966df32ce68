import { expect, test } from "bun:test";
import type { FetchPage } from "#ui/table/column.ts";
import { walkPages } from "./walk-pages.ts";

const rowId = (row: number) => String(row);

function rowsTo(count: number): readonly number[] {
  return Array.from({ length: count }, (_, index) => index);
}

function pagesOf(rows: () => readonly number[], total: number | null = null): FetchPage<number> {
  return async ({ page, size }) => ({ items: rows().slice((page - 1) * size, page * size), total });
}

async function walk(fetchPage: FetchPage<number>, limit = 1_000) {
  const found: number[] = [];
  const { signal } = new AbortController();
  const onRows = (rows: readonly number[]) => void found.push(...rows);
  const isWhole = await walkPages({ fetchPage, rowId, limit, signal, onRows, pauseMs: 1 });
  return { found, isWhole };
}

test("every row of every page comes once, with and without a total", async () => {
  for (const total of [null, 250]) {
    const { found, isWhole } = await walk(pagesOf(() => rowsTo(250), total));
    expect(found).toEqual([...rowsTo(250)]);
    expect(isWhole).toBe(true);
  }
});

test("no page is read after the last", async () => {
  let asked = 0;
  const rows = rowsTo(200);
  await walk(async (window, signal) => {
    asked += 1;
    return await pagesOf(() => rows, 200)(window, signal);
  });
  expect(asked).toBe(2);
});

test("the walk stops at the limit and says that there is more", async () => {
  const { found, isWhole } = await walk(
    pagesOf(() => rowsTo(500), 500),
    200,
  );
  expect(found).toHaveLength(200);
  expect(isWhole).toBe(false);
});

test("rows that are added during the walk move others to the next page, but none comes twice", async () => {
  let rows = rowsTo(150);
  const growing: FetchPage<number> = async (window, signal) => {
    const page = await pagesOf(() => rows)(window, signal);
    rows = [-window.page, ...rows];
    return page;
  };
  const { found } = await walk(growing);
  expect(found).toEqual([...new Set(found)]);
  expect(found).toEqual(expect.arrayContaining([...rowsTo(150)]));
});

test("after 429 the page is read again later; any other failure ends the walk", async () => {
  let tries = 0;
  const busy: FetchPage<number> = async (window, signal) => {
    tries += 1;
    if (tries < 4) throw Object.assign(new Error("slow down"), { status: 429 });
    return await pagesOf(() => rowsTo(10))(window, signal);
  };
  expect((await walk(busy)).found).toHaveLength(10);
  const broken = () => Promise.reject(Object.assign(new Error("broken"), { status: 500 }));
  await expect(walk(broken)).rejects.toThrow("broken");
});

test("a cancelled walk reads no further page, also while it waits", async () => {
  const controller = new AbortController();
  let asked = 0;
  const busy: FetchPage<number> = () => {
    asked += 1;
    controller.abort();
    return Promise.reject(Object.assign(new Error("slow down"), { status: 429 }));
  };
  const { signal } = controller;
  const walking = walkPages({ fetchPage: busy, rowId, limit: 100, signal, onRows: () => {} });
  await expect(walking).rejects.toThrow();
  expect(asked).toBe(1);
});
