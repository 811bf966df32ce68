import { expect, test } from "bun:test";
import { showQuota, showQuotaExactly } from "./quota.ts";

const dollars = { quotaPerUnit: 500_000, inCurrency: true };

test("a small charge is never shown as nothing, nor as another one's", () => {
  expect(showQuota(0, dollars)).toBe("$0.00");
  expect(showQuota(1, dollars)).toBe("$0.000002");
  expect(showQuota(81, dollars)).toBe("$0.000162");
  expect(showQuota(7_000, dollars)).toBe("$0.014");
  expect(showQuota(-7_000, dollars)).toBe("-$0.014");
  expect(showQuota(499_999, dollars)).toBe("$1.00");
});

test("a balance is read at a glance, and exactly in its tooltip", () => {
  expect(showQuota(617_283_950_000, dollars)).toBe("$1,234,567.90");
  expect(showQuotaExactly(617_283_950_001, dollars)).toBe("$1234567.900002 · 617,283,950,001");
  expect(showQuota(1_234_567, { ...dollars, inCurrency: false })).toBe("1,234,567");
});
