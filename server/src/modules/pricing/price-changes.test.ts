import { expect, test } from "bun:test";
import type { PriceList } from "@tollgate/contract/money/charge.ts";
import { defaultPriceList } from "@tollgate/contract/money/default-prices.ts";
import { readBook, sourceOf } from "@tollgate/contract/money/price-book.ts";
import { writePriceBook } from "@tollgate/contract/money/price-book-writer.ts";
import { completeOptions } from "./price-changes.ts";

const noted = { nowMs: Date.parse("2026-11-29T12:00:00Z"), by: 7 };
const byHand = { from: "option", date: "2026-11-29", by: 7 } as const;

/** A list with a model of the catalogue whose output has no ratio of 12 places. */
const before: PriceList = {
  ...writePriceBook(defaultPriceList, [
    ["m", { tokens: { input: "0.3", output: "2.5", reasoning: "3" }, searches: { search: "10" } }],
  ]).list,
  Sources: {
    ...defaultPriceList.Sources,
    m: { from: "catalogue", date: "2026-09-23", provider: "p", entry: "m" },
  },
};

const save = (parts: Partial<PriceList>): PriceList =>
  completeOptions(before, { ...before, ...parts }, noted);
const without = (map: Readonly<Record<string, string>>, model: string) =>
  Object.fromEntries(Object.entries(map).filter(([name]) => name !== model));

test("a ratio that is saved counts, and the exact price that it replaces does not", () => {
  const after = save({ CompletionRatio: { ...before.CompletionRatio, m: "4" } });

  expect(readBook(after, "m")?.tokens).toEqual({ input: "0.3", output: "1.2", reasoning: "3" });
  expect(sourceOf(after, "m")).toEqual(byHand);
  expect(sourceOf(after, "gpt-4o")).toEqual({ from: "default", date: "2026-02-28" });
});

test("with a new model ratio all prices follow the ratios again", () => {
  const after = save({ ModelRatio: { ...before.ModelRatio, m: "0.3" } });

  // 0.6 × 8.333333333333, shown to 12 places.
  expect(readBook(after, "m")?.tokens).toEqual({ input: "0.6", output: "5" });
  expect(after.TokenKindPrices?.["m"]).toBeUndefined();
});

test("a model that is removed loses all that its console does not know", () => {
  const after = save({ ModelRatio: without(before.ModelRatio, "m") });

  expect(readBook(after, "m")).toBeUndefined();
  for (const part of [after.Sources, after.SearchPrices, after.TokenKindPrices]) {
    expect(part?.["m"]).toBeUndefined();
  }
  // Given a ratio again, nothing of before counts.
  const again = completeOptions(
    after,
    { ...after, ModelRatio: { ...after.ModelRatio, m: "1" } },
    noted,
  );
  expect(readBook(again, "m")?.searches).toBeUndefined();
});

test("a price that becomes that of the default list again says so", () => {
  const changed = save({ ModelRatio: { ...before.ModelRatio, "gpt-4o": "9" } });
  expect(sourceOf(changed, "gpt-4o")).toEqual(byHand);

  const after = completeOptions(
    changed,
    { ...changed, ModelRatio: { ...changed.ModelRatio, "gpt-4o": "1.25" } },
    noted,
  );
  expect(sourceOf(after, "gpt-4o")).toEqual({ from: "default", date: "2026-02-28" });
});

test("a list of an earlier version stays as it is while nothing in it changes", () => {
  const {
    Sources: _,
    HourPrices: _h,
    SearchPrices: _s,
    TokenKindPrices: _t,
    ...old
  } = defaultPriceList;
  expect(completeOptions(old, { ...old, GroupRatio: { default: "2" } }, noted)).toEqual({
    ...old,
    GroupRatio: { default: "2" },
  });
  expect(sourceOf(old, "gpt-4o")).toEqual({ from: "default", date: "2026-02-28" });
});

test("with another unit of quota, prices by tokens are other dollars, and set by hand", () => {
  const after = save({ QuotaPerUnit: "1000000" });

  expect(sourceOf(after, "gpt-4o")).toEqual(byHand);
  expect(sourceOf(after, "dall-e-3")?.from).toBe("default");
});
