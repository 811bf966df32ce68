import "#testing/dom.ts";
import { expect, test } from "bun:test";
import { t } from "#i18n/t.ts";
import { dateText } from "#ui/date/date-text.ts";
import { tokenWith } from "#widgets/testing/token.ts";
import {
  copyNames,
  isChangedElsewhere,
  newTokenForm,
  type TokenForm,
  tokenFormOf,
  tokenSchema,
} from "./token-form.ts";

const nowSeconds = 1_795_000_000;

function readNew(form: Partial<TokenForm>) {
  return read({ ...newTokenForm, name: "laptop", ...form }, nowSeconds);
}

function read(form: TokenForm, now: number | null) {
  const parsed = tokenSchema(t, now).safeParse(form);
  if (parsed.success) return { value: parsed.data };
  return {
    errors: Object.fromEntries(parsed.error.issues.map((issue) => [issue.path[0], issue.message])),
  };
}

const row = tokenWith({
  id: 7,
  user_id: 1,
  key: "ab12••••wxyz",
  status: 1,
  name: "laptop",
  created_time: nowSeconds - 100,
  accessed_time: nowSeconds - 10,
  expired_time: nowSeconds + 3_600,
  remain_quota: 400,
  unlimited_quota: false,
  used_quota: 100,
  model_limits_enabled: true,
  model_limits: "a,b",
  allow_ips: "203.0.113.7\n2001:db8::/32",
  group: "vip",
});

/** The settings that a token has if nothing is chosen, as they are sent. */
const noExtras = {
  deny_ips: "",
  budget_day: 0,
  budget_week: 0,
  budget_month: 0,
  rate_limit_count: 0,
  rate_limit_seconds: 60,
  rate_limit_message: "",
  mj_mode: "",
  mj_proxy_method: "",
  mj_proxy_address: "",
  mj_backup_pool: false,
  chat_links: "",
  tags: "",
} as const;

test("O-274: a new token has a quota of 500000, never expires and has no limits", () => {
  expect(readNew({})).toEqual({
    value: {
      count: 1,
      token: {
        name: "laptop",
        expired_time: -1,
        remain_quota: 500_000,
        unlimited_quota: false,
        model_limits_enabled: false,
        model_limits: "",
        allow_ips: "",
        ...noExtras,
        group: "",
      },
    },
  });
});

test("a row goes through the form unchanged", () => {
  const { value } = read(tokenFormOf(row), null);
  expect(value?.token).toEqual({
    name: "laptop",
    expired_time: row.expired_time,
    remain_quota: 400,
    unlimited_quota: false,
    model_limits_enabled: true,
    model_limits: "a,b",
    allow_ips: row.allow_ips,
    ...noExtras,
    group: "vip",
  });
});

test("O-286 to O-292: budgets, limits and drawing settings of a token go through the form", () => {
  const extras = {
    ...noExtras,
    deny_ips: "198.51.100.0/24",
    budget_day: 500,
    budget_month: 9_000,
    rate_limit_count: 5,
    rate_limit_seconds: 30,
    rate_limit_message: "slow down",
    mj_mode: "relax",
    mj_proxy_method: "prefix",
    mj_proxy_address: "https://pictures.example/",
    mj_backup_pool: true,
    chat_links: "NextChat https://chat.example/#/{key}",
  } as const;
  expect(read(tokenFormOf({ ...row, ...extras }), null).value?.token).toMatchObject(extras);
  expect(isChangedElsewhere(row, { ...row, budget_day: 1 })).toBe(true);
});

test("O-286 to O-292: invalid budgets, limits and addresses are named", () => {
  const { errors } = readNew({
    deny_ips: "here",
    budget_day: Number.NaN,
    rate_limit_count: -1,
    mj_proxy_address: "ftp://x",
  });
  expect(Object.keys(errors ?? {}).toSorted()).toEqual([
    "budget_day",
    "deny_ips",
    "mj_proxy_address",
    "rate_limit_count",
  ]);
});

test("O-266: a name is required, without the spaces around it", () => {
  expect(readNew({ name: "  " }).errors).toEqual({ name: "请输入名称" });
  expect(readNew({ name: "名".repeat(31) }).errors).toHaveProperty("name");
  expect(readNew({ name: ` ${"🙂".repeat(30)} ` }).value?.token.name).toBe("🙂".repeat(30));
});

test("O-267: an invalid time is refused in the specification's words", () => {
  for (const text of ["明天", "2026-13-01 00:00:00", "2026-02-30", "1", "9999-99-99"]) {
    expect(readNew({ expired_time: text }).errors).toEqual({
      expired_time: "过期时间格式错误！",
    });
  }
});

test("a new token cannot expire in the past, an old one can", () => {
  const past = dateText(nowSeconds - 60);
  expect(readNew({ expired_time: past }).errors).toEqual({ expired_time: "过期时间已经过去" });
  const { value } = read({ ...tokenFormOf(row), expired_time: past }, null);
  expect(value?.token.expired_time).toBe(nowSeconds - 60);
});

test("O-268: quota is a whole number of units, and is ignored if the token is unlimited", () => {
  for (const remain_quota of [null, Number.NaN, -1, 1.5]) {
    expect(readNew({ remain_quota }).errors).toHaveProperty("remain_quota");
    expect(readNew({ remain_quota, unlimited_quota: true }).value?.token.remain_quota).toBe(0);
  }
  expect(readNew({ remain_quota: 0 }).value?.token.remain_quota).toBe(0);
});

test("O-269: the count is a whole number of at least one", () => {
  for (const count of [0, -1, 1.5, null, 101]) {
    expect(readNew({ count }).errors).toHaveProperty("count");
  }
  expect(readNew({ count: 100 }).value?.count).toBe(100);
});

test("O-270: several tokens get the name, then names that end in six letters or digits", () => {
  let made = 0;
  const random = () => `abc12${(made += 1)}`;
  expect(copyNames("a", 3, random)).toEqual(["a", "a-abc121", "a-abc122"]);
  // A name has at most thirty characters, so a long one is cut to make room for the suffix.
  expect(copyNames("名".repeat(30), 2, random)[1]).toBe(`${"名".repeat(23)}-abc123`);
});

test("O-272, O-273: addresses are one a line; an invalid line is named, empty ones are ignored", () => {
  const lines = "203.0.113.7\n\n 10.0.0.0/8 \n2001:db8::1\n2001:db8::/32\n";
  expect(readNew({ allow_ips: lines }).value?.token.allow_ips).toBe(
    "203.0.113.7\n10.0.0.0/8\n2001:db8::1\n2001:db8::/32",
  );
  expect(readNew({ allow_ips: " \n" }).value?.token.allow_ips).toBe("");
  for (const wrong of ["abc", "203.0.113", "203.0.113.7/33", "2001:db8::/129", "10.0.0.1-9"]) {
    const { errors } = readNew({ allow_ips: `203.0.113.7\n${wrong}` });
    expect(errors?.["allow_ips"]).toBe(`第 2 行不是有效的 IP 地址或网段：${wrong}`);
  }
});

test("a token limited to no model at all is refused", () => {
  expect(readNew({ model_limits_enabled: true }).errors).toHaveProperty("model_limits");
  const { value } = readNew({ model_limits_enabled: true, model_limits: ["a", "b"] });
  expect(value?.token.model_limits).toBe("a,b");
});

test("all invalid fields are reported at once", () => {
  const { errors } = readNew({
    name: "",
    expired_time: "x",
    remain_quota: null,
    count: 0,
    allow_ips: "x",
    model_limits_enabled: true,
  });
  expect(Object.keys(errors ?? {}).toSorted()).toEqual([
    "allow_ips",
    "count",
    "expired_time",
    "model_limits",
    "name",
    "remain_quota",
  ]);
});

test("a record is stale after an edit elsewhere, not after calls with the token", () => {
  const spent = { ...row, remain_quota: 300, used_quota: 200, accessed_time: nowSeconds };
  expect(isChangedElsewhere(row, spent)).toBe(false);
  expect(isChangedElsewhere(row, { ...row, status: 2 })).toBe(false);
  expect(isChangedElsewhere(row, { ...row, name: "phone" })).toBe(true);
  expect(isChangedElsewhere(row, { ...row, remain_quota: 900 })).toBe(true);
});
