import "#test/dom.ts";
import { expect, test } from "bun:test";
import { t } from "#i18n/t.ts";
import { type NoticeForm, noticeSchema, readNotices } from "./notice-form.ts";

const saved = {
  notify_type: "webhook",
  quota_warning_threshold: 1_500_000,
  notification_email: "a@b.test",
  webhook_url: "https://hooks.test/x",
  has_webhook_secret: true,
  bark_url: "",
};

test("A-037, A-038: what was saved is read back, and the secret is not shown", () => {
  const { form, hasWebhookSecret, isSaved } = readNotices(JSON.stringify(saved));
  expect([hasWebhookSecret, isSaved]).toEqual([true, true]);
  expect(form).toEqual({
    notify_type: "webhook",
    quota_warning_threshold: 1_500_000,
    notification_email: "a@b.test",
    webhook_url: "https://hooks.test/x",
    webhook_secret: "",
    bark_url: "",
  });
});

test("nothing saved, and what nobody can read, is the same empty form", () => {
  expect(readNotices("").isSaved).toBe(false);
  expect(readNotices("{").form).toEqual(readNotices("").form);
  expect(readNotices('{"notify_type":"pigeon"}').form.notify_type).toBe("email");
});

function faults(typed: Partial<NoticeForm>) {
  const form: NoticeForm = { ...readNotices("").form, quota_warning_threshold: 1, ...typed };
  const parsed = noticeSchema(t).safeParse(form);
  return (parsed.error?.issues ?? []).map(({ path, message }) => [path[0], message]);
}

test("A-036: only the chosen way is checked, by what it needs", () => {
  expect(faults({})).toEqual([]);
  expect(faults({ notification_email: "nobody" })).toEqual([
    ["notification_email", "无效的邮箱地址"],
  ]);
  expect(faults({ notify_type: "webhook", notification_email: "nobody" })).toEqual([
    ["webhook_url", "请输入地址"],
  ]);
  expect(faults({ notify_type: "webhook", webhook_url: "hooks.test" })).toEqual([
    ["webhook_url", "无效的地址，应以 https:// 开头"],
  ]);
  expect(faults({ notify_type: "bark" })).toEqual([["bark_url", "请输入地址"]]);
  const bark_url = "https://api.day.app/k/{{title}}/{{content}}";
  expect(faults({ notify_type: "bark", bark_url })).toEqual([]);
});

test("A-038: a threshold is an amount above 0", () => {
  for (const quota_warning_threshold of [null, 0, -1, Number.NaN]) {
    expect(faults({ quota_warning_threshold })).toEqual([
      ["quota_warning_threshold", "预警阈值必须大于0"],
    ]);
  }
});
