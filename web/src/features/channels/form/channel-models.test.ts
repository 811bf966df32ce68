import { expect, test } from "bun:test";
import { applyDiff, byBrand, diffModels, readCustomModels } from "./channel-models.ts";

test("new, lost and unchanged models of the upstream are told apart", () => {
  expect(diffModels(["a", "b", "alias"], ["b", "c", "c", "real"], { alias: "real" })).toEqual({
    fresh: ["c", "real"],
    gone: ["a"],
    keptCount: 2,
  });
});

test("two hundred fetched models stand as people count them, model-2 before model-10", () => {
  const upstream = ["model-10", "model-100", "model-2", "model-1"];
  const { fresh } = diffModels([], upstream, {});
  expect(fresh).toEqual(["model-1", "model-2", "model-10", "model-100"]);
  expect(diffModels(["old-10", "old-9"], [], {}).gone).toEqual(["old-9", "old-10"]);
});

test("fetched models are grouped by who makes them, those of unknown makers last", () => {
  expect(byBrand(["house-1", "gpt-5", "claude-sonnet-4-5", "gpt-5-mini"])).toEqual([
    { name: "Anthropic", models: ["claude-sonnet-4-5"] },
    { name: "OpenAI", models: ["gpt-5", "gpt-5-mini"] },
    { name: null, models: ["house-1"] },
  ]);
});

test("chosen changes are applied, all other models keep their place", () => {
  expect(applyDiff(["a", "b"], new Set(["c", "b"]), new Set(["a"]))).toEqual(["b", "c"]);
});

test("O-155 O-156: custom models are split at commas, and known ones are named", () => {
  expect(readCustomModels("a, b，c\na", ["b"])).toEqual({ fresh: ["a", "c"], known: ["b"] });
  expect(readCustomModels(" , ", [])).toEqual({ fresh: [], known: [] });
});
