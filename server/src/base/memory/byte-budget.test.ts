import { expect, test } from "bun:test";
import { HeldBytes, openByteBudget, type Owner, usualBudget } from "./byte-budget.ts";

const mebibyte = 1024 * 1024;

function open() {
  const budget = openByteBudget(400, 6);
  return { budget, held: (owner: Owner) => new HeldBytes({ budget, owner }) };
}

test("one user holds a quarter of the budget, with however many unfinished things", () => {
  const { budget, held } = open();
  const first = held(1);
  const second = held(1);
  expect([first.hold(60), second.hold(40)]).toEqual([null, null]);
  expect([first.hold(61), second.hold(41), held(1).hold(1)]).toEqual(["owner", "owner", "owner"]);
  expect([budget.bytes, budget.byOwner.get(1), budget.refusals]).toEqual([100, 100, 3]);
});

test("however many users hold their share, another one still gets a little", () => {
  const { budget, held } = open();
  held(0).hold(1);
  for (let owner = 1; owner <= 50; owner += 1) {
    const taken = held(owner);
    while (taken.hold(taken.bytes + 1) === null);
  }
  expect(budget.bytes).toBeLessThan(400 + 50 * 6);
  const late = held(51);
  expect([late.hold(6), late.hold(7), late.hold(101)]).toEqual([null, "all", "owner"]);
});

test("what is freed can be held at once by others, and frees only once", () => {
  const { budget, held } = open();
  const first = held(1);
  const other = held("192.0.2.1");
  first.hold(100);
  other.hold(10);
  first.hold(30);
  expect(budget.bytes).toBe(40);
  first.free();
  first.free();
  expect([budget.bytes, [...budget.byOwner]]).toEqual([10, [["192.0.2.1", 10]]]);
  other.free();
  expect([budget.bytes, budget.byOwner.size]).toEqual([0, 0]);
});

test("a thing that is larger than any share is read while nothing else is held", () => {
  const { held } = open();
  const large = held(1);
  expect(large.hold(1_000)).toBeNull();
  expect(held(2).hold(7)).toBe("all");
  large.free();
  expect(held(2).hold(1)).toBeNull();
  expect(large.hold(1_000)).toBe("owner");
});

test("the budget fits small and large machines", () => {
  const sizes = [256, 2_048, 65_536].map((size) => usualBudget(size * mebibyte) / mebibyte);
  expect(sizes).toEqual([128, 256, 512]);
});
