import { describe, expect, test } from "bun:test";
import { multiply, readTable } from "./bulk-prices.ts";
import { readPriceMaps } from "./price-table.ts";

const units = "500000";

function maps(texts: Readonly<Record<string, string>> = {}) {
  const read = readPriceMaps((name) => texts[name] ?? "{}");
  if (!read.ok) throw new Error(read.message);
  return read.value;
}

describe("a factor", () => {
  test("multiplies fixed prices and model ratios exactly, and leaves the relative ratios", () => {
    const rows = [
      { model: "a", prices: { ModelRatio: "1.25", CompletionRatio: "4" } },
      { model: "b", prices: { ModelPrice: "0.04" } },
      { model: "c", prices: { ModelRatio: "0.000000000001" } },
    ];
    expect(multiply(rows, "0.5")).toEqual([
      { model: "a", prices: { ModelRatio: "0.625", CompletionRatio: "4" } },
      { model: "b", prices: { ModelPrice: "0.02" } },
      // The products are rounded half up, so this smallest possible ratio does not become 0.
      { model: "c", prices: { ModelRatio: "0.000000000001" } },
    ]);
  });

  test("leaves out models without a price, and a product beyond what a price can be", () => {
    expect(multiply([{ model: "a", prices: {} }], "2")).toEqual([]);
    expect(multiply([{ model: "a", prices: { ModelRatio: "9".repeat(15) } }], "10")).toBe(
      undefined,
    );
  });
});

describe("a pasted table", () => {
  test("of a sheet: heads, dollars, cached input, prices by call", () => {
    const text = [
      "Model\tInput\tOutput\tCached",
      "gpt-4o\t$2.50\t$10.00\t$1.25",
      "claude-sonnet-4-5, 3, 15",
      "",
      "| gemini-2.5-pro | $1.25/1M | $10/1M |",
      "dall-e-3 0.04 call",
      "free 0 0",
    ].join("\n");
    expect(readTable(text, maps(), units)).toEqual({
      faults: [],
      rows: [
        {
          model: "gpt-4o",
          prices: { ModelRatio: "1.25", CompletionRatio: "4", CacheRatio: "0.5" },
        },
        { model: "claude-sonnet-4-5", prices: { ModelRatio: "1.5", CompletionRatio: "5" } },
        { model: "gemini-2.5-pro", prices: { ModelRatio: "0.625", CompletionRatio: "8" } },
        { model: "dall-e-3", prices: { ModelPrice: "0.04" } },
        { model: "free", prices: { ModelRatio: "0" } },
      ],
    });
  });

  test("names every line that is no price, and a model that stands there twice", () => {
    const text = "a 1 2\nb\nc x 2\na 3 4\nd 0 5\n__proto__ 1 2\ne 1 2 3 4\nf -1 2";
    const { rows, faults } = readTable(text, maps(), units);
    expect(rows.map(({ model }) => model)).toEqual(["a"]);
    expect(faults.map(({ line }) => line)).toEqual([2, 3, 4, 5, 6, 7, 8]);
  });

  test("keeps the ratios that it does not say, and ends a fixed price", () => {
    const before = maps({
      ModelPrice: '{"draw": 0.04}',
      ModelRatio: '{"talk": 1}',
      AudioRatio: '{"talk": 16}',
    });
    expect(readTable("talk 4 8\ndraw 2 2", before, units).rows).toEqual([
      { model: "talk", prices: { ModelRatio: "2", CompletionRatio: "2", AudioRatio: "16" } },
      { model: "draw", prices: { ModelRatio: "1", CompletionRatio: "1" } },
    ]);
  });
});
