import { expect, test } from "bun:test";
import { pageAfterResize, pageBefore, pageSteps } from "./page-steps.ts";

test("first, last and neighbours are always offered, and never more than seven steps", () => {
  expect(pageSteps(1, 1)).toEqual([1]);
  expect(pageSteps(4, 7)).toEqual([1, 2, 3, 4, 5, 6, 7]);
  expect(pageSteps(1, 51)).toEqual([1, 2, 3, 4, 5, "gap", 51]);
  expect(pageSteps(25, 51)).toEqual([1, "gap", 24, 25, 26, "gap", 51]);
  expect(pageSteps(51, 51)).toEqual([1, "gap", 47, 48, 49, 50, 51]);
  for (let page = 1; page <= 51; page++) {
    expect(pageSteps(page, 51)).toHaveLength(7);
    expect(pageSteps(page, 51)).toContain(page);
  }
});

test("a longer page still shows the row that was on top", () => {
  expect(pageAfterResize(3, 20, 50)).toBe(1);
  expect(pageAfterResize(6, 20, 50)).toBe(3);
  expect(pageAfterResize(2, 50, 10)).toBe(6);
  expect(pageAfterResize(1, 10, 100)).toBe(1);
});

test("an emptied page steps back to one that has rows", () => {
  expect(pageBefore(1, 20, 0)).toBeNull();
  expect(pageBefore(3, 20, 40)).toBe(2);
  expect(pageBefore(9, 20, 15)).toBe(1);
  expect(pageBefore(9, 20, 0)).toBe(1);
});

test("without a total, or with a wrong one, it steps back one page", () => {
  expect(pageBefore(3, 20, null)).toBe(2);
  expect(pageBefore(3, 20, 60)).toBe(2);
});
