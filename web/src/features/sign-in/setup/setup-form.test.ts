import "#testing/dom.ts";
import { expect, test } from "bun:test";
import { t } from "#i18n/t.ts";
import { emptySetup, setupSchema, tokenOf } from "./setup-form.ts";

const token = "2SLBscmFutwrm9dOnRt0zISerWWYHKWa8MI0M1xIkAz";

function faults(typed: Partial<typeof emptySetup>): [string, string][] {
  const parsed = setupSchema(t).safeParse({ ...emptySetup, token, ...typed });
  return (parsed.error?.issues ?? []).map(({ path, message }) => [String(path[0]), message]);
}

test("the token is found in the printed link, behind its # and by itself", () => {
  for (const text of [
    `http://127.0.0.1:3000/setup#token=${token}`,
    `#token=${token}`,
    ` ${token}\n`,
  ]) {
    expect(tokenOf(text)).toBe(token);
  }
  const none = ["", "http://127.0.0.1:3000/setup", "two words"];
  expect(none.map(tokenOf)).toEqual(["", "", ""]);
});

test("all faults are shown at their fields at once", () => {
  expect(faults({ password: "short", confirmPassword: "other", username: " " })).toEqual([
    ["username", "请输入用户名"],
    ["password", "密码长度不得小于 8 位！"],
    ["confirmPassword", "两次输入的密码不一致"],
  ]);
  expect(faults({ token: "", password: "long enough", confirmPassword: "long enough" })).toEqual([
    ["token", "请填写初始化链接或令牌"],
  ]);
  expect(
    faults({ username: "a".repeat(13), password: "12345678", confirmPassword: "12345678" }),
  ).toEqual([["username", "用户名最多 12 个字符"]]);
});

test("valid input is sent under the API's names, with the token alone", () => {
  const typed = {
    ...emptySetup,
    token: `http://gateway.test/setup#token=${token}`,
    username: " chief ",
    password: "12345678",
    confirmPassword: "12345678",
    SelfUseModeEnabled: true,
  };
  expect(setupSchema(t).parse(typed)).toEqual({ ...typed, token, username: "chief" });
});
