import "#testing/dom.ts";
import { expect, test } from "bun:test";
import { t } from "#i18n/t.ts";
import { emptyRegistration, registerSchema } from "./register-form.ts";

const good = { ...emptyRegistration, username: "ann", password: "12345678", password2: "12345678" };
const mail = { email: "Ann@Example.COM ", verification_code: " 012345 " };

function faults(typed: Partial<typeof emptyRegistration>, withMail = false): [string, string][] {
  const parsed = registerSchema(t, withMail).safeParse({ ...good, ...typed });
  return (parsed.error?.issues ?? []).map(({ path, message }) => [String(path[0]), message]);
}

test("A-107 A-108 A-109: faults of name, length and repetition are shown at their fields, all at once", () => {
  expect(faults({ username: " ", password: "1234567", password2: "" })).toEqual([
    ["username", "请输入用户名"],
    ["password", "密码长度不得小于 8 位！"],
    ["password2", "两次输入的密码不一致"],
  ]);
  expect(faults({ username: "", password: "", password2: "" }).map(([name]) => name)).toEqual([
    "username",
    "password",
  ]);
});

test("A-111 A-112 A-113: a name of 12 and a password of 128 characters are valid, longer ones are not", () => {
  const typed = (name: number, password: number) => ({
    username: "字".repeat(name),
    password: "x".repeat(password),
    password2: "x".repeat(password),
  });
  expect(faults(typed(12, 21))).toEqual([]);
  expect(faults(typed(12, 128))).toEqual([]);
  expect(faults(typed(13, 129))).toEqual([
    ["username", "用户名最多 12 个字符"],
    ["password", "密码最多 128 个字符"],
  ]);
});

test("a name with an @ is refused, as the server would refuse it", () => {
  expect(faults({ username: "a@b.test" })).toEqual([["username", "用户名不能含有 @"]]);
});

test("A-102 A-104: address and code are required if the server checks them, else not sent", () => {
  expect(faults({}, true)).toEqual([
    ["email", "请输入邮箱！"],
    ["verification_code", "请输入验证码！"],
  ]);
  expect(faults({ ...mail, email: "ann" }, true)).toEqual([["email", "无效的邮箱地址"]]);
  expect(registerSchema(t, true).parse({ ...good, ...mail })).toEqual({
    ...good,
    email: "ann@example.com",
    verification_code: "012345",
  });
  expect(registerSchema(t, false).parse({ ...good, ...mail })).toEqual(good);
});
