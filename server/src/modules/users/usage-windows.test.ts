import { expect, test } from "bun:test";
import { openTotals, windowStarts } from "./usage-windows.ts";

const hour = 3_600;
const noonMs = Date.parse("2026-11-21T12:30:00Z");
const noon = Date.parse("2026-11-21T12:00:00Z") / 1_000;

test("a window of one day is the current hour and the 23 hours before it", () => {
  const { day, week, month } = windowStarts(noonMs / 1_000);

  expect(day).toBe(noon - 23 * hour);
  expect(week).toBe(noon - (7 * 24 - 1) * hour);
  expect(month).toBe(noon - (30 * 24 - 1) * hour);
});

test("sums stay right over time, although the month is read only once an hour", async () => {
  const used = new Map([
    [noon, 1],
    [noon - 23 * hour, 10],
    [noon - 24 * hour, 100],
    [noon - 719 * hour, 1_000],
    [noon - 720 * hour, 10_000],
  ]);
  const starts: number[] = [];
  let nowMs = noonMs;
  const totals = openTotals(
    async (start) => {
      starts.push(start);
      return [...used]
        .map(([at, quota]) => ({ hour: at, quota }))
        .filter((sum) => sum.hour >= start);
    },
    () => nowMs,
  );

  const [first, second] = await Promise.all([totals(), totals()]);
  expect(first).toEqual({ one_day: 11, one_week: 111, one_month: 1_111 });
  expect(second).toEqual(first);
  used.set(noon, 5);
  used.set(noon - hour, 3);
  expect(await totals()).toEqual(first);
  nowMs += 60_000;
  expect(await totals()).toEqual({ one_day: 18, one_week: 118, one_month: 1_118 });
  used.set(noon + hour, 7);
  used.set(noon - 10 * hour, 2);
  nowMs += 3_600_000;
  expect(await totals()).toEqual({ one_day: 17, one_week: 127, one_month: 127 });
  expect(starts).toEqual([noon - 719 * hour, noon - hour, noon - 718 * hour]);
});

test("a failed read is tried again by the next call", async () => {
  let attempts = 0;
  const totals = openTotals(
    async () => {
      attempts += 1;
      if (attempts === 1) throw new Error("database away");
      return [{ hour: noon, quota: 3 }];
    },
    () => noonMs,
  );

  await expect(totals()).rejects.toThrow("database away");
  expect(await totals()).toEqual({ one_day: 3, one_week: 3, one_month: 3 });
});
