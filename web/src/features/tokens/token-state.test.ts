import { expect, test } from "bun:test";
import { tokenWith } from "#widgets/testing/token.ts";
import { expiryTone, modelLimitsOf, spendOf } from "./token-state.ts";

const now = 1_795_000_000;

const row = tokenWith({ remain_quota: 200, unlimited_quota: false, used_quota: 800 });

test("the bar warns from four fifths of the quota on", () => {
  expect(spendOf(row)).toEqual({ granted: 1_000, used: 800, tone: "warning" });
  expect(spendOf({ ...row, remain_quota: 201, used_quota: 799 })?.tone).toBe("accent");
  expect(spendOf({ ...row, remain_quota: 0 })?.tone).toBe("danger");
  expect(spendOf({ ...row, remain_quota: 0, used_quota: 0 })).toMatchObject({ granted: 0 });
  expect(spendOf({ ...row, unlimited_quota: true })).toBeNull();
});

test("an expiry is marked three days before", () => {
  const day = 86_400;
  expect(expiryTone(row, now)).toBe("neutral");
  expect(expiryTone({ ...row, expired_time: now + 3 * day + 1 }, now)).toBe("neutral");
  expect(expiryTone({ ...row, expired_time: now + 3 * day }, now)).toBe("warning");
  expect(expiryTone({ ...row, expired_time: now }, now)).toBe("danger");
});

test("no model limits are an empty list, not a list of one empty name", () => {
  expect(modelLimitsOf(row)).toEqual([]);
  expect(modelLimitsOf({ ...row, model_limits: "a,b" })).toEqual(["a", "b"]);
});
