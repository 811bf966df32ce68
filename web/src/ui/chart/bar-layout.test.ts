import { expect, test } from "bun:test";
import { bucketAt, drawnValue, heightOf, layOut, seriesAt, ticksOf } from "./bar-layout.ts";
import type { BarChartData } from "./chart-data.ts";

const data: BarChartData = {
  buckets: ["a", "b", "c", "d"].map((label) => ({ label, exact: label })),
  series: [
    { name: "low", place: 0, values: [10, 0, 30, 5] },
    { name: "high", place: 1, values: [20, 40, -5, 0] },
  ],
};
const size = { width: 440, height: 160, widthOf: () => 26 };
const none: ReadonlySet<string> = new Set();

test("the lines behind the bars are round, and the largest bar is below the last of them", () => {
  for (const largest of [0.003, 1, 7, 40, 99, 1_234_567]) {
    const ticks = ticksOf(largest);
    expect(ticks[0]).toBe(0);
    expect(ticks.at(-1)).toBeGreaterThanOrEqual(largest);
    expect(ticks.length).toBeGreaterThan(2);
    expect(ticks.length).toBeLessThanOrEqual(6);
  }
  expect(ticksOf(40)).toEqual([0, 10, 20, 30, 40]);
  expect(ticksOf(0)).toEqual([0, 1]);
  // Two calls are no one and a half.
  expect([1, 2, 3].map((largest) => ticksOf(largest, true))).toEqual([
    [0, 1],
    [0, 1, 2],
    [0, 1, 2, 3],
  ]);
});

test("a press finds the series that is drawn there, and nothing above the bar", () => {
  const layout = layOut(data, none, size);
  const middle = (from: number, to: number): number =>
    (heightOf(layout, from) + heightOf(layout, to)) / 2;
  const at = (bucket: number, y: number) => seriesAt(layout, data, none, { bucket, y });
  expect(at(0, middle(0, 10))).toBe(0);
  expect(at(0, middle(10, 30))).toBe(1);
  expect(at(0, middle(30, 40))).toBeNull();
  // A series without a value there, and one below 0, are not drawn.
  expect(at(1, middle(0, 40))).toBe(1);
  expect(at(2, middle(0, 30))).toBe(0);
});

test("a hidden series is not drawn, and what stands above it moves down", () => {
  const hidden = new Set(["low"]);
  const layout = layOut(data, hidden, size);
  expect(drawnValue(data, hidden, { series: 0, bucket: 0 })).toBe(0);
  const y = (heightOf(layout, 0) + heightOf(layout, 20)) / 2;
  expect(seriesAt(layout, data, hidden, { bucket: 0, y })).toBe(1);
});

test("each place of the chart belongs to the bar that is nearest", () => {
  const layout = layOut(data, none, size);
  expect(layout.left).toBe(36);
  expect(layout.step).toBe(100);
  expect([-50, 36, 135, 137, 300, 439, 900].map((x) => bucketAt(layout, x, 4))).toEqual([
    0, 0, 0, 1, 2, 3, 3,
  ]);
});
