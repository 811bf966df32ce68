import "#testing/dom.ts";
import { expect, test } from "bun:test";
import { z } from "zod";
import { expandedIds, toggleExpanded } from "./rows/expanded.ts";
import { listSearch, patchAddress } from "./list-search.ts";
import { pageSizeKey, storePageSize } from "./pages/page-size.ts";

const schema = listSearch.extend({
  keyword: z.string().catch(""),
  status: z.coerce.number().int().catch(0),
});

test("a changed filter leads to page 1", () => {
  const address = { page: "7", size: "20", keyword: "a" };
  expect(patchAddress(schema, address, { keyword: "ab" })).toEqual({ keyword: "ab" });
  expect(patchAddress(schema, address, { status: "2" })).toMatchObject({ status: 2 });
  expect(patchAddress(schema, address, { status: "2" })).not.toHaveProperty("page");
});

test("sorting by another column, opening and unfolding keep the page", () => {
  const address = { page: "7", keyword: "a" };
  expect(patchAddress(schema, address, { open: "12" })).toMatchObject({ page: 7, open: "12" });
  expect(patchAddress(schema, address, { sort: "-name" })).toMatchObject({ page: 7 });
  expect(patchAddress(schema, address, { expanded: "3" })).toMatchObject({ page: 7 });
  expect(patchAddress(schema, address, { keyword: "a" })).toMatchObject({ page: 7 });
});

test("a provider's key that is pasted into any filter does not stand in the address", () => {
  const key = "sk-Rc6l9abcdefghijklmnopqrst12345678";
  const { keyword } = patchAddress(schema, {}, { keyword: key });
  expect(keyword).toContain("••••");
  expect(patchAddress(schema, {}, { keyword })).toEqual({ keyword });
  expect(patchAddress(schema, {}, { keyword: "gpt-4o" })).toEqual({ keyword: "gpt-4o" });
});

test("defaults are left out, so that a plain list has a plain address", () => {
  expect(patchAddress(schema, { keyword: "a", open: "3" }, { keyword: "", open: "" })).toEqual({});
  expect(patchAddress(schema, { status: "2" }, { status: undefined })).toEqual({});
  expect(patchAddress(schema, { status: "2" }, { status: "0" })).toEqual({});
});

test("a link to a later page names its size, because another user's pages may be longer", () => {
  expect(patchAddress(schema, {}, { page: 3 })).toEqual({ page: 3, size: 20 });
  storePageSize(50);
  expect(patchAddress(schema, {}, { page: 3 })).toEqual({ page: 3, size: 50 });
});

test("A-451 O-639: without a size in the address the stored one counts, on every list", () => {
  expect(listSearch.parse({}).size).toBe(20);
  localStorage.setItem(pageSizeKey, "100");
  expect(listSearch.parse({}).size).toBe(100);
  expect(listSearch.parse({ size: "10" }).size).toBe(10);
});

test("an address edited by hand never breaks a list", () => {
  localStorage.setItem(pageSizeKey, "7");
  const search = schema.parse({ page: "-3", size: "33", sort: ["x"], status: "x", open: 4 });
  expect(search).toEqual({
    page: 1,
    size: 20,
    sort: "",
    open: "",
    peek: "",
    expanded: "",
    keyword: "",
    status: 0,
  });
});

test("values of others in the address stay there", () => {
  expect(patchAddress(schema, { lang: "en" }, { keyword: "a" })).toEqual({
    lang: "en",
    keyword: "a",
  });
});

test("ids of unfolded rows survive the address, whatever characters they have", () => {
  const text = toggleExpanded(toggleExpanded("", "a,b"), "50%");
  expect(expandedIds(text)).toEqual(["a,b", "50%"]);
  expect(expandedIds(toggleExpanded(text, "a,b"))).toEqual(["50%"]);
  expect(expandedIds("%E0%A4%A")).toEqual(["%E0%A4%A"]);
});

test("an address keeps at most twenty rows unfolded", () => {
  let text = "";
  for (let id = 1; id <= 25; id++) text = toggleExpanded(text, String(id));
  expect(expandedIds(text)).toHaveLength(20);
  expect(expandedIds(text).at(-1)).toBe("25");
});
