import "#testing/dom.ts";
import { expect, test } from "bun:test";
import {
  isSameView,
  renameView,
  storedViews,
  type View,
  viewPatch,
  viewSearch,
  viewsMax,
  withView,
} from "./views.ts";

const names = ["page", "size", "sort", "open", "expanded", "keyword", "group"];
const vip: View = { name: "vip", search: { group: "vip", sort: "-name" }, columns: null };

test("a view holds filters and order, not the page or the open record", () => {
  const address = { page: 3, size: 50, open: "7", sort: "-name", group: "vip", other: "x" };
  expect(viewSearch(address, names)).toEqual({ group: "vip", sort: "-name" });
});

test("applying a view clears the filters it does not have, and goes to page 1", () => {
  expect(viewPatch(vip, names)).toEqual({
    sort: "-name",
    keyword: undefined,
    group: "vip",
    page: 1,
    expanded: undefined,
  });
});

test("a view is marked as long as filters, order and columns are its own", () => {
  const search = viewSearch({ sort: "-name", group: "vip" }, names);
  expect(isSameView(vip, { search, columns: null })).toBe(true);
  expect(isSameView(vip, { search, columns: [{ id: "id", shown: false }] })).toBe(false);
});

test("an invalid stored view is dropped, the others are kept", () => {
  const kept = [vip, { name: "", search: {} }, 7, { name: "x".repeat(41), search: {} }, null];
  localStorage.setItem("table-views:things", JSON.stringify(kept));
  expect(storedViews.read("things")).toEqual([vip]);
  localStorage.setItem("table-views:things", "{not json");
  expect(storedViews.read("things")).toEqual([]);
});

test("the number of views is limited", () => {
  const many = Array.from({ length: viewsMax + 5 }, (_, at) => ({ ...vip, name: `view ${at}` }));
  localStorage.setItem("table-views:things", JSON.stringify(many));
  expect(storedViews.read("things")).toHaveLength(viewsMax);
  expect(withView(many.slice(0, viewsMax), { ...vip, name: "new" })).toHaveLength(viewsMax);
});

test("saving under an existing name replaces the view; renaming cannot make two of one name", () => {
  const changed = { ...vip, search: {} };
  expect(withView([vip], changed)).toEqual([changed]);
  const other = { ...vip, name: "other" };
  expect(renameView([vip, other], "vip", "other")).toBeNull();
  expect(renameView([vip, other], "vip", " ")).toBeNull();
  expect(renameView([vip, other], "vip", " new ")?.map(({ name }) => name)).toEqual([
    "new",
    "other",
  ]);
});
