import { expect, test } from "bun:test";
import { quotaAmount, quotaMax, readQuota } from "./quota-amount.ts";

const dollars = { quotaPerUnit: 500_000, inCurrency: true };
const units = { quotaPerUnit: 500_000, inCurrency: false };

test("a dollar amount becomes exact units, where floating point would drift", () => {
  expect(1.005 * 500_000).not.toBe(502_500);
  expect(readQuota("1.005", dollars)).toBe(502_500);
  expect(readQuota("0.0079", dollars)).toBe(3_950);
  expect(readQuota("1.1", dollars)).toBe(550_000);
  expect(readQuota("19.99", dollars)).toBe(9_995_000);
  expect(readQuota("0.000002", dollars)).toBe(1);
  expect(readQuota("9007199254.740991", dollars)).toBe(4_503_599_627_370_496);
});

test("amounts are read as people write them", () => {
  expect(readQuota(" $1,234.5 ", dollars)).toBe(617_250_000);
  expect(readQuota(".5", dollars)).toBe(250_000);
  expect(readQuota("5.", dollars)).toBe(2_500_000);
  expect(readQuota("-2", dollars)).toBe(-1_000_000);
  expect(readQuota("", dollars)).toBeNull();
  expect(readQuota("  ", dollars)).toBeNull();
});

test("a text that is no amount is NaN, never zero", () => {
  for (const text of [".", "-", "1e5", "1.2.3", "一", "0x1", "1/2"]) {
    expect(readQuota(text, dollars)).toBeNaN();
  }
  expect(readQuota(String(quotaMax), dollars)).toBeNaN();
  expect(readQuota(String(quotaMax), units)).toBe(quotaMax);
});

test("an amount finer than a unit is rounded to the nearest unit; a count of units is cut", () => {
  expect(readQuota("0.000001", dollars)).toBe(1);
  expect(readQuota("0.0000009", dollars)).toBe(0);
  expect(readQuota("1.5", units)).toBe(1);
});

test("a shown amount is read back as the same units, whatever a dollar buys", () => {
  const amounts = [0, 1, 2, 3, 145, 499_999, 500_000, 123_456_789, quotaMax, -7];
  for (const quotaPerUnit of [500_000, 1, 3, 7_300, 0.5, 123_456.789]) {
    const display = { quotaPerUnit, inCurrency: true };
    expect(amounts.map((quota) => readQuota(quotaAmount(quota, display), display))).toEqual(
      amounts,
    );
  }
});

test("a shown amount has no needless digits", () => {
  expect(quotaAmount(500_000, dollars)).toBe("1");
  expect(quotaAmount(750_000, dollars)).toBe("1.5");
  expect(quotaAmount(1, dollars)).toBe("0.000002");
  expect(quotaAmount(1_234, units)).toBe("1234");
  expect(quotaAmount(Number.NaN, dollars)).toBe("");
});
