import "#testing/dom.ts";
import { expect, test } from "bun:test";
import type { z } from "zod";
import { t } from "#i18n/t.ts";
import { userRow } from "#widgets/testing/user.ts";
import {
  isChangedElsewhere,
  newUserForm,
  newUserSchema,
  type UserForm,
  userFormOf,
  userSchema,
} from "./user-form.ts";

const row = userRow({ quota: 500 });

function read<Value>(schema: z.ZodType<Value>, form: unknown) {
  const parsed = schema.safeParse(form);
  if (parsed.success) return { value: parsed.data };
  return {
    errors: Object.fromEntries(parsed.error.issues.map((issue) => [issue.path[0], issue.message])),
  };
}
const readNew = (form: object) => read(newUserSchema(t), { ...newUserForm, ...form });
const readEdit = (form: Partial<UserForm>, from = row) =>
  read(userSchema(t, from), { ...userFormOf(from), ...form });

test("A-244: a new user needs username and password, in the specification's words", () => {
  const missing = "用户名和密码不能为空！";
  expect(readNew({}).errors).toEqual({ username: missing, password: missing });
  expect(readNew({ username: " ", password: "12345678" }).errors).toEqual({ username: missing });
  expect(readNew({ username: "a", password: "1234567" }).errors).toEqual({
    password: "密码长度必须在 8-128 之间",
  });
  expect(readNew({ username: " bob ", password: "12345678" }).value).toEqual({
    username: "bob",
    display_name: "",
    password: "12345678",
  });
});

test("names are counted in characters, as the server counts them", () => {
  const password = "12345678";
  expect(readNew({ username: "🙂".repeat(12), password }).value).toBeDefined();
  expect(readNew({ username: "🙂".repeat(13), password }).errors).toHaveProperty("username");
  expect(readNew({ username: "a", display_name: "名".repeat(21), password }).errors).toEqual({
    display_name: "显示名称最多 20 个字符",
  });
});

test("a new username must not be an e-mail address; a user who has one can be edited", () => {
  const at = { username: "用户名不能含有 @" };
  expect(readNew({ username: "a@b.test", password: "12345678" }).errors).toEqual(at);
  expect(readEdit({ username: "a@b.test" }).errors).toEqual(at);
  const imported = userRow({ username: "carol.smith@b.test" });
  expect(readEdit({ display_name: "Carol" }, imported).value).toEqual({ display_name: "Carol" });
});

test("A-230, A-231, A-233: an edit sends only changed values", () => {
  expect(readEdit({}).value).toEqual({});
  expect(readEdit({ username: "bob" }).value).toEqual({ username: "bob" });
  expect(readEdit({ display_name: "Bob" }).value).toEqual({ display_name: "Bob" });
  expect(readEdit({ group: "vip" }).value).toEqual({ group: "vip" });
  expect(readEdit({ username: "" }).errors).toHaveProperty("username");
  // The server ignores an empty display name, so the form sends the username instead.
  expect(readEdit({ display_name: "" }).value).toEqual({ display_name: "alice" });
});

test("A-232, A-245: a new password has at least 8 characters, an empty one changes nothing", () => {
  expect(readEdit({ password: "" }).value).toEqual({});
  expect(readEdit({ password: "1234567" }).errors).toEqual({
    password: "密码长度必须在 8-128 之间",
  });
  expect(readEdit({ password: "12345678" }).value).toEqual({ password: "12345678" });
});

test("A-234, A-246: quota is sent as the difference, which may be negative", () => {
  expect(readEdit({ quota_amount: 100 }).value).toEqual({ quota_delta: 100 });
  expect(readEdit({ quota_amount: -100 }).value).toEqual({ quota_delta: -100 });
  for (const quota_amount of [100, -100]) {
    const { value } = readEdit({ quota_mode: "subtract", quota_amount, reason: " 退款 " });
    expect(value).toEqual({ quota_delta: -100, reason: "退款" });
  }
  expect(readEdit({ quota_amount: 0, reason: "x" }).value).toEqual({});
  expect(readEdit({ quota_amount: Number.NaN }).errors).toEqual({
    quota_amount: "请输入有效的额度",
  });
});

test("A-247: no more than the balance can be taken", () => {
  const low = { quota_amount: "剩余额度不能小于0" };
  expect(readEdit({ quota_amount: -600 }).errors).toEqual(low);
  expect(readEdit({ quota_mode: "subtract", quota_amount: 501 }).errors).toEqual(low);
  expect(readEdit({ quota_mode: "subtract", quota_amount: 500 }).value).toEqual({
    quota_delta: -500,
  });
  // Calls that were under way may have spent more than the balance, so it can be below 0. Even then
  // an administrator must be able to raise it.
  expect(readEdit({ quota_amount: 10 }, userRow({ quota: -50 })).value).toEqual({
    quota_delta: 10,
  });
});

test("all invalid fields are reported at once", () => {
  const { errors } = readEdit({
    username: "",
    password: "x",
    group: "",
    quota_amount: -600,
    reason: "x".repeat(201),
  });
  expect(Object.keys(errors ?? {}).toSorted()).toEqual([
    "group",
    "password",
    "quota_amount",
    "reason",
    "username",
  ]);
});

test("a user is stale after an edit elsewhere, not after spending", () => {
  const spent = { ...row, quota: 300, used_quota: 200, request_count: 3 };
  expect(isChangedElsewhere(row, spent)).toBe(false);
  for (const change of [{ username: "bob" }, { group: "vip" }, { role: 10 }] as const) {
    expect(isChangedElsewhere(row, { ...row, ...change })).toBe(true);
  }
});
