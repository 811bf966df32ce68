import { expect, test } from "bun:test";
import { byBrand, isFound, isShown, listRowId, modelRows, modelsOf } from "./models-list.ts";
import { readPriceMaps } from "./price-table.ts";

function maps(ModelRatio: string) {
  const read = readPriceMaps((name) => (name === "ModelRatio" ? ModelRatio : "{}"));
  if (!read.ok) throw new Error(read.message);
  return read.value;
}

const rows = modelRows({
  maps: maps('{"gpt-4o": 1, "claude-opus-4": 2, "mine": 1}'),
  stored: maps('{"gpt-4o": 1, "claude-opus-4": 1, "gpt-3.5-turbo": 1}'),
  offered: ["gpt-4o", "gpt-new"],
});
const shown = (show: Parameters<typeof isShown>[1]) =>
  rows.filter((row) => isShown(row, show)).map(({ model }) => model);

test("all models with a price stand in the list, those that channels offer, and removed ones until saved", () => {
  expect(shown("all")).toEqual(["claude-opus-4", "gpt-3.5-turbo", "gpt-4o", "gpt-new", "mine"]);
  expect(shown("offered")).toEqual(["gpt-4o", "gpt-new"]);
  expect(shown("unpriced")).toEqual(["gpt-new"]);
  expect(shown("changed")).toEqual(["claude-opus-4", "gpt-3.5-turbo", "mine"]);
});

test("models stand in the order of their numbers", () => {
  const offered = ["gpt-10", "gpt-9", "gpt-4o"];
  const numbered = modelRows({ maps: maps("{}"), stored: maps("{}"), offered });
  expect(numbered.map(({ model }) => model)).toEqual(["gpt-4o", "gpt-9", "gpt-10"]);
});

test("brands whose models are offered come first, unknown ones last", () => {
  const folded = byBrand(rows, (id) => id === "openai");
  expect(folded.map(listRowId)).toEqual([
    "brand openai",
    "gpt-3.5-turbo",
    "gpt-4o",
    "gpt-new",
    "brand anthropic",
    "brand other",
  ]);
});

test("a brand stands for all its models, each once", () => {
  const all = byBrand(rows, () => true);
  expect(modelsOf(all).length).toBe(rows.length);
  expect(modelsOf(byBrand(rows, () => false)).length).toBe(rows.length);
});

test("a model is found by its name and by its brand", () => {
  expect(rows.filter((row) => isFound(row, " OpenAI ")).length).toBe(3);
  expect(rows.filter((row) => isFound(row, "opus")).length).toBe(1);
});
