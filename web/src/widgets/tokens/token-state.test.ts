import { expect, test } from "bun:test";
import { tokenStatus } from "@tollgate/contract/endpoints/tokens.ts";
import { tokenWith } from "#widgets/testing/token.ts";
import { tokenState } from "./token-state.ts";

const now = 1_795_000_000;
const { disabled, expired, exhausted } = tokenStatus.enum;

const row = tokenWith({ remain_quota: 200, unlimited_quota: false, used_quota: 800 });

test("O-319 to O-322: a token shows its present state, not the one stored when it was last used", () => {
  expect(tokenState(row, now)).toBe("enabled");
  expect(tokenState({ ...row, status: disabled }, now)).toBe("disabled");
  expect(tokenState({ ...row, expired_time: now }, now)).toBe("expired");
  expect(tokenState({ ...row, expired_time: now + 1 }, now)).toBe("enabled");
  expect(tokenState({ ...row, remain_quota: 0 }, now)).toBe("exhausted");
  expect(tokenState({ ...row, remain_quota: 0, unlimited_quota: true }, now)).toBe("enabled");
});

test("a token that got more time or quota shows as disabled, because it must be enabled again", () => {
  expect(tokenState({ ...row, status: expired }, now)).toBe("disabled");
  expect(tokenState({ ...row, status: exhausted }, now)).toBe("disabled");
  expect(tokenState({ ...row, status: expired, expired_time: now - 1 }, now)).toBe("expired");
});
