import { expect, test } from "bun:test";
import { dateText, parseDateText, shortDateText } from "./date-text.ts";
import { presetRange } from "./presets.ts";

/** Converts a local time to Unix seconds, so that the tests hold in every time zone. */
function at(...parts: [number, number, number, number?, number?, number?]): number {
  const [year, month, day, hour = 0, minute = 0, second = 0] = parts;
  return new Date(year, month - 1, day, hour, minute, second).getTime() / 1000;
}

test("the text of a date field is read back as the same second", () => {
  const time = at(2026, 11, 21, 14, 57, 44);
  expect(dateText(time)).toBe("2026-11-21 14:57:44");
  expect(parseDateText(dateText(time))).toBe(time);
});

test("usual ways to write a time are understood", () => {
  expect(parseDateText(" 2026/1/2 3:04 ")).toBe(at(2026, 1, 2, 3, 4));
  expect(parseDateText("2026年1月2日")).toBe(at(2026, 1, 2));
  expect(parseDateText("2026-01-02T03:04:05")).toBe(at(2026, 1, 2, 3, 4, 5));
  expect(parseDateText("")).toBeNull();
});

test("a day as the end of a range includes the whole day", () => {
  expect(parseDateText("2026-11-21", true)).toBe(at(2026, 11, 21, 23, 59, 59));
  expect(parseDateText("2026-11-21 10:00", true)).toBe(at(2026, 11, 21, 10));
});

test("a time that does not exist is refused instead of becoming another one", () => {
  for (const text of ["2026-02-29", "2026-11-31", "2026-13-01", "2026-11-21 24:00", "tomorrow"]) {
    expect(parseDateText(text)).toBeUndefined();
  }
});

test("only the present year is left out", () => {
  const show = shortDateText(new Date(2026, 5, 1));
  expect(show(at(2026, 11, 21, 14, 57, 44))).toBe("11-21 14:57");
  expect(show(at(2025, 11, 21, 14, 57, 44))).toBe("2025-11-21 14:57");
});

test("today begins at local midnight and yesterday ends a second before it", () => {
  const now = new Date(2026, 2, 1, 9, 30, 15);
  const midnight = at(2026, 3, 1);
  expect(presetRange("today", now)).toEqual({ start: midnight, end: null });
  expect(presetRange("yesterday", now)).toEqual({ start: at(2026, 2, 28), end: midnight - 1 });
  expect(presetRange("7d", now)).toEqual({ start: at(2026, 2, 23), end: null });
  expect(presetRange("15m", now)).toEqual({ start: at(2026, 3, 1, 9, 15, 15), end: null });
});
