import { expect, test } from "bun:test";
import { candidatesMax, readCandidates, writeCandidates } from "./candidates.ts";

const tiers = [
  [
    { id: 3, why: "" },
    { id: 5, why: "cooldown" },
    { id: 6, why: "" },
  ],
  [{ id: 7, why: "" }],
  [{ id: 9, why: "cannot-carry" }],
];

test("each candidate of a call has a reason: its word, or what follows from what was taken", () => {
  const text = writeCandidates(tiers);
  expect(text).toBe("3,5:cooldown,6;7;9:cannot-carry");
  const whys = (tried: number[], placement = "") =>
    Object.fromEntries(readCandidates(text, { tried, placement }).map(({ id, why }) => [id, why]));

  const rest = { 5: "cooldown", 9: "cannot-carry" } as const;
  expect(whys([3])).toEqual({ 3: "taken", 6: "weight", 7: "tier", ...rest });
  expect(whys([3], "stayed")).toEqual({ 3: "taken", 6: "place", 7: "tier", ...rest });
  expect(whys([3, 6])).toEqual({ 3: "tried", 6: "taken", 7: "tier", ...rest });
});

test("a row names no more channels than it may, and an empty text none", () => {
  const many = Array.from({ length: 100 }, (_, id) => ({ id, why: "" }));
  const text = writeCandidates([many, many]);
  expect(readCandidates(text, { tried: [1], placement: "" })).toHaveLength(candidatesMax);
  expect(readCandidates("", { tried: [1], placement: "" })).toEqual([]);
});
