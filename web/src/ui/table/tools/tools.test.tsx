/**
 * Tests the tools of a list as a user uses them: columns, views, CSV file, keys, and bulk actions
 * on all matching rows.
 */

import { act, fireEvent, screen, waitFor, within } from "#testing/dom.ts";
import { afterEach, expect, test } from "bun:test";
import { makeThings, pageOf, type Thing, ThingList, type ThingSearch } from "#testing/list.tsx";
import { renderAt } from "#testing/render.tsx";
import type { BulkAction, Column, FetchPage, RowAction } from "#ui/table/column.ts";

const things = makeThings(250);
const readThings = (search: ThingSearch) => pageOf(things, search);
const fetchThings: FetchPage<Thing> = async ({ page, size }) => ({
  items: things.slice((page - 1) * size, page * size),
  total: things.length,
});
const columns: readonly Column<Thing>[] = [
  {
    id: "id",
    title: "ID",
    rank: 1,
    width: 40,
    cell: (row) => row.id,
    csv: (row) => String(row.id),
  },
  {
    id: "name",
    title: "Name",
    rank: 1,
    width: 160,
    cell: (row) => row.name,
    card: "title",
    csv: (row) => row.name,
  },
  {
    id: "size",
    title: "Size",
    rank: 2,
    width: 80,
    cell: (row) => row.size,
    csv: (row) => `=${row.size}`,
  },
];

const heads = () =>
  screen.getAllByRole("columnheader").map((head) => head.textContent.replace(/^操作$/, ""));

async function open(name: string, title: string): Promise<HTMLElement> {
  await act(async () => fireEvent.click(screen.getByRole("button", { name })));
  return await screen.findByRole("dialog", { name: title });
}

async function press(key: string, options: object = {}): Promise<void> {
  const target = document.activeElement ?? document.body;
  await act(async () => fireEvent.keyDown(target, { key, ...options }));
}

const saved: { readonly name: string; readonly content: Blob }[] = [];
const { createObjectURL } = URL;
const click = HTMLAnchorElement.prototype.click;
afterEach(() => {
  URL.createObjectURL = createObjectURL;
  HTMLAnchorElement.prototype.click = click;
  saved.length = 0;
});

/** Replaces downloading, so that the test sees the files. */
function catchFiles(): void {
  let content = new Blob();
  URL.createObjectURL = (blob) => {
    if (blob instanceof Blob) content = blob;
    return "blob:test";
  };
  HTMLAnchorElement.prototype.click = function keep() {
    saved.push({ name: this.download, content });
  };
}

test("a hidden column stays hidden after a reload, and reset brings it back", async () => {
  const first = await renderAt("/", () => <ThingList read={readThings} columns={columns} />);
  const chooser = await open("列与行距", "列与行距");
  await act(async () => fireEvent.click(within(chooser).getByRole("checkbox", { name: "Size" })));
  expect(heads()).toEqual(["ID", "Name"]);
  expect(within(chooser).getByRole<HTMLInputElement>("checkbox", { name: "Name" }).disabled).toBe(
    true,
  );
  first.unmount();
  await renderAt("/", () => <ThingList read={readThings} columns={columns} />);
  expect(heads()).toEqual(["ID", "Name"]);
  const again = await open("列与行距", "列与行距");
  await act(async () => fireEvent.click(within(again).getByRole("button", { name: "恢复默认" })));
  expect(heads()).toEqual(["ID", "Name", "Size"]);
});

test("columns can be moved by keyboard alone, and keep the focus", async () => {
  await renderAt("/", () => <ThingList read={readThings} columns={columns} />);
  const chooser = await open("列与行距", "列与行距");
  const down = within(chooser).getByRole("button", { name: "下移 ID" });
  down.focus();
  await act(async () => fireEvent.click(down));
  expect(heads()).toEqual(["Name", "ID", "Size"]);
  expect(document.activeElement?.getAttribute("aria-label")).toBe("下移 ID");
  within(chooser).getByRole("checkbox", { name: "ID" }).focus();
  await press("ArrowDown", { altKey: true });
  expect(heads()).toEqual(["Name", "Size", "ID"]);
  expect(within(chooser).getByText("ID：第 3 位，共 3 位")).toBeTruthy();
});

test("the dense rows of one table leave other tables alone", async () => {
  await renderAt("/", () => <ThingList read={readThings} columns={columns} />);
  const chooser = await open("列与行距", "列与行距");
  await act(async () => fireEvent.click(within(chooser).getByRole("button", { name: "紧凑" })));
  expect(document.querySelector("[data-density]")?.getAttribute("data-density")).toBe("compact");
  expect(localStorage.getItem("table:things")).toContain("compact");
  expect(localStorage.getItem("table:others")).toBeNull();
});

test("a saved view restores filters, order and columns, and is marked while they are its own", async () => {
  const { address, goTo } = await renderAt("/?keyword=thing+1&sort=-name", () => (
    <ThingList read={readThings} columns={columns} />
  ));
  const views = await open("已存视图", "已存视图");
  const field = within(views).getByRole("textbox", { name: "视图名称" });
  fireEvent.change(field, { target: { value: "ones" } });
  await act(async () => fireEvent.submit(field));
  const mark = () => screen.getByRole("button", { name: "ones" }).getAttribute("aria-current");
  expect(mark()).toBe("true");
  await goTo("/?keyword=other");
  expect(mark()).toBeNull();
  await act(async () => fireEvent.click(screen.getByRole("button", { name: "ones" })));
  expect(address()).toBe("/?keyword=thing+1&sort=-name");
});

test("a view can be renamed and deleted, and a deleted one restored", async () => {
  const kept = [{ name: "old", search: { keyword: "a" }, columns: null }];
  localStorage.setItem("table-views:things", JSON.stringify(kept));
  await renderAt("/", () => <ThingList read={readThings} />);
  const views = await open("已存视图", "已存视图");
  await act(async () =>
    fireEvent.click(within(views).getByRole("button", { name: "重命名视图 old" })),
  );
  const field = within(views).getByRole("textbox", { name: "重命名视图 old" });
  fireEvent.change(field, { target: { value: "new" } });
  await act(async () => fireEvent.submit(field));
  await act(async () =>
    fireEvent.click(within(views).getByRole("button", { name: "删除视图 new" })),
  );
  expect(localStorage.getItem("table-views:things")).toBe("[]");
  await act(async () => fireEvent.click(await screen.findByRole("button", { name: "撤销" })));
  expect(localStorage.getItem("table-views:things")).toContain('"name":"new"');
});

test("the file has every row of the filters, in the visible columns", async () => {
  catchFiles();
  localStorage.setItem(
    "table:things",
    JSON.stringify({
      columns: [
        { id: "size", shown: true },
        { id: "id", shown: false },
      ],
    }),
  );
  await renderAt("/?size=10", () => (
    <ThingList read={readThings} columns={columns} fetchPage={fetchThings} />
  ));
  await act(async () => fireEvent.click(screen.getByRole("button", { name: "导出 CSV" })));
  await waitFor(() => expect(saved).toHaveLength(1));
  const bytes = new Uint8Array(await (saved[0]?.content ?? new Blob()).arrayBuffer());
  expect(bytes.slice(0, 3)).toEqual(new Uint8Array([0xef, 0xbb, 0xbf]));
  const lines = new TextDecoder().decode(bytes).split("\r\n");
  expect(lines[0]).toBe("Size,Name");
  expect(lines[1]).toBe("'=0,thing 1");
  expect(lines).toHaveLength(252);
  expect(saved[0]?.name).toMatch(/^things-\d{4}-\d\d-\d\d-\d{4}\.csv$/);
  expect(await screen.findByText("已导出 250 行")).toBeTruthy();
});

test("a cancelled export leaves no file and no error", async () => {
  catchFiles();
  const never: FetchPage<Thing> = (_, signal) =>
    new Promise((_resolve, reject) => {
      signal.addEventListener("abort", () => reject(new Error("gone")));
    });
  await renderAt("/", () => <ThingList read={readThings} columns={columns} fetchPage={never} />);
  await act(async () => fireEvent.click(screen.getByRole("button", { name: "导出 CSV" })));
  await act(async () => fireEvent.click(await screen.findByRole("button", { name: "取消导出" })));
  await waitFor(() => expect(screen.queryByRole("button", { name: "取消导出" })).toBeNull());
  expect(saved).toEqual([]);
  expect(screen.queryByText("gone")).toBeNull();
});

test("a bulk action can take all matching rows; deselecting a row goes back to the page", async () => {
  const given: (readonly Thing[])[] = [];
  const action: BulkAction<Thing> = {
    key: "note",
    label: "记下",
    onSelect: (rows) => {
      given.push(rows);
      return { done: 240, failed: [] };
    },
  };
  await renderAt("/?size=10", () => (
    <ThingList read={readThings} bulkActions={[action]} fetchPage={fetchThings} />
  ));
  const head = screen.getByRole("checkbox", { name: "选择本页全部" });
  await act(async () => fireEvent.click(head));
  await act(async () => fireEvent.click(screen.getByRole("button", { name: "选择全部 250 项" })));
  expect(screen.getByText("已选全部 250 项")).toBeTruthy();
  const box = screen.getByRole("checkbox", { name: "选择 thing 3" });
  await act(async () => fireEvent.click(box));
  expect(screen.getByText("已选 9 项")).toBeTruthy();
  await act(async () => fireEvent.click(box));
  expect(screen.getByText("已选 10 项")).toBeTruthy();
  await act(async () => fireEvent.click(screen.getByRole("button", { name: "选择全部 250 项" })));
  await act(async () => fireEvent.click(screen.getByRole("button", { name: "记下" })));
  await waitFor(() => expect(given[0]).toHaveLength(250));
  expect(await screen.findByText("记下：250 项中已完成 240 项")).toBeTruthy();
});

test("O-098: bulk actions can be shown before a row is selected, and then say what they need", async () => {
  const given: number[] = [];
  const noted = (rows: readonly Thing[]) => void given.push(rows.length);
  const actions: readonly BulkAction<Thing>[] = [
    { key: "note", label: "记下", unselected: "请先选择要记下的！", onSelect: noted },
    { key: "read", label: "读过", onSelect: noted },
  ];
  const bar = () => screen.queryAllByRole("region", { name: "批量操作" }).length;
  const press = async (name: string) =>
    await act(async () => fireEvent.click(screen.getByRole("button", { name })));
  await renderAt("/?size=10", () => <ThingList read={readThings} bulkActions={actions} />);
  expect(bar()).toBe(0);
  await press("批量操作");
  await press("记下");
  expect((await screen.findAllByText("请先选择要记下的！")).length).toBeGreaterThan(0);
  await press("读过");
  expect((await screen.findAllByText("请先选择至少一项！")).length).toBeGreaterThan(0);
  expect(given).toEqual([]);
  await act(async () => fireEvent.click(screen.getByRole("checkbox", { name: "选择 thing 3" })));
  await press("取消选择");
  expect(bar()).toBe(1);
  await act(async () => fireEvent.click(screen.getByRole("checkbox", { name: "选择 thing 3" })));
  await press("记下");
  expect([given, bar()]).toEqual([[1], 1]);
  await press("结束批量操作");
  expect(bar()).toBe(0);
});

test("a screen that cannot read further pages offers neither all matching rows nor a file", async () => {
  const action: BulkAction<Thing> = { key: "note", label: "记下", onSelect: () => {} };
  await renderAt("/?size=10", () => <ThingList read={readThings} bulkActions={[action]} />);
  await act(async () => fireEvent.click(screen.getByRole("checkbox", { name: "选择本页全部" })));
  expect(screen.queryByRole("button", { name: /选择全部/ })).toBeNull();
  expect(screen.queryByRole("button", { name: "导出 CSV" })).toBeNull();
});

test("j and k move between rows, x selects, with Shift a range, Enter opens and e edits", async () => {
  const done: string[] = [];
  const edit: RowAction<Thing> = {
    key: "edit",
    label: "编辑",
    onSelect: (row) => void done.push(`edit ${row.name}`),
  };
  const action: BulkAction<Thing> = { key: "note", label: "记下", onSelect: () => {} };
  await renderAt("/?size=10", () => (
    <ThingList
      read={readThings}
      rowActions={[edit]}
      bulkActions={[action]}
      onOpen={(row) => void done.push(`open ${row.name}`)}
    />
  ));
  for (const key of ["j", "j", "x", "j", "j", "k"]) await press(key);
  expect(document.activeElement?.getAttribute("data-row")).toBe("3");
  await press("e");
  await press("Enter");
  expect(done).toEqual(["edit thing 3", "open thing 3"]);
  await press("j");
  await press("X", { shiftKey: true });
  expect(screen.getByText("已选 3 项")).toBeTruthy();
});

test("a key typed in a field or pressed in a dialog is no command", async () => {
  await renderAt("/", () => <ThingList read={readThings} />);
  const search = screen.getByPlaceholderText<HTMLInputElement>("Find things");
  search.focus();
  await press("j");
  expect(document.activeElement === search).toBe(true);
  search.blur();
  await press("?");
  const help = await screen.findByRole("dialog", { name: "键盘快捷键" });
  await act(async () => fireEvent.keyDown(document.body, { key: "j" }));
  expect(document.querySelector("[data-row]:focus")).toBeNull();
  await act(async () => fireEvent.keyDown(document.body, { key: "/" }));
  expect(document.activeElement === search).toBe(false);
  await act(async () => fireEvent.keyDown(help, { key: "Escape" }));
  await waitFor(() => expect(screen.queryByRole("dialog")).toBeNull());
  await act(async () => fireEvent.keyDown(document.body, { key: "j" }));
  expect(document.querySelector("[data-row]:focus")).not.toBeNull();
});
