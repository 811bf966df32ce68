import { expect, test } from "bun:test";
import type { Item } from "./item.ts";
import { filterItems, itemOf, splitValues, withValues } from "./choices.ts";

const models: readonly Item[] = [
  { value: "gpt-4o", label: "gpt-4o", hint: "OpenAI" },
  { value: "claude-opus-4", label: "Claude Opus 4", hint: "Anthropic" },
];

test("a choice is found by any words of its label, hint or value, in any order and case", () => {
  expect(filterItems(models, "opus CLAUDE")).toEqual(models.slice(1));
  expect(filterItems(models, "openai")).toEqual(models.slice(0, 1));
  expect(filterItems(models, "claude-opus")).toEqual(models.slice(1));
  expect(filterItems(models, "  ")).toEqual(models);
  expect(filterItems(models, "gpt claude")).toEqual([]);
  const known = { value: "16", label: "Zhipu", words: "智谱" };
  expect(filterItems([...models, known], "智谱")).toEqual([known]);
});

test("a chosen value stays visible when it is no longer offered", () => {
  expect(itemOf(models, "o1-preview")).toEqual({ value: "o1-preview", label: "o1-preview" });
});

test("a pasted list is split at commas of both scripts, semicolons and lines", () => {
  expect(splitValues("a, b，c；d\n e\t\r\nb、")).toEqual(["a", "b", "c", "d", "e"]);
  expect(splitValues(" , \n")).toEqual([]);
});

test("adding an existing value changes nothing, so a form does not become dirty", () => {
  const values = ["a", "b"];
  expect(withValues(values, ["b"])).toBe(values);
  expect(withValues(values, ["b", "c"])).toEqual(["a", "b", "c"]);
});
