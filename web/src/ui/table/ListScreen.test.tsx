import { act, fireEvent, screen, waitFor, within } from "#testing/dom.ts";
import { expect, test } from "bun:test";
import { makeThings, pageOf, queryOf, type ThingSearch, ThingList } from "#testing/list.tsx";
import { renderAt } from "#testing/render.tsx";
import type { Filter } from "./column.ts";

const things = makeThings(50);
const readThings = (search: ThingSearch) => pageOf(things, search);
const colors: Filter = {
  name: "color",
  label: "颜色",
  kind: "select",
  items: [
    { value: "red", label: "红" },
    { value: "blue", label: "蓝" },
  ],
};
const failure = Object.assign(new Error("the server did not answer"), { status: 502 });
const refusal = Object.assign(new Error("无权进行此操作，权限不足"), { status: 200 });

function names(): readonly string[] {
  return screen.queryAllByText(/^thing \d+$/).map((element) => element.textContent);
}

test("a pasted link restores filters, page and size", async () => {
  await renderAt("/?keyword=thing&color=red&page=2&size=10", () => (
    <ThingList read={readThings} filters={[colors]} />
  ));
  expect(screen.getByPlaceholderText<HTMLInputElement>("Find things").value).toBe("thing");
  expect(names()[0]).toBe("thing 11");
  expect(names()).toHaveLength(10);
  expect(within(screen.getByRole("list", { name: "已启用的筛选" })).getByText("红")).toBeTruthy();
});

test("a search stands in the address, on page 1, and Back ends the search", async () => {
  const { address, back } = await renderAt("/?page=3&size=10", () => (
    <ThingList read={readThings} />
  ));
  await act(async () => fireEvent.click(screen.getByRole("button", { name: "下一页" })));
  expect(address()).toBe("/?page=4&size=10");
  const input = screen.getByPlaceholderText("Find things");
  fireEvent.change(input, { target: { value: "thing 4" } });
  await act(async () => fireEvent.keyDown(input, { key: "Enter" }));
  expect(address()).toBe("/?size=10&keyword=thing+4");
  await back();
  expect(address()).toBe("/?page=3&size=10");
});

test("O-089 O-167: Enter in a search that has not changed asks again, also with all fields empty", async () => {
  let asked = 0;
  const refetch = () => asked++;
  const note: Filter = { name: "color", label: "Color", kind: "text" };
  const { address } = await renderAt("/", () => (
    <ThingList read={(search) => ({ ...readThings(search), refetch })} filters={[note]} />
  ));
  const enter = (field: HTMLElement) => act(async () => fireEvent.keyDown(field, { key: "Enter" }));
  await enter(screen.getByPlaceholderText("Find things"));
  await enter(screen.getByPlaceholderText("Color"));
  expect([asked, address()]).toEqual([2, "/"]);
  fireEvent.change(screen.getByPlaceholderText("Color"), { target: { value: "red" } });
  await enter(screen.getByPlaceholderText("Color"));
  expect([asked, address()]).toEqual([2, "/?color=red"]);
});

test("a provider's key that is typed into any search or text filter stands in no address and no query", async () => {
  const note: Filter = { name: "color", label: "Color", kind: "text" };
  const read: string[] = [];
  const { address } = await renderAt("/", () => (
    <ThingList
      read={(search) => {
        read.push(search.keyword, search.color);
        return readThings(search);
      }}
      filters={[note]}
    />
  ));
  for (const name of ["Find things", "Color"]) {
    const field = screen.getByPlaceholderText<HTMLInputElement>(name);
    fireEvent.change(field, { target: { value: "sk-Rc6l9abcdefghijklmnop1234" } });
    await act(async () => fireEvent.keyDown(field, { key: "Enter" }));
    expect(field.value).toBe("sk-Rc6l••••1234");
  }
  expect(address()).not.toContain("9abcdefghijklmnop");
  expect(read.join(" ")).not.toContain("9abcdefghijklmnop");
});

test("a search waits for the last key, and for a character that is still being composed", async () => {
  const { address } = await renderAt("/", () => <ThingList read={readThings} />);
  const input = screen.getByPlaceholderText("Find things");
  fireEvent.compositionStart(input);
  fireEvent.change(input, { target: { value: "shu" } });
  fireEvent.keyDown(input, { key: "Enter" });
  expect(address()).toBe("/");
  fireEvent.change(input, { target: { value: "书" } });
  fireEvent.compositionEnd(input);
  await waitFor(() => expect(address()).toBe(`/?keyword=${encodeURIComponent("书")}`));
});

test("filters can be cleared one by one and all at once", async () => {
  const { address } = await renderAt("/?keyword=thing&color=red", () => (
    <ThingList read={readThings} filters={[colors]} />
  ));
  await act(async () => fireEvent.click(screen.getByRole("button", { name: "移除筛选：颜色" })));
  expect(address()).toBe("/?keyword=thing");
  expect(screen.queryByRole("button", { name: "清除筛选" })).toBeNull();
});

test("deleting the last rows of the last page shows the page before", async () => {
  const { address } = await renderAt("/?page=6&size=10", () => <ThingList read={readThings} />);
  await waitFor(() => expect(address()).toBe("/?page=5&size=10"));
  expect(names()[0]).toBe("thing 41");
});

test("an empty page does not step back while it is still being read", async () => {
  const { address } = await renderAt("/?page=6&size=10", () => (
    <ThingList read={(search) => ({ ...readThings(search), isFetching: true })} />
  ));
  await act(async () => {});
  expect(address()).toBe("/?page=6&size=10");
});

test("Escape closes what the address opened, but not while somebody types in a field", async () => {
  const { address } = await renderAt("/?open=gone&expanded=3", () => (
    <ThingList read={readThings} expand={(row) => `more of ${row.name}`} />
  ));
  expect(screen.getByText("more of thing 3")).toBeTruthy();
  fireEvent.keyDown(screen.getByPlaceholderText("Find things"), { key: "Escape" });
  expect(address()).toBe("/?open=gone&expanded=3");
  await act(async () => fireEvent.keyDown(document.body, { key: "Escape" }));
  expect(address()).toBe("/?expanded=3");
  await act(async () => fireEvent.keyDown(document.body, { key: "Escape" }));
  expect(address()).toBe("/");
  expect(screen.queryByText("more of thing 3")).toBeNull();
});

test("A-372 A-450: a page size counts for every list and keeps the top row in sight", async () => {
  const { address } = await renderAt("/?page=3&size=10", () => <ThingList read={readThings} />);
  await act(async () => fireEvent.click(screen.getByRole("combobox", { name: "每页条数" })));
  const sizes = screen.getAllByRole("option").map(({ textContent }) => textContent);
  expect(sizes).toEqual(["10 条/页", "20 条/页", "50 条/页", "100 条/页"]);
  const option = screen.getByRole("option", { name: "20 条/页" });
  fireEvent.pointerDown(option);
  await act(async () => fireEvent.click(option));
  expect(localStorage.getItem("page-size")).toBe("20");
  expect(address()).toBe("/?page=2&size=20");
  expect(names()[0]).toBe("thing 21");
});

test("the first load shows the real columns without rows, and does not say that there are none", async () => {
  await renderAt("/", () => <ThingList read={() => queryOf({ isFetching: true })} />);
  expect(screen.getByRole("columnheader", { name: "Name" })).toBeTruthy();
  expect(screen.getByRole("table").getAttribute("aria-busy")).toBe("true");
  expect(screen.queryByText("No things yet")).toBeNull();
});

test("old rows stay while they are read again, and when that fails", async () => {
  await renderAt("/", () => (
    <ThingList read={(search) => ({ ...readThings(search), error: failure })} />
  ));
  expect(names()).toHaveLength(20);
  expect(screen.getByRole("alert").textContent).toContain("the server did not answer");
});

test("an empty list says what would be there; an empty search offers to clear the filters", async () => {
  const first = await renderAt("/", () => <ThingList read={(search) => pageOf([], search)} />);
  expect(screen.getByText("No things yet")).toBeTruthy();
  first.unmount();
  const { address } = await renderAt("/?keyword=zebra", () => <ThingList read={readThings} />);
  expect(screen.queryByText("No things yet")).toBeNull();
  await act(async () => fireEvent.click(screen.getByRole("button", { name: "清除筛选" })));
  expect(address()).toBe("/");
});

test("an empty list and an empty search show different pictures, each with one next step", async () => {
  const none = () => <ThingList read={(search) => pageOf([], search)} />;
  const pictures = () =>
    [...document.querySelectorAll("[data-picture]")].map((each) =>
      each.getAttribute("data-picture"),
    );
  await renderAt("/", none);
  await waitFor(() => expect(pictures()).toEqual(["quiet"]));
  expect(screen.getByRole("button", { name: "Add" })).toBeTruthy();
  await renderAt("/?keyword=x", none);
  await waitFor(() => expect(pictures()).toEqual(["sieve"]));
  expect(screen.queryByRole("button", { name: "Add" })).toBeNull();
  expect(screen.getByRole("button", { name: "清除筛选" })).toBeTruthy();
});

test("a list that has only begun says what to do next, a longer or a filtered one does not", async () => {
  const few = { title: "Go on", description: "with these things", action: null };
  const hint = async (count: number, at = "/") => {
    const some = makeThings(count);
    await renderAt(at, () => <ThingList read={(search) => pageOf(some, search)} few={few} />);
    return screen.queryByRole("complementary", { name: "Go on" }) !== null;
  };
  expect(await hint(3)).toBe(true);
  expect(await hint(0)).toBe(false);
  expect(await hint(4)).toBe(false);
  expect(await hint(3, "/?keyword=thing")).toBe(false);
});

test("a failure can be tried again; a refusal only shows its message", async () => {
  let asked = 0;
  const refetch = () => asked++;
  const failed = await renderAt("/", () => (
    <ThingList read={() => queryOf({ error: failure, refetch })} />
  ));
  fireEvent.click(screen.getByRole("button", { name: "重试" }));
  expect(asked).toBe(1);
  failed.unmount();
  await renderAt("/", () => <ThingList read={() => queryOf({ error: refusal })} />);
  expect(screen.getByText("无权进行此操作，权限不足")).toBeTruthy();
  expect(screen.queryByRole("button", { name: "重试" })).toBeNull();
});

test("without a network the rows stay with a banner, and are read again when it is back", async () => {
  let online = false;
  Object.defineProperty(navigator, "onLine", { configurable: true, get: () => online });
  let asked = 0;
  const refetch = () => asked++;
  await renderAt("/", () => (
    <ThingList read={(search) => ({ ...readThings(search), error: failure, refetch })} />
  ));
  expect(screen.getByText("网络已断开")).toBeTruthy();
  expect(names()).toHaveLength(20);
  online = true;
  await act(async () => dispatchEvent(new Event("online")));
  expect(asked).toBe(1);
  expect(screen.queryByText("网络已断开")).toBeNull();
});

test("without a total there is a next page as long as pages are full", async () => {
  const read = (search: ThingSearch) => {
    const { data, ...rest } = readThings(search);
    return { ...rest, data: { items: data?.items ?? [], total: null } };
  };
  await renderAt("/?page=2&size=20", () => <ThingList read={read} />);
  const next = screen.getByRole<HTMLButtonElement>("button", { name: "下一页" });
  expect(next.disabled).toBe(false);
  await act(async () => fireEvent.click(next));
  expect(screen.getByRole<HTMLButtonElement>("button", { name: "下一页" }).disabled).toBe(true);
});

test("a capped total shows as at least that many, and does not end the list", async () => {
  const read = () => queryOf({ data: { items: things.slice(0, 20), total: 20, capped: true } });
  await renderAt("/", () => <ThingList read={read} />);
  expect(screen.getByText("第 1–20 条，共 20+ 条")).toBeTruthy();
  expect(screen.getByRole<HTMLButtonElement>("button", { name: "下一页" }).disabled).toBe(false);
});

test("sorting starts with the largest on page 1; the third click restores the server's order", async () => {
  const { address } = await renderAt("/?page=2&size=20", () => <ThingList read={readThings} />);
  const press = () =>
    act(async () => fireEvent.click(screen.getByRole("button", { name: "Name" })));
  const sorted = () => screen.getByRole("columnheader", { name: "Name" }).getAttribute("aria-sort");
  await press();
  expect(address()).toBe("/?sort=-name");
  expect(sorted()).toBe("descending");
  await press();
  expect(sorted()).toBe("ascending");
  await press();
  expect(address()).toBe("/");
});
