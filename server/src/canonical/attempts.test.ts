import { expect, test } from "bun:test";
import { bucketOf, firstByteBuckets, quantileOf } from "./attempts.ts";

test("a time is counted in the bucket whose bound it does not exceed", () => {
  expect([0, 10, 10.1, 15.8, 16, 100, 1_000, 250_000, 252_000, 9e9].map(bucketOf)).toEqual([
    0, 0, 1, 1, 2, 5, 10, 22, 23, 23,
  ]);
});

test("a quantile is estimated to within its bucket", () => {
  const times = Array.from({ length: 1_000 }, (_, index) => 20 + index * 3);
  const counts = Array.from({ length: firstByteBuckets }, () => 0);
  for (const ms of times) counts[bucketOf(ms)] = (counts[bucketOf(ms)] ?? 0) + 1;
  for (const q of [0.5, 0.9, 0.99]) {
    const exact = times[Math.floor(q * times.length)] ?? 0;
    const estimate = quantileOf(counts, q) ?? 0;
    expect(estimate / exact).toBeGreaterThan(1 / 1.6);
    expect(estimate / exact).toBeLessThan(1.6);
  }
  expect(quantileOf([], 0.5)).toBeNull();
});
