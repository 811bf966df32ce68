import { describe, expect, test } from "bun:test";
import {
  changedNames,
  faultOf,
  isChanged,
  plain,
  saveOrder,
  storedTexts,
  triedSiteKey,
  withoutName,
} from "./option-drafts.ts";

describe("what is sent", () => {
  test("A-223: only changed values; another spelling of a value is no change", () => {
    const stored = { RetryTimes: "2", ModelRatio: '{\n  "a": 0.1\n}', SystemName: "Tollgate" };
    expect(changedNames(["RetryTimes", "SystemName"], stored, { RetryTimes: "3" })).toEqual([
      "RetryTimes",
    ]);
    expect(changedNames(["RetryTimes"], stored, {})).toEqual([]);
    expect(isChanged("RetryTimes", "2", "2")).toBe(false);
    expect(isChanged("ModelRatio", stored.ModelRatio, '{"a":0.10}')).toBe(false);
    expect(isChanged("ModelRatio", stored.ModelRatio, '{"a":0.11}')).toBe(true);
    expect(isChanged("SystemName", "Tollgate", " Tollgate ")).toBe(false);
  });

  test("A-184: an empty secret is no change, a typed one is", () => {
    expect(isChanged("GitHubClientSecret", "", "")).toBe(false);
    expect(isChanged("GitHubClientSecret", "", "s3cret")).toBe(true);
  });

  test("decimals keep every digit", () => {
    expect(plain("ModelRatio", '{"a": 0.123456789012}')).toBe('{\n  "a": 0.123456789012\n}');
    expect(plain("Price", "7.30")).toBe("7.3");
  });

  test("switches are sent last, because they need the values beside them", () => {
    expect(saveOrder(["GitHubOAuthEnabled", "GitHubClientId", "GitHubClientSecret"])).toEqual([
      "GitHubClientId",
      "GitHubClientSecret",
      "GitHubOAuthEnabled",
    ]);
  });

  test("keys that the console does not know are left out", () => {
    expect(
      storedTexts([
        { key: "RetryTimes", value: "2" },
        { key: "NoSuchOption", value: "1" },
      ]),
    ).toEqual({ RetryTimes: "2" });
  });
});

describe("what is refused before it is sent", () => {
  test("A-190: top-up ratios that are invalid", () => {
    expect(faultOf("TopupGroupRatio", "{")).toEqual({ kind: "topup-json" });
  });

  test.each(["ModelPrice", "ModelRatio", "CompletionRatio", "GroupRatio", "UserUsableGroups"])(
    "A-209 to A-213: %s must be JSON",
    (name) => {
      const message = "不是合法的 JSON 字符串";
      expect(faultOf(name as "ModelPrice", "{")).toEqual({ kind: "message", message });
    },
  );

  test("A-201: the chat links must be JSON", () => {
    expect(faultOf("Chats", "[")).toEqual({ kind: "message", message: "不是合法的 JSON 字符串" });
    expect(faultOf("Chats", '[{"A":"https://a.example/?k={key}"}]')).toBeUndefined();
  });

  test("A-169, A-191: at least one minute and one dollar", () => {
    for (const name of ["DataExportInterval", "MinTopUp"] as const) {
      expect(faultOf(name, "0")).toMatchObject({ kind: "message" });
      expect(faultOf(name, "1")).toBeUndefined();
    }
  });

  test("a refusal at its field does not repeat the key", () => {
    expect(withoutName("RetryTimes", "RetryTimes：不是数字")).toBe("不是数字");
    expect(withoutName("RetryTimes", "不是数字")).toBe("不是数字");
  });
});

test("the bot check is tried with the site key that a save would put in force", () => {
  const off = { TurnstileCheckEnabled: "false", TurnstileSiteKey: "site" };
  const on = { ...off, TurnstileCheckEnabled: "true" };
  expect(triedSiteKey(off, {})).toBeNull();
  expect(triedSiteKey(on, {})).toBeNull();
  expect(triedSiteKey(on, { TurnstileSecretKey: "new" })).toBe("site");
  expect(triedSiteKey(off, { TurnstileCheckEnabled: "true", TurnstileSiteKey: "b" })).toBe("b");
  expect(triedSiteKey({}, { TurnstileCheckEnabled: "true" })).toBeNull();
});
