import { expect, test } from "bun:test";
import { ratioTone } from "#widgets/money/ratio-tone.ts";
import { modelsFolded, shownModels } from "./shown-models.ts";

const names = Array.from({ length: 11 }, (_, index) => `model-${index}`);

test("A-453: of eleven models ten are shown until the user asks for the rest", () => {
  expect(shownModels(names, { keyword: "", isUnfolded: false })).toHaveLength(modelsFolded);
  expect(shownModels(names, { keyword: "", isUnfolded: true })).toEqual(names);
});

test("a search finds models that are folded away", () => {
  expect(shownModels(names, { keyword: " EL-10 ", isUnfolded: false })).toEqual(["model-10"]);
});

test("A-463 to A-466: the colour of a ratio changes above 1, 3 and 5", () => {
  const tones = [0.5, 1, 1.1, 3, 3.1, 5, 5.1].map(ratioTone);
  expect(tones).toEqual(["success", "success", "info", "info", "warning", "warning", "danger"]);
});
