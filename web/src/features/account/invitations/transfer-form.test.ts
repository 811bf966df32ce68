import "#testing/dom.ts";
import { expect, test } from "bun:test";
import { t } from "#i18n/t.ts";
import { leastTransfer, transferSchema } from "./transfer-form.ts";

const display = { quotaPerUnit: 500_000, inCurrency: true };

function read(quota: number | null, earnings = 2_000_000, shown = display): number | string {
  const parsed = transferSchema(t, { earnings, display: shown }).safeParse({ quota });
  return parsed.success ? parsed.data.quota : (parsed.error.issues[0]?.message ?? "");
}

test("A-146: a dollar's worth can be transferred; one unit less is refused with the minimum", () => {
  expect(read(500_000)).toBe(500_000);
  expect(read(499_999)).toBe("划转金额最低为$1.00");
  expect(read(499_999, 2_000_000, { ...display, inCurrency: false })).toBe("划转金额最低为500,000");
  expect(read(-1)).toBe("划转金额最低为$1.00");
});

test("A-145: no more than the earnings can be transferred, and only a valid amount", () => {
  expect(read(2_000_000)).toBe(2_000_000);
  expect(read(2_000_001)).toBe("最多可划转 $4.00");
  expect(read(null)).toBe("请输入划转金额");
  expect(read(Number.NaN)).toBe("请输入数字");
});

test("the minimum is a whole number although a dollar is not", () => {
  expect(leastTransfer({ ...display, quotaPerUnit: 0.5 })).toBe(1);
  expect(leastTransfer({ ...display, quotaPerUnit: 500_000.25 })).toBe(500_001);
});
