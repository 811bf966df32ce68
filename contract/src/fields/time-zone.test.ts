import { expect, test } from "bun:test";
import { parseOption } from "@tollgate/contract/options/options.ts";
import { addDays, startOfDay, startOfMonth, startOfWeek, zoneOffset } from "./time-zone.ts";

const at = (text: string): number => Date.parse(text) / 1_000;
const shanghai = "Asia/Shanghai";
const newYork = "America/New_York";

test("days begin at midnight of the zone, not of UTC", () => {
  const night = at("2026-11-22T17:30:00Z");
  expect(startOfDay("UTC", night)).toBe(at("2026-11-22T00:00:00Z"));
  expect(startOfDay(shanghai, night)).toBe(at("2026-11-22T16:00:00Z"));
  expect(startOfDay(newYork, night)).toBe(at("2026-11-22T05:00:00Z"));
  expect(startOfDay(shanghai, startOfDay(shanghai, night))).toBe(startOfDay(shanghai, night));
});

test("a day on which the clocks change has 23 or 25 hours", () => {
  const spring = at("2026-03-08T18:00:00Z");
  const autumn = at("2026-11-01T18:00:00Z");
  const hours = (day: number) => (addDays(newYork, day, 1) - startOfDay(newYork, day)) / 3_600;
  expect([hours(spring), hours(autumn), hours(at("2026-07-01T00:00:00Z"))]).toEqual([23, 25, 24]);
  expect(zoneOffset(newYork, spring)).toBe(-4 * 3_600);
});

test("weeks begin on Monday, months on the first", () => {
  const sunday = at("2026-11-22T15:00:00Z");
  expect(startOfWeek("UTC", sunday)).toBe(at("2026-11-16T00:00:00Z"));
  // In Shanghai it is Sunday as well; an hour later it is Monday there.
  expect(startOfWeek(shanghai, sunday)).toBe(at("2026-11-15T16:00:00Z"));
  expect(startOfWeek(shanghai, sunday + 3_600)).toBe(at("2026-11-22T16:00:00Z"));
  expect(startOfMonth(shanghai, at("2026-10-31T16:00:00Z"))).toBe(at("2026-10-31T16:00:00Z"));
  expect(startOfMonth("UTC", at("2026-12-31T23:00:00Z"), 1)).toBe(at("2027-01-01T00:00:00Z"));
});

test("only zones that exist and are whole hours from UTC are accepted", () => {
  for (const zone of ["UTC", shanghai, newYork, "Etc/GMT+5"]) {
    expect(parseOption("TimeZone", zone)).toEqual({ ok: true, value: zone });
  }
  for (const zone of ["", "Mars/Base", "Asia/Kolkata", "Australia/Adelaide"]) {
    expect(parseOption("TimeZone", zone).ok, zone).toBe(false);
  }
});
