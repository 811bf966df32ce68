import { act, fireEvent, screen, waitFor } from "#testing/dom.ts";
import { expect, test } from "bun:test";
import { makeThings, pageOf, type Thing, type ThingSearch, ThingList } from "#testing/list.tsx";
import { renderAt } from "#testing/render.tsx";
import { SidePlace } from "#ui/layout/SidePlace.tsx";
import type { RowAction } from "#ui/table/column.ts";

const things = makeThings(25);
const readThings = (search: ThingSearch) => pageOf(things, search);
const edited: string[] = [];
const actions: readonly RowAction<Thing>[] = [
  { key: "edit", label: "编辑", onSelect: (row) => edited.push(row.name) },
];

async function show(at: string, read = readThings) {
  return await renderAt(at, () => (
    <>
      <ThingList read={read} rowActions={actions} expand={(row) => `more about ${row.name}`} />
      <SidePlace />
    </>
  ));
}

const record = (name: string) =>
  screen.findByRole("complementary", { name: `记录：${name}` }, { timeout: 10_000 });
const press = (key: string, target: Element = document.activeElement ?? document.body) =>
  act(async () => fireEvent.keyDown(target, { key }));
const rowOf = (id: number) => document.querySelector<HTMLElement>(`[data-row="${id}"]`);

test("Space opens the row's record beside the list, with what the table leaves out", async () => {
  const { address } = await show("/?size=10");
  await press("j");
  await press(" ");
  const panel = await record("thing 1");
  expect(address()).toBe("/?size=10&peek=1");
  expect(panel.textContent).toContain("note of thing 1");
  expect(panel.textContent).toContain("more about thing 1");
  expect(panel.textContent).toContain("第 1 条，共 25 条");
  expect(document.activeElement === panel).toBe(true);
  expect(rowOf(1)?.getAttribute("aria-current")).toBe("true");
});

test("j and k walk through the records in the list's order, past the ends of the page", async () => {
  const { address } = await show("/?size=10&peek=9");
  await record("thing 9");
  await press("j");
  await record("thing 10");
  await press("j");
  await record("thing 11");
  expect(address()).toContain("page=2");
  expect(address()).toContain("peek=11");
  await press("k");
  await record("thing 10");
  expect(address()).not.toContain("page=2");
});

test("the walk ends at the first and the last record", async () => {
  const { address } = await show("/?size=10&page=3&peek=25");
  await record("thing 25");
  const next = screen.getByRole<HTMLButtonElement>("button", { name: "下一条（J）" });
  expect(next.disabled).toBe(true);
  await press("j");
  expect(address()).toContain("peek=25");
  await renderAt("/", () => null);
  await show("/?size=10&peek=1");
  await record("thing 1");
  expect(screen.getByRole<HTMLButtonElement>("button", { name: "上一条（K）" }).disabled).toBe(
    true,
  );
});

test("a page that is still being read shows its first record only once it is there", async () => {
  const late = (search: ThingSearch) =>
    search.page === 2
      ? { ...pageOf(things, { ...search, page: 1 }), isPlaceholderData: true, isFetching: true }
      : pageOf(things, search);
  const { address } = await show("/?size=10&peek=10", late);
  const panel = await record("thing 10");
  await press("j");
  expect(address()).toContain("page=2");
  expect(address()).toContain("peek=10");
  expect(panel.getAttribute("aria-busy")).toBe("true");
});

test("Escape closes the record, and the focus goes to its row", async () => {
  const { address } = await show("/?size=10&peek=2");
  await record("thing 2");
  await press("j");
  await record("thing 3");
  await press("Escape");
  expect(address()).toBe("/?size=10");
  expect(screen.queryByRole("complementary")).toBeNull();
  await waitFor(() => expect(document.activeElement?.getAttribute("data-row")).toBe("3"));
});

test("the record's keys do nothing while the user types in a field", async () => {
  const { address } = await show("/?size=10&peek=2");
  await record("thing 2");
  const field = screen.getByPlaceholderText("Find things");
  for (const key of ["j", "k", "e", " ", "Escape"]) await press(key, field);
  expect(address()).toBe("/?size=10&peek=2");
  expect(edited).toEqual([]);
});

test("e edits the open record, not the row that had the focus", async () => {
  await show("/?size=10&peek=4");
  await record("thing 4");
  await press("e");
  expect(edited.splice(0)).toEqual(["thing 4"]);
});

test("a press on a row opens its record; presses on what is in the row do not", async () => {
  const { address } = await show("/?size=10");
  const row = rowOf(5);
  if (row === null) throw new Error("no row");
  const [edit, unfold] = [
    screen.getByRole("button", { name: "编辑：thing 5" }),
    screen.getByRole("button", { name: "thing 5 的详情" }),
  ];
  await act(async () => fireEvent.click(edit));
  await act(async () => fireEvent.click(unfold.closest("td") ?? unfold));
  expect(address()).toBe("/?size=10");
  await act(async () => fireEvent.click(row.querySelector("td:nth-child(3)") ?? row));
  await record("thing 5");
  expect(address()).toBe("/?size=10&peek=5");
  edited.length = 0;
});

test("a record that is not on the page is not invented", async () => {
  await show("/?size=10&peek=99");
  await record("这条记录不在当前页");
  await act(async () => fireEvent.click(screen.getByRole("button", { name: "返回列表" })));
  expect(screen.queryByRole("complementary")).toBeNull();
});
