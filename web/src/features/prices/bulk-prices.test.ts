import { describe, expect, test } from "bun:test";
import { defaultPriceList } from "@tollgate/contract/money/default-prices.ts";
import { readBook } from "@tollgate/contract/money/price-book.ts";
import { writePriceBook } from "@tollgate/contract/money/price-book-writer.ts";
import { bulkChanges, type BulkForm } from "./bulk-form.ts";
import { multiplyBook, setBook } from "./bulk-prices.ts";
import { readImport } from "./import-prices.ts";

const typed: BulkForm = {
  mode: "factor",
  factor: "",
  from: "",
  input: "",
  output: "",
  cacheRead: "",
  perCall: "",
  reason: "",
};

const list = { ...defaultPriceList, QuotaPerUnit: "500000" };

describe("a factor", () => {
  test("multiplies every price exactly, or not at all", () => {
    const prices = {
      tokens: { input: "2.5", output: "10", reasoning: "3" },
      steps: [{ above: 200_000, tokens: { input: "5" } }],
      tiers: { flex: { input: "1.25" } },
      hours: [{ from: "16:30", until: "00:30", tokens: { input: "1" } }],
      searches: { search: "10" },
    };
    expect(multiplyBook(prices, "0.5")).toEqual({
      tokens: { input: "1.25", output: "5", reasoning: "1.5" },
      steps: [{ above: 200_000, tokens: { input: "2.5" } }],
      tiers: { flex: { input: "0.625" } },
      hours: [{ from: "16:30", until: "00:30", tokens: { input: "0.5" } }],
      searches: { search: "5" },
    });
    expect(multiplyBook({ perCall: "0.000000000001" }, "0.5")).toBeUndefined();
    expect(multiplyBook({ perCall: "9".repeat(15) }, "10")).toBeUndefined();
  });

  test("leaves out models without a price, and names those it cannot multiply exactly", () => {
    const form = { ...typed, factor: "0.5" };
    expect(bulkChanges(form, ["none", "dall-e-3"], list)).toEqual({
      changes: [{ model: "dall-e-3", before: { perCall: "0.04" }, after: { perCall: "0.02" } }],
    });
    const fine = { ...list, ModelPrice: { ...list.ModelPrice, fine: "0.000000000001" } };
    expect(bulkChanges(form, ["dall-e-3", "fine"], fine)).toEqual({
      field: "factor",
      kind: "inexact",
      models: ["fine"],
    });
    expect(bulkChanges({ ...form, factor: "x" }, ["fine"], fine)).toMatchObject({ kind: "number" });
  });
});

describe("set and copy", () => {
  test("sets what is typed; other prices stay in dollars, what varies them varies the new ones", () => {
    const present = {
      tokens: { input: "2", output: "8", cacheRead: "1" },
      steps: [{ above: 9, tokens: { input: "4", output: "12", cacheRead: "2" } }],
    };
    expect(setBook(present, { input: "3" })).toEqual({
      tokens: { input: "3", output: "8", cacheRead: "1" },
      steps: [{ above: 9, tokens: { input: "6", output: "12", cacheRead: "2" } }],
    });
    expect(setBook(present, { perCall: "1" })).toEqual({ perCall: "1" });
    expect(setBook({ perCall: "1" }, { input: "3" })).toEqual({ tokens: { input: "3" } });
  });

  test("says which field is missing; a copy has every price of its source", () => {
    expect(bulkChanges({ ...typed, mode: "set" }, ["m"], list)).toMatchObject({ kind: "nothing" });
    const output = { ...typed, mode: "set", output: "1" } as const;
    expect(bulkChanges(output, ["m"], list)).toMatchObject({ kind: "inexact", models: ["m"] });
    const same = { ...typed, mode: "same", from: "nobody" } as const;
    expect(bulkChanges(same, ["m"], list)).toMatchObject({ field: "from", kind: "model" });
    const prices = {
      tokens: { input: "0.3", output: "2.5", reasoning: "3" },
      searches: { search: "14" },
    };
    const { list: written } = writePriceBook(list, [["source", prices]]);
    expect(readBook(written, "source")).toEqual(prices);
    const copied = bulkChanges({ ...same, from: "source" }, ["m"], written);
    expect(copied).toMatchObject({ changes: [{ model: "m", after: prices }] });
  });
});

describe("a table that is imported", () => {
  test("of a sheet: heads, dollars, cached input, prices by call", () => {
    const text = [
      "Model\tInput\tOutput\tCached",
      "a\t$2.50\t$10.00\t$1.25",
      "b, 3, 15",
      "",
      "| c | $1.25/1M | $10/1M |",
      "d 0.04 call",
      "free 0 0",
    ].join("\n");
    const { rows, faults } = readImport(text, list);
    expect(faults).toEqual([]);
    expect(rows).toEqual([
      {
        line: 2,
        model: "a",
        prices: { tokens: { input: "2.5", output: "10", cacheRead: "1.25" } },
      },
      { line: 3, model: "b", prices: { tokens: { input: "3", output: "15" } } },
      { line: 5, model: "c", prices: { tokens: { input: "1.25", output: "10" } } },
      { line: 6, model: "d", prices: { perCall: "0.04" } },
      { line: 7, model: "free", prices: { tokens: { input: "0", output: "0" } } },
    ]);
  });

  test("names every line that is no price, a model that stands there twice, and what is not exact", () => {
    const text =
      "a 1 2\nb\nc x 2\na 3 4\nd 0 5\n__proto__ 1 2\ne 1 2 3 4\nf -1 2\ng 0.000000000001 1";
    const { rows, faults } = readImport(text, list);
    expect(rows.map(({ model }) => model)).toEqual(["a", "d"]);
    expect(faults.map(({ line }) => line)).toEqual([2, 3, 4, 6, 7, 8, 9]);
    expect(faults[2]?.message).toBe("重复的模型：a");
  });

  test("keeps the other prices in their ratio to the input, and ends a price per call", () => {
    const before = {
      ...list,
      ModelPrice: { draw: "0.04" },
      ModelRatio: { talk: "1", odd: "1.5" },
      AudioRatio: { talk: "16" },
      CacheRatio: { odd: "0.1" },
    };
    expect(readImport("talk 4 8\ndraw 2 2", before).rows.map(({ prices }) => prices)).toEqual([
      { tokens: { input: "4", inputAudio: "64", output: "8" } },
      { tokens: { input: "2", output: "2" } },
    ]);
    // Half of the smallest amount cannot be expressed.
    expect(
      readImport("odd 0.5 8", { ...before, CacheRatio: { odd: "0.000000000001" } }),
    ).toMatchObject({ rows: [], faults: [{ line: 1 }] });
  });

  test("a file with the columns of an export is read as one", () => {
    const file = "model,input,output,cache_read\na,1,2,0.1\nb,1,two,\n";
    expect(readImport(file, list)).toMatchObject({
      rows: [{ line: 2, prices: { tokens: { input: "1", output: "2", cacheRead: "0.1" } } }],
      faults: [{ line: 3 }],
    });
  });
});
