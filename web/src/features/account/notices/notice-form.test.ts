import "#testing/dom.ts";
import { expect, test } from "bun:test";
import { t } from "#i18n/t.ts";
import { fieldsOfForm, noticeSchema, readNotices, withEvent } from "./notice-form.ts";

const saved = {
  notify_type: "webhook",
  events: ["announcement"],
  quota_warning_threshold: 1_500_000,
  notification_email: "a@b.test",
  webhook_url: "https://hooks.test/x",
  has_webhook_secret: true,
  bark_url: "",
  has_robot_key: true,
  robot_type: "wecom",
};

test("A-035, A-037, A-038: saved settings are read back, without secret and key", () => {
  const { form, settings, isSaved } = readNotices(JSON.stringify(saved));
  expect(isSaved).toBe(true);
  const isSet = (way: "dingtalk" | "webhook" | "wecom") =>
    fieldsOfForm(way, settings, t).filter((field) => field.isSet);
  expect(isSet("webhook")).toMatchObject([{ name: "webhook_secret" }]);
  expect([isSet("wecom").length, isSet("dingtalk").length]).toEqual([1, 0]);
  // Cast: the form also holds the fields of all notice methods, which its type does not list.
  expect(form as unknown).toMatchObject({
    events: ["announcement"],
    notify_type: "webhook",
    quota_warning_threshold: 1_500_000,
    notification_email: "a@b.test",
    webhook_url: "https://hooks.test/x",
    webhook_secret: "",
    bark_url: "",
    robot_key: "",
  });
});

test("A-035: events keep their order, so removing one and adding it again is no change", () => {
  const { events } = readNotices("").form;
  expect(events).toEqual(["quota_low"]);
  const more = withEvent(events, "announcement", true);
  expect(more).toEqual(["quota_low", "announcement"]);
  expect(withEvent(withEvent(more, "quota_low", false), "quota_low", true)).toEqual(more);
  expect(withEvent(more, "announcement", true)).toEqual(more);
});

test("missing and unreadable settings give the same empty form", () => {
  expect(readNotices("").isSaved).toBe(false);
  expect(readNotices("{").form).toEqual(readNotices("").form);
  expect(readNotices('{"notify_type":"pigeon"}').form.notify_type).toBe("email");
});

function faults(typed: object, robot: "" | "dingtalk" | "wecom" = "") {
  const form = { ...readNotices("").form, quota_warning_threshold: 1, ...typed };
  const settings = robot === "" ? {} : { robot_type: robot, has_robot_key: true };
  const parsed = noticeSchema(t, settings).safeParse(form);
  return (parsed.error?.issues ?? []).map(({ path, message }) => [path[0], message]);
}

test("A-036: only the fields of the chosen method are checked", () => {
  expect(faults({})).toEqual([]);
  expect(faults({ notification_email: "nobody" })).toEqual([
    ["notification_email", "无效的邮箱地址"],
  ]);
  expect(faults({ notify_type: "webhook", notification_email: "nobody" })).toEqual([
    ["webhook_url", "Webhook地址不能为空"],
  ]);
  expect(faults({ notify_type: "webhook", webhook_url: "hooks.test" })).toEqual([
    ["webhook_url", "无效的Webhook地址"],
  ]);
  expect(faults({ notify_type: "bark" })).toEqual([["bark_url", "Bark推送地址不能为空"]]);
  const bark_url = "https://api.day.app/k/{{title}}/{{content}}";
  expect(faults({ notify_type: "bark", bark_url })).toEqual([]);
});

test("A-036: fields of other methods are sent if they are valid, and else as saved", () => {
  const { form, settings } = readNotices(JSON.stringify(saved));
  const sent = (typed: object) => noticeSchema(t, settings).parse({ ...form, ...typed });
  expect(sent({ notify_type: "email", webhook_url: " https://new.test/x " })).toMatchObject({
    webhook_url: "https://new.test/x",
  });
  expect(sent({ notify_type: "email", webhook_url: "new.test" })).toMatchObject({
    webhook_url: "https://hooks.test/x",
  });
});

test("A-037: a robot needs a key, of the characters that keys have", () => {
  const missing = [["robot_key", "请填写机器人密钥"]];
  expect(faults({ notify_type: "dingtalk" })).toEqual(missing);
  expect(faults({ notify_type: "dingtalk" }, "wecom")).toEqual(missing);
  expect(faults({ notify_type: "dingtalk" }, "dingtalk")).toEqual([]);
  expect(faults({ notify_type: "wecom", robot_key: " a1-B2_c3 " })).toEqual([]);
  for (const robot_key of ["a&b", "https://oapi.dingtalk.com/robot/send?access_token=a", "密"]) {
    expect(faults({ notify_type: "wecom", robot_key }, "wecom")).toEqual([
      ["robot_key", "机器人密钥只能包含字母、数字、- 和 _"],
    ]);
  }
  expect(faults({ notify_type: "wecom", robot_key: "x".repeat(129) })).toEqual([
    ["robot_key", "机器人密钥最多 128 个字符"],
  ]);
});

test("A-038: a threshold is an amount above 0", () => {
  for (const quota_warning_threshold of [null, 0, -1, Number.NaN]) {
    expect(faults({ quota_warning_threshold })).toEqual([
      ["quota_warning_threshold", "预警阈值必须大于0"],
    ]);
  }
});
