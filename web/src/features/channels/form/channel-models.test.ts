import { expect, test } from "bun:test";
import { previewKeys } from "./channel-keys.ts";
import { applyDiff, diffModels, readCustomModels } from "./channel-models.ts";

test("new, lost and unchanged models of the upstream are told apart", () => {
  expect(diffModels(["a", "b", "alias"], ["b", "c", "c", "real"], { alias: "real" })).toEqual({
    fresh: ["c", "real"],
    gone: ["a"],
    keptCount: 2,
  });
});

test("chosen changes are applied, all other models keep their place", () => {
  expect(applyDiff(["a", "b"], new Set(["c", "b"]), new Set(["a"]))).toEqual(["b", "c"]);
});

test("O-155 O-156: custom models are split at commas, and known ones are named", () => {
  expect(readCustomModels("a, b，c\na", ["b"])).toEqual({ fresh: ["a", "c"], known: ["b"] });
  expect(readCustomModels(" , ", [])).toEqual({ fresh: [], known: [] });
});

test("O-137: each line of a paste is a key, and a repeated key is named by its line", () => {
  expect(previewKeys("k1\n\nk2\n k1\n")).toEqual({
    keys: ["k1", "k2"],
    duplicates: [{ line: 4, first: 1 }],
    isDocument: false,
  });
  expect(previewKeys('{"a":\n1}')).toMatchObject({ isDocument: true, keys: ['{"a":\n1}'] });
  expect(previewKeys("{not json\nk")).toMatchObject({ keys: ["{not json", "k"] });
});
