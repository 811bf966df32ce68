import { expect, test } from "bun:test";
import { defaultPriceList } from "@tollgate/contract/money/default-prices.ts";
import { readBook } from "@tollgate/contract/money/price-book.ts";
import { writePriceBook } from "@tollgate/contract/money/price-book-writer.ts";
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
  const read = books.map(([model]) => [model, readBook(list, model)]);
  expect(read).toEqual(books.map(([model, prices]) => [model, prices]));
});

test("a price without an end keeps its digits beside the rounded ratio", () => {
  const prices = { tokens: { input: "0.3", output: "2.5", cacheRead: "0.03" } };
  const { list } = writePriceBook(defaultPriceList, [["m", prices]]);

  expect(list.CompletionRatio["m"]).toBe("8.333333333333");
  expect(list.TokenKindPrices?.["m"]).toEqual({ output: "1.25" });
  expect(list.CacheRatio["m"]).toBe("0.1");
});

test("a price that the unit of quota cannot express is refused by name, and leaves the model as it was", () => {
  const odd = { ...defaultPriceList, QuotaPerUnit: "333333.333333333333" };
  const { list, refused } = writePriceBook(odd, [["gpt-4o", { tokens: { input: "0.000001" } }]]);

  expect(refused.get("gpt-4o")).toBe("input 的价格无法精确表示");
  expect(list.ModelRatio["gpt-4o"]).toBe(defaultPriceList.ModelRatio["gpt-4o"]);
});

test("prices that were announced count from their day", () => {
  const input = (day: string) => catalogue.find("google", "gemini-4-argon", day)?.prices.tokens;

  expect(input("2026-11-30")).toMatchObject({ input: "2", output: "10" });
  expect(input("2026-12-01")).toMatchObject({ input: "4", output: "20" });
});

test("a kind of tokens that a source does not price costs what the kind costs that it belongs to", () => {
  const tokens = catalogue.find("openai", "gpt-5", day)?.prices.tokens;

  expect(tokens).toMatchObject({ input: "1.25", inputAudio: "1.25", cacheWrite5m: "1.25" });
});
