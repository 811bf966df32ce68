import { expect, test } from "bun:test";
import { showQuota, showQuotaExactly, showQuotaInFull, showQuotaShort } from "./quota.ts";

const dollars = { quotaPerUnit: 500_000, inCurrency: true };

test("a small charge never shows as zero nor as another charge", () => {
  expect(showQuota(0, dollars)).toBe("$0.00");
  expect(showQuota(1, dollars)).toBe("$0.000002");
  expect(showQuota(81, dollars)).toBe("$0.000162");
  expect(showQuota(7_000, dollars)).toBe("$0.014");
  expect(showQuota(-7_000, dollars)).toBe("-$0.014");
  expect(showQuota(499_999, dollars)).toBe("$1.00");
});

test("a balance is short to read, and exact in its tooltip", () => {
  expect(showQuota(617_283_950_000, dollars)).toBe("$1,234,567.90");
  expect(showQuotaExactly(617_283_950_001, dollars)).toBe("$1234567.900002 · 617,283,950,001");
  expect(showQuota(1_234_567, { ...dollars, inCurrency: false })).toBe("1,234,567");
});

test("amounts of a statement have every digit, so that they add up", () => {
  expect(showQuotaInFull(999_790, dollars)).toBe("$1.99958");
  expect(showQuotaInFull(-210, dollars)).toBe("-$0.00042");
  expect(showQuotaInFull(1_000_000, dollars)).toBe("$2.00");
  expect(showQuotaInFull(617_283_950_001, dollars)).toBe("$1,234,567.900002");
  expect(showQuotaInFull(1_234_567, { ...dollars, inCurrency: false })).toBe("1,234,567");
});

test("A-458 A-459: 500000 units show as a dollar, or as units where no currency is shown", () => {
  const units = { ...dollars, inCurrency: false };
  expect(showQuotaShort(500_000, dollars)).toBe("$1.00");
  expect(showQuotaShort(500_000, units)).toBe("500k");
  // The tooltip shows the exact amount, with every digit.
  expect(showQuotaExactly(500_000, units)).toBe("$1 · 500,000");
});

test("A-460 A-461 A-462: units from ten thousand on are shortened by a letter, and never rounded up", () => {
  const show = (quota: number) => showQuotaShort(quota, { ...dollars, inCurrency: false });
  expect([0, 9_999, 10_000, 12_345, 999_999].map(show)).toEqual([
    "0",
    "9999",
    "10k",
    "12.3k",
    "999.9k",
  ]);
  expect([1_000_000, 4_560_000, 1_000_000_000, 2_990_000_000_000].map(show)).toEqual([
    "1M",
    "4.5M",
    "1B",
    "2990B",
  ]);
  expect(show(-10_000)).toBe("-10k");
});
