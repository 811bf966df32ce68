import "#testing/dom.ts";
import { afterEach, expect, jest, test } from "bun:test";
import { isNewYearDue, keepNewYearShown, reloadLater } from "./new-year.ts";

afterEach(() => jest.useRealTimers());

test("A-323: the effect shows on 1 January alone, once a browser and year", () => {
  const newYear = new Date(2027, 0, 1, 9);
  expect(isNewYearDue(new Date(2026, 11, 31))).toBe(false);
  expect(isNewYearDue(new Date(2027, 0, 2))).toBe(false);
  expect(isNewYearDue(newYear)).toBe(true);
  keepNewYearShown(newYear);
  expect(isNewYearDue(newYear)).toBe(false);
  expect(isNewYearDue(new Date(2028, 0, 1))).toBe(true);
});

test("A-324: the page reloads 10 s later, but not over unsaved input", () => {
  jest.useFakeTimers();
  let reloads = 0;
  reloadLater(() => (reloads += 1));
  jest.advanceTimersByTime(9_999);
  expect(reloads).toBe(0);
  jest.advanceTimersByTime(1);
  expect(reloads).toBe(1);

  const guard = (event: Event): void => event.preventDefault();
  window.addEventListener("beforeunload", guard);
  reloadLater(() => (reloads += 1));
  jest.advanceTimersByTime(10_000);
  window.removeEventListener("beforeunload", guard);
  expect(reloads).toBe(1);

  const stop = reloadLater(() => (reloads += 1));
  stop();
  jest.advanceTimersByTime(10_000);
  expect(reloads).toBe(1);
});
