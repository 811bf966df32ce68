import { expect, test } from "bun:test";
import { defaultPriceList } from "@tollgate/contract/default-prices.ts";
import { readBook } from "@tollgate/contract/price-book.ts";
import { writePriceBook } from "@tollgate/contract/price-book-writer.ts";
import { catalogueReader } from "./open-catalogue.ts";

const day = "2026-11-29";
const catalogue = await catalogueReader("", { error: () => {} })();

test("every price of the catalogue becomes a price list and back without a change", () => {
  const all = catalogue
    .list(day)
    .flatMap((of) => [of.prices, ...of.later.map(({ prices }) => prices)]);
  const books = all.map((prices, index) => [`m${index}`, prices] as const);

  const { list, refused } = writePriceBook(defaultPriceList, books);

  expect(Object.fromEntries(refused)).toEqual({});
  expect(books.length).toBeGreaterThan(1_600);
  for (const [model, prices] of books)
    expect([model, readBook(list, model)]).toEqual([model, prices]);
});
