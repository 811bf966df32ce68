import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { catalogueFile, priceCatalogue } from "./price-catalogue.mjs";

test("the prices in the program are those of the package that the lock file names", () => {
  // Compared by line, so that a failure shows the entries that differ.
  expect(readFileSync(catalogueFile, "utf8").split("\n")).toEqual(priceCatalogue().split("\n"));
});

test("no name of a model of another kind is taken over from the package", () => {
  const text = priceCatalogue();
  const entry = text.split("\n").find((line) => line.includes('"entry":"openai/gpt-4o"'));

  expect(entry).toContain('"names":["openai/gpt-4o"');
  expect(entry).not.toContain("audio");
});
