import { act, fireEvent, screen, setWindowWidth, waitFor, within } from "#testing/dom.ts";
import { expect, test } from "bun:test";
import {
  makeThings,
  pageOf,
  queryOf,
  type Thing,
  thingColumns,
  ThingList,
  type ThingSearch,
} from "#testing/list.tsx";
import { renderAt } from "#testing/render.tsx";
import { useState } from "react";
import type { BulkAction, BulkResult, Column, RowAction } from "#ui/table/column.ts";

const things = makeThings(100);
const readAll = (search: ThingSearch) => pageOf(things, search);

const selected: (readonly Thing[])[] = [];
const note: BulkAction<Thing> = {
  key: "note",
  label: "记下",
  onSelect: (rows) => void selected.push(rows),
};

function boxOf(name: string): HTMLInputElement {
  return screen.getByRole("checkbox", { name: `选择 ${name}` });
}

function checkedNames(): readonly string[] {
  return screen
    .queryAllByRole<HTMLInputElement>("checkbox", { name: /^选择 thing/ })
    .filter((box) => box.checked)
    .map((box) => box.getAttribute("aria-label") ?? "");
}

test("Shift selects the rows between, in either direction", async () => {
  await renderAt("/?size=10", () => <ThingList read={readAll} bulkActions={[note]} />);
  fireEvent.click(boxOf("thing 7"));
  fireEvent.click(boxOf("thing 4"), { shiftKey: true });
  expect(checkedNames()).toEqual([4, 5, 6, 7].map((id) => `选择 thing ${id}`));
  expect(screen.getByText("已选 4 项")).toBeTruthy();
});

test("the checkbox in the head selects the page and nothing else", async () => {
  await renderAt("/?size=10", () => <ThingList read={readAll} bulkActions={[note]} />);
  const head = screen.getByRole<HTMLInputElement>("checkbox", { name: "选择本页全部" });
  fireEvent.click(boxOf("thing 3"));
  expect(head.indeterminate).toBe(true);
  fireEvent.click(head);
  expect(checkedNames()).toHaveLength(10);
  fireEvent.click(head);
  expect(checkedNames()).toEqual([]);
});

test("the selection ends with the page, so that no invisible row is selected", async () => {
  await renderAt("/?size=10", () => <ThingList read={readAll} bulkActions={[note]} />);
  fireEvent.click(boxOf("thing 3"));
  await act(async () => fireEvent.click(screen.getByRole("button", { name: "下一页" })));
  await act(async () => fireEvent.click(screen.getByRole("button", { name: "上一页" })));
  expect(checkedNames()).toEqual([]);
  expect(screen.queryByText(/^已选/)).toBeNull();
});

test("12 of 14: failed rows are named and stay selected, the others do not", async () => {
  const answer = Promise.withResolvers<BulkResult>();
  const action: BulkAction<Thing> = { key: "a", label: "停用", onSelect: () => answer.promise };
  await renderAt("/?size=20", () => <ThingList read={readAll} bulkActions={[action]} />);
  fireEvent.click(boxOf("thing 1"));
  fireEvent.click(boxOf("thing 14"), { shiftKey: true });
  await act(async () => fireEvent.click(screen.getByRole("button", { name: "停用" })));
  const failed = ["3", "9"].map((id) => ({ id, reason: "正在使用" }));
  await act(async () => answer.resolve({ done: 12, failed }));
  expect(screen.getByText("停用：14 项中已完成 12 项")).toBeTruthy();
  expect(screen.getByText("thing 9：正在使用")).toBeTruthy();
  expect(checkedNames()).toEqual(["选择 thing 3", "选择 thing 9"]);
});

test("a cancelled bulk action leaves the selection", async () => {
  const action: BulkAction<Thing> = { key: "a", label: "删除", onSelect: async () => false };
  await renderAt("/?size=10", () => <ThingList read={readAll} bulkActions={[action]} />);
  fireEvent.click(boxOf("thing 2"));
  await act(async () => fireEvent.click(screen.getByRole("button", { name: "删除" })));
  expect(checkedNames()).toEqual(["选择 thing 2"]);
});

test("selecting a row draws no other row again", async () => {
  const drawn: string[] = [];
  const columns: readonly Column<Thing>[] = [
    {
      id: "name",
      title: "Name",
      rank: 1,
      width: 160,
      cell(row) {
        drawn.push(row.name);
        return row.name;
      },
    },
  ];
  await renderAt("/?size=100", () => (
    <ThingList read={readAll} columns={columns} bulkActions={[note]} />
  ));
  drawn.length = 0;
  fireEvent.click(boxOf("thing 40"));
  expect(new Set(drawn)).toEqual(new Set(["thing 40"]));
});

const chosen: string[] = [];
const actions: readonly RowAction<Thing>[] = ["编辑", "停用", "复制", "删除"].map((label) => ({
  key: label,
  label,
  onSelect: (row) => chosen.push(`${label} ${row.name}`),
  ...(label === "删除"
    ? { disabled: (row: Thing) => (row.id === 2 ? "正在使用，不能删除" : undefined) }
    : {}),
}));

test("a hundred rows share one menu, which acts on the row that opened it", async () => {
  await renderAt("/?size=100", () => <ThingList read={readAll} rowActions={actions} />);
  expect(document.querySelectorAll('[aria-haspopup="menu"][id]').length).toBeLessThanOrEqual(2);
  const more = screen.getByRole("button", { name: "thing 40 的更多操作" });
  await act(async () => fireEvent.click(more));
  const menu = await screen.findByRole("menu");
  expect(
    within(menu)
      .getAllByRole("menuitem")
      .map((item) => item.textContent),
  ).toEqual(["复制", "删除", "在侧边打开"]);
  await act(async () => fireEvent.click(within(menu).getByText("复制")));
  expect(chosen).toEqual(["复制 thing 40"]);
});

test("a right click opens the same menu with every action; a disabled one says why", async () => {
  await renderAt("/", () => <ThingList read={readAll} rowActions={actions} />);
  await act(async () => fireEvent.contextMenu(screen.getByText("thing 2")));
  const menu = await screen.findByRole("menu");
  expect(within(menu).getAllByRole("menuitem")).toHaveLength(5);
  expect(within(menu).getByText("正在使用，不能删除")).toBeTruthy();
});

test("the record's name is a button that opens it, also by keyboard", async () => {
  const opened: string[] = [];
  const open = (row: Thing) => void opened.push(row.name);
  await renderAt("/", () => <ThingList read={readAll} onOpen={open} />);
  fireEvent.click(screen.getByRole("button", { name: "thing 5" }));
  expect(opened).toEqual(["thing 5"]);
});

test("an unfolded row stays unfolded after a reload", async () => {
  const part = () => <ThingList read={readAll} expand={(row) => `more of ${row.name}`} />;
  const { address, unmount } = await renderAt("/", part);
  await act(async () => fireEvent.click(screen.getByRole("button", { name: "thing 3 的详情" })));
  expect(screen.getByText("more of thing 3")).toBeTruthy();
  const link = address();
  unmount();
  await renderAt(link, part);
  expect(screen.getByText("more of thing 3")).toBeTruthy();
});

test("a cell takes the room of columns behind it that say nothing about its row", async () => {
  const columns = thingColumns.map((column) =>
    column.id === "name"
      ? { ...column, over: ({ id }: Thing) => (id === 1 ? ["size"] : []) }
      : column,
  );
  await renderAt("/", () => (
    <ThingList read={(search) => pageOf(makeThings(2), search)} columns={columns} />
  ));
  const spans = screen
    .getAllByRole("row")
    .slice(1)
    .map((row) => [...row.querySelectorAll("th, td")].map((cell) => cell.getAttribute("colspan")));
  expect(spans[0]?.filter((span) => span === "2")).toHaveLength(1);
  expect(spans[1]).not.toContain("2");
  expect(spans[1]).toHaveLength((spans[0]?.length ?? 0) + 1);
});

test("a column that is hidden at first is not drawn", async () => {
  await renderAt("/", () => <ThingList read={readAll} />);
  expect(screen.queryByRole("columnheader", { name: "Note" })).toBeNull();
  expect(screen.queryByText("note of thing 1")).toBeNull();
});

test("a hidden column stays hidden when the columns change, as with a new role", async () => {
  const changed: readonly Column<Thing>[] = [
    ...thingColumns,
    { id: "late", title: "Late", rank: 3, width: 80, cell: () => "late", hidden: true },
  ];
  function Changing() {
    const [columns, setColumns] = useState(thingColumns);
    const change = <button onClick={() => setColumns(changed)}>change</button>;
    return <ThingList read={readAll} columns={columns} actions={change} />;
  }
  await renderAt("/", () => <Changing />);
  fireEvent.click(screen.getByText("change"));
  expect(screen.getAllByRole("columnheader").map((head) => head.textContent)).toEqual([
    "ID",
    "Name",
    "Size",
  ]);
});

test("on a phone a row is two lines with one menu, which also unfolds what they leave out", async () => {
  setWindowWidth(390);
  await renderAt("/?size=10", () => (
    <ThingList read={readAll} rowActions={actions} bulkActions={[note]} />
  ));
  expect(screen.queryByRole("table")).toBeNull();
  const cards = within(screen.getByRole("list", { name: "Things" })).getAllByRole("listitem");
  expect(cards).toHaveLength(10);
  const card = within(cards[1] ?? document.body);
  expect(card.getByText("thing 2")).toBeTruthy();
  expect(card.getByText("37")).toBeTruthy();
  expect(card.queryByText("ID")).toBeNull();
  expect(card.getByRole("checkbox")).toBeTruthy();
  await act(async () => fireEvent.click(card.getByRole("button", { name: "thing 2 的更多操作" })));
  const menu = within(await screen.findByRole("menu"));
  expect(menu.getAllByRole("menuitem").map((item) => item.textContent)).toEqual([
    "详情",
    "编辑",
    "停用",
    "复制",
    "删除正在使用，不能删除",
    "在侧边打开",
  ]);
  await act(async () => fireEvent.click(menu.getByText("详情")));
  await waitFor(() => expect(card.getByText("ID")).toBeTruthy());
});

test("on a phone the two lines show nothing of a column that the row does not have", async () => {
  setWindowWidth(390);
  const size = { card: "lead", has: (row: Thing) => row.id !== 2 } as const;
  const columns = thingColumns.map((column) =>
    column.id === "size" ? { ...column, ...size } : column,
  );
  await renderAt("/?size=10", () => <ThingList read={readAll} columns={columns} />);
  const cards = within(screen.getByRole("list", { name: "Things" })).getAllByRole("listitem");
  const texts = cards
    .slice(0, 2)
    .map((card) => card.querySelector("[data-primary]")?.parentElement);
  expect(texts.map((line) => line?.children.length)).toEqual([2, 1]);
});

test("an unfolded row does not repeat a left-out column whose value its own part has", async () => {
  setWindowWidth(390);
  const columns = thingColumns.map((column) => ({ ...column, isInExpanded: column.id === "id" }));
  const part = () => (
    <ThingList read={readAll} columns={columns} expand={(row) => `more of ${row.id}`} />
  );
  await renderAt("/", part);
  await act(async () => fireEvent.click(screen.getByRole("button", { name: "thing 2 的详情" })));
  expect(screen.getByText("more of 2")).toBeTruthy();
  expect(screen.queryByText("ID")).toBeNull();
});

test("on a phone one menu has what is neither a filter nor a row", async () => {
  setWindowWidth(390);
  await renderAt("/", () => (
    <ThingList read={readAll} fetchPage={async () => ({ items: [], total: 0 })} />
  ));
  await act(async () => fireEvent.click(screen.getByRole("button", { name: "列表菜单" })));
  const menu = within(await screen.findByRole("menu"));
  expect(menu.getAllByRole("menuitem").map((item) => item.textContent)).toEqual([
    "刷新",
    "不自动刷新",
    "每 10 秒",
    "每 30 秒",
    "每 60 秒",
    "已存视图",
    "列与行距",
    "导出 CSV",
  ]);
  await act(async () => fireEvent.click(menu.getByText("列与行距")));
  expect(await screen.findByRole("checkbox", { name: "Size" })).toBeTruthy();
});

test("on a phone one button opens the filters and shows how many are set", async () => {
  setWindowWidth(390);
  const { address } = await renderAt("/?color=red", () => (
    <ThingList read={readAll} filters={[{ name: "color", label: "颜色", kind: "text" }]} />
  ));
  await act(async () => fireEvent.click(screen.getByRole("button", { name: "筛选：1" })));
  const sheet = await screen.findByRole("dialog");
  expect(within(sheet).getByLabelText<HTMLInputElement>("颜色").value).toBe("red");
  await act(async () => fireEvent.click(within(sheet).getByRole("button", { name: "清除筛选" })));
  expect(address()).toBe("/");
});

test("on a phone a list of thousands is drawn a hundred cards at a time", async () => {
  setWindowWidth(390);
  const many = queryOf({ data: { items: makeThings(1_000), total: 1_000 } });
  await renderAt("/", () => <ThingList read={() => many} />);
  expect(screen.getAllByText(/^thing \d+$/)).toHaveLength(100);
  fireEvent.click(screen.getByRole("button", { name: "显示更多（还有 900 条）" }));
  expect(screen.getAllByText(/^thing \d+$/)).toHaveLength(200);
});

/**
 * Runs `run` with a made-up layout, because happy-dom has none: every element is as high as a row
 * or as the frame.
 */
async function withHeights(run: () => Promise<void>): Promise<void> {
  const before = Object.getOwnPropertyDescriptors(HTMLElement.prototype);
  const high = {
    configurable: true,
    get(this: HTMLElement) {
      return this.tagName === "TBODY" ? 41 : 600;
    },
  };
  Object.defineProperties(HTMLElement.prototype, { offsetHeight: high, clientHeight: high });
  try {
    await run();
  } finally {
    Object.defineProperty(HTMLElement.prototype, "offsetHeight", before.offsetHeight);
    Reflect.deleteProperty(HTMLElement.prototype, "clientHeight");
  }
}

test("of a list of thousands only the visible rows are drawn", async () => {
  await withHeights(async () => {
    const many = queryOf({ data: { items: makeThings(5_000), total: 5_000 } });
    await renderAt("/", () => <ThingList read={() => many} />);
    const drawn = () => screen.getAllByText(/^thing \d+$/).length;
    await waitFor(() => expect(drawn()).toBeGreaterThan(10));
    expect(drawn()).toBeLessThan(60);
  });
});
