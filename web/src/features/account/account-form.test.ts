import "#testing/dom.ts";
import { expect, test } from "bun:test";
import { t } from "#i18n/t.ts";
import { accountSchema, type PasswordForm, passwordSchema } from "./account-form.ts";

function faults(form: PasswordForm, mayHaveNone = false) {
  const parsed = passwordSchema(t, mayHaveNone).safeParse(form);
  if (parsed.success) return parsed.data;
  return Object.fromEntries(parsed.error.issues.map((issue) => [issue.path[0], issue.message]));
}

test("A-131: the two entries of a new password must match, and only one is sent", () => {
  const typed = { original_password: "old", password: "long enough", repeated: "long enough" };
  expect(faults(typed)).toEqual({ original_password: "old", password: "long enough" });
  expect(faults({ ...typed, repeated: "long enougH" })).toEqual({
    repeated: "两次输入的密码不一致",
  });
});

test("A-130: the present password is required, and the new one must have the right length", () => {
  const typed = { original_password: "", password: "short", repeated: "short" };
  expect(faults(typed)).toEqual({
    original_password: "请输入当前密码",
    password: "密码长度为 8 到 128 个字符",
  });
  const none = { original_password: "", password: "long enough", repeated: "long enough" };
  expect(faults(none, true)).toEqual({ original_password: "", password: "long enough" });
});

test("A-128, A-129: a username is required, a display name is not; neither is too long", () => {
  const read = (username: string, display_name: string) =>
    accountSchema(t, "bob").safeParse({ username, display_name, language: "en" }).success;
  expect(read(" alice ", "")).toBe(true);
  expect(read(" ", "Alice")).toBe(false);
  expect(read("a".repeat(13), "")).toBe(false);
  expect(read("alice", "a".repeat(21))).toBe(false);
});

test("a username cannot become an e-mail address, but an account keeps the name it has", () => {
  const read = (username: string, present: string) =>
    accountSchema(t, present).safeParse({ username, display_name: "", language: "en" });
  expect(read("bob@b.test", "alice").error?.issues[0]?.message).toBe("用户名不能含有 @");
  expect(read("carol@b.test", "carol@b.test").success).toBe(true);
  expect(read("linuxdo_10000000", "linuxdo_10000000").success).toBe(true);
});
