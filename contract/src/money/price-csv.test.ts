import { expect, test } from "bun:test";
import { defaultPriceList } from "./default-prices.ts";
import { readBook } from "./price-book.ts";
import { writePriceBook } from "./price-book-writer.ts";
import { isPriceCsv, readPriceCsv, writePriceCsv } from "./price-csv.ts";

test("a written file is read back as the same prices, to the last digit", () => {
  const own = '=cmd, "x"\n';
  const prices = {
    tokens: { input: "0.000001", output: "123456.123456", reasoning: "7" },
    searches: { search: "10" },
    hours: [{ from: "16:30", until: "00:30", tokens: { input: "0.0000005" } }],
  };
  const { list, refused } = writePriceBook(defaultPriceList, [[own, prices]]);
  expect(refused.size).toBe(0);
  const { rows, faults } = readPriceCsv(writePriceCsv(list));

  expect(faults).toEqual([]);
  const models = [...Object.keys(list.ModelPrice), ...Object.keys(list.ModelRatio)];
  expect(rows.map(({ model }) => model).toSorted()).toEqual(
    [...new Set(models)].map((model) => model.trim()).toSorted(),
  );
  for (const { model, prices } of rows) {
    expect(prices, model).toEqual(readBook(list, model === own.trim() ? own : model) ?? {});
    expect(writePriceBook(list, [[model, prices]]).refused.size, model).toBe(0);
  }
});

test("no cell of a written file begins as a formula does", () => {
  for (const model of ["=1+1", "+1", "-1", "@x"]) {
    const { list } = writePriceBook(defaultPriceList, [[model, { perCall: "1" }]]);
    const line = writePriceCsv(list).split("\r\n")[1];
    expect(line).toStartWith(`'${model},1,`);
    expect(readPriceCsv(`model,per_call\r\n'${model},1\r\n`).rows[0]?.model).toBe(model);
  }
});

test("each wrong line is named with its number and reason", () => {
  const text = [
    "model,input,output,per_call,terms",
    "good,2.5,10,,",
    "negative,-1,10,,",
    "words,two,10,,",
    "fine places,0.1234567890123,1,,",
    "good,1,1,,",
    ",1,1,,",
    "__proto__,1,1,,",
    "nothing,,,,",
    "",
    "broken,1,1,,{",
    '"two\nlines",1,1,,',
    "wide,1,1,,,9",
    'decimal comma,"2,5",1,,',
  ].join("\n");
  const { rows, faults } = readPriceCsv(text);
  expect(rows.map(({ line, model }) => [line, model])).toEqual([
    [2, "good"],
    [12, "two\nlines"],
  ]);
  expect(faults.map(({ line }) => line)).toEqual([3, 4, 5, 6, 7, 8, 9, 11, 14, 15]);
  expect(faults[0]?.message).toContain("input");
  expect(faults[3]?.message).toContain("重复的模型：good");
});

test("a head without models, with unknown or repeated columns is refused", () => {
  for (const head of ["input,model", "model,imput", "model,input,input"]) {
    expect(readPriceCsv(`${head}\nm,1,1`)).toMatchObject({ rows: [], faults: [{ line: 1 }] });
  }
  expect(isPriceCsv("model\tinput\n")).toBe(true);
  expect(isPriceCsv("\uFEFFModel;per_call\n")).toBe(true);
  expect(isPriceCsv("gpt-4o 1 2")).toBe(false);
  expect(readPriceCsv("model;input;output\r\nm;1;2\r\n").rows).toEqual([
    { line: 2, model: "m", prices: { tokens: { input: "1", output: "2" } } },
  ]);
});
