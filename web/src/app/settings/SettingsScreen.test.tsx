import { screen, waitFor, within } from "#testing/dom.ts";
import { afterEach, expect, test } from "bun:test";
import { statusStore } from "#api/status.ts";
import { role } from "@tollgate/contract/endpoints/users.ts";
import { submitTwice } from "#testing/submit-twice.ts";
import { openSettings, section } from "./testing/settings.tsx";
import { statusWith } from "#widgets/testing/status.ts";
import { expectToast, press, type } from "#testing/act.ts";

let restore = () => {};
afterEach(() => restore());

async function open(...of: Parameters<typeof openSettings>) {
  const opened = await openSettings(...of);
  restore = opened.stop;
  return opened;
}

test("A-152: users other than root see only their account, whatever the address says", async () => {
  for (const as of [role.enum.user, role.enum.admin]) {
    for (const at of ["/setting", "/setting?tab=system"]) {
      await open(at, { as });
      expect(await screen.findByRole("heading", { name: "可用模型" })).toBeTruthy();
      expect(screen.queryByRole("tab")).toBeNull();
      restore();
    }
  }
});

test("A-223, A-423: one changed value is one call, and its mark goes", async () => {
  const { sent } = await open("/setting?tab=operation");
  const quota = await section("额度");
  await type(quota.getByLabelText("新用户初始额度"), "0.004");
  expect(quota.getByText("= 2,000 额度")).toBeTruthy();
  expect(quota.getByText("已修改，原值：$0.00")).toBeTruthy();
  await press(quota.getByRole("button", { name: "保存" }));
  expect(sent).toEqual([
    { method: "PUT", path: "/api/option/", body: { key: "QuotaForNewUser", value: "2000" } },
  ]);
  await expectToast("操作成功完成！");
  await expectToast("保存成功：1 项");
  await waitFor(() => expect(quota.queryByText(/已修改/)).toBeNull());
  expect(quota.getByLabelText<HTMLInputElement>("新用户初始额度").value).toBe("0.004");
});

test("A-224: saving without a change says so and sends nothing", async () => {
  const { sent } = await open("/setting?tab=operation");
  const quota = await section("额度");
  await type(quota.getByLabelText("新用户初始额度"), "00");
  await press(quota.getByRole("button", { name: "保存" }));
  await expectToast("你似乎并没有修改什么");
  expect(sent).toEqual([]);
});

test("A-225: of a section that is refused in part, the refused value stays with its reason", async () => {
  await open("/setting?tab=operation", { refuse: { RetryTimes: "RetryTimes：太多" } });
  const relay = await section("转发");
  await type(relay.getByLabelText("失败重试次数"), "5");
  await type(relay.getByLabelText("请求体上限"), "20");
  await press(relay.getByRole("button", { name: "保存" }));
  await expectToast("部分保存失败，请重试");
  expect(relay.getByLabelText<HTMLInputElement>("失败重试次数").value).toBe("5");
  expect(relay.getByText(/太多/)).toBeTruthy();
  expect(relay.getByText("已修改，原值：2")).toBeTruthy();
  expect(relay.queryByText("已修改，原值：10")).toBeNull();
});

test("A-189: without a server address no payment setting is saved", async () => {
  const { sent } = await open("/setting?tab=system");
  const payment = await section("支付");
  await type(payment.getByLabelText("充值价格"), "8");
  await press(payment.getByRole("button", { name: "保存" }));
  await expectToast("请先填写服务器地址");
  expect(sent).toEqual([]);
});

test("A-179, A-191: with a server address it is saved; a minimum of 0 is refused before sending", async () => {
  const { puts } = await open("/setting?tab=system", {
    stored: { ServerAddress: "https://api.example.com" },
  });
  const payment = await section("支付");
  await type(payment.getByLabelText("最低充值"), "0");
  await press(payment.getByRole("button", { name: "保存" }));
  expect((await payment.findAllByRole("alert")).length).toBe(1);
  expect(puts()).toEqual([]);
  await type(payment.getByLabelText("最低充值"), "1");
  await type(payment.getByLabelText("充值价格"), "8.50");
  await press(payment.getByRole("button", { name: "保存" }));
  expect(puts()).toEqual([{ key: "Price", value: "8.5" }]);
});

test("A-188: password login is turned off only after a warning", async () => {
  const { puts } = await open("/setting?tab=system");
  const signIn = await section("登录");
  const flag = () => signIn.getByRole<HTMLInputElement>("switch", { name: "允许密码登录" });
  await press(flag());
  await press(await screen.findByRole("button", { name: "取消" }));
  expect([flag().checked, puts()]).toEqual([true, []]);
  await press(flag());
  await press(await screen.findByRole("button", { name: "关闭密码登录" }));
  await waitFor(() => expect(puts()).toEqual([{ key: "PasswordLoginEnabled", value: "false" }]));
  expect(flag().checked).toBe(false);
});

test("A-175: cleaning the log needs a time", async () => {
  const { sent } = await open("/setting?tab=operation");
  const cleaning = await section("清理日志");
  await press(cleaning.getByRole("button", { name: "清理日志" }));
  await expectToast("请选择日志记录时间");
  expect(sent).toEqual([]);
});

test("A-184: a secret shows as empty, and is not sent if it stays so", async () => {
  const { puts } = await open("/setting?tab=system");
  const mail = await section("邮件");
  expect(mail.getByLabelText<HTMLInputElement>("SMTP 密码").value).toBe("");
  await type(mail.getByLabelText("SMTP 服务器"), "mail.example.com");
  await press(mail.getByRole("button", { name: "保存" }));
  await type(mail.getByLabelText("SMTP 密码"), "hidden");
  await press(mail.getByRole("button", { name: "保存" }));
  expect(puts()).toEqual([
    { key: "SMTPServer", value: "mail.example.com" },
    { key: "SMTPToken", value: "hidden" },
  ]);
  await waitFor(() => expect(mail.getByLabelText<HTMLInputElement>("SMTP 密码").value).toBe(""));
});

test("a stored secret can be distinguished from none, and can be removed", async () => {
  const { puts } = await open("/setting?tab=system", { secretsSet: ["SMTPToken"] });
  const mail = await section("邮件");
  const token = () => mail.getByLabelText<HTMLInputElement>("SMTP 密码");
  expect(token().placeholder).toContain("已设置");
  const check = await section("人机校验");
  expect(check.getByLabelText<HTMLInputElement>("Turnstile Secret Key").placeholder).toBe("未设置");
  expect(check.queryByRole("button", { name: /清除/ })).toBeNull();
  await press(mail.getByRole("button", { name: "清除 SMTP 密码" }));
  await press(await screen.findByRole("button", { name: "清除" }));
  await waitFor(() => expect(token().placeholder).toBe("未设置"));
  expect(puts()).toEqual([{ key: "SMTPToken", value: "", clear: true }]);
});

test("A-168 A-173 A-181: an option without an effect looks disabled and says why", async () => {
  await open("/setting?tab=operation");
  const exported = await section("数据看板");
  expect(exported.getByRole<HTMLInputElement>("textbox", { name: /间隔/ }).disabled).toBe(false);
  const log = await section("日志");
  const kept = log.getByRole<HTMLInputElement>("switch", { name: "记录调用日志" });
  expect([kept.checked, kept.disabled]).toEqual([true, true]);
  log.getByText("始终开启。 调用日志是账目的一部分，不能关闭");
  const drawing = await section("绘图");
  expect(drawing.getByRole<HTMLInputElement>("switch", { name: "允许账户筛选" }).disabled).toBe(
    false,
  );
});

test("self-use mode hides the settings of payment", async () => {
  const write = (on: boolean) =>
    statusStore.write({
      kind: "ready",
      status: statusWith({ self_use_mode_enabled: on }),
      error: null,
    });
  write(false);
  await open("/setting?tab=system");
  await section("支付");
  restore();
  write(true);
  await open("/setting?tab=system");
  await section("邮件");
  expect(screen.queryByRole("region", { name: /^支付/ })).toBeNull();
  write(false);
});

test("A-215, A-216, A-219: the table shows ten models a page; an added one is saved exactly", async () => {
  const ratios = Object.fromEntries(Array.from({ length: 11 }, (_, at) => [`m${at}`, 1]));
  const { puts } = await open("/setting?tab=operation", {
    stored: { ModelRatio: JSON.stringify(ratios), ModelPrice: "{}", CompletionRatio: "{}" },
  });
  const prices = await section("模型价格");
  const pages = prices.getByText(/^\d+ \/ \d+$/).textContent;
  expect(Number(pages?.split("/")[1])).toBeGreaterThan(1);
  expect(prices.getAllByRole("row")).toHaveLength(11);
  expect(prices.getByRole("button", { name: "为 no-price 定价" })).toBeTruthy();
  await press(prices.getByRole("button", { name: "添加模型" }));
  const sheet = within(await screen.findByRole("dialog"));
  await type(sheet.getByLabelText(/^模型名称/), "brand-new");
  await type(sheet.getByLabelText(/^模型倍率/), "0.125");
  // The changed price shows four times: the input price, and the prices that default to it: output,
  // cached input and images.
  expect(sheet.getAllByText("$0.25 / 1M")).toHaveLength(4);
  await type(sheet.getByLabelText(/^固定价格/), "1");
  expect(sheet.getByLabelText<HTMLInputElement>(/^模型倍率/).disabled).toBe(true);
  await type(sheet.getByLabelText(/^固定价格/), "");
  await press(sheet.getByRole("button", { name: "确定" }));
  await press(prices.getByRole("button", { name: "保存" }));
  await waitFor(() => expect(puts()).toHaveLength(1));
  const [put] = puts() as { key: string; value: string }[];
  expect(put?.key).toBe("ModelRatio");
  expect(put?.value).toContain('"brand-new": 0.125');
});

test("A-222: model ratios are reset to the defaults after a confirmation", async () => {
  const { sent } = await open("/setting?tab=operation");
  const prices = await section("模型价格");
  await press(prices.getByRole("button", { name: "重置模型倍率" }));
  await press(await screen.findByRole("button", { name: "取消" }));
  expect(sent).toEqual([]);
  await press(prices.getByRole("button", { name: "重置模型倍率" }));
  const question = within(await screen.findByRole("alertdialog"));
  await press(question.getByRole("button", { name: "重置模型倍率" }));
  await expectToast("重置模型倍率成功");
  expect(sent.map(({ method, path }) => `${method} ${path}`)).toEqual([
    "POST /api/option/rest_model_ratio",
  ]);
});

test("A-437, A-422: a refused setting shows the server's reason", async () => {
  await open("/setting?tab=operation", { refuse: { RetryTimes: "RetryTimes：太多" } });
  const relay = await section("转发");
  await type(relay.getByLabelText("失败重试次数"), "5");
  await press(relay.getByRole("button", { name: "保存" }));
  await expectToast("保存失败，请重试");
  await expectToast("RetryTimes：太多");
  expect(relay.getByText("太多")).toBeTruthy();
});

test("A-442: the same in English", async () => {
  await open("/setting?tab=operation", {
    refuse: { RetryTimes: "RetryTimes：太多" },
    language: "en",
  });
  const relay = await section("Relay");
  await type(relay.getByLabelText("Retries"), "5");
  await press(relay.getByRole("button", { name: "Save" }));
  await expectToast("Update settings failed");
});

test("A-445: a refusal of the groups names the groups", async () => {
  for (const [language, title, text] of [
    ["zh", "分组", "保存分组数据失败"],
    ["en", "Groups", "Failed to save group data"],
  ] as const) {
    await open("/setting?tab=operation", {
      stored: { GroupRatio: '{"default": 1}' },
      refuse: { GroupRatio: "数据库错误" },
      language,
    });
    const groups = await section(title);
    await type(await groups.findByDisplayValue("1"), "2");
    await press(groups.getByRole("button", { name: language === "zh" ? "保存" : "Save" }));
    await expectToast(text);
    await expectToast("数据库错误");
    restore();
  }
});

test("A-441: a failure to read the settings is shown, and reading can be repeated", async () => {
  const answers = { "GET /api/option/": { no: "数据库错误" } };
  await open("/setting?tab=system", { answers, language: "en" });
  const failure = within(await screen.findByRole("alert"));
  expect(failure.getByText("Failed to get current settings")).toBeTruthy();
  expect(failure.getByText("数据库错误")).toBeTruthy();
  expect(failure.getByRole("button", { name: "Try again" })).toBeTruthy();
});

test("A-436: settings that are being saved are not sent a second time", async () => {
  const { sent } = await open("/setting?tab=operation");
  const quota = await section("额度");
  await type(quota.getByLabelText("新用户初始额度"), "1000");
  await submitTwice(quota.getByRole("button", { name: "保存" }), "PUT /api/option/");
  await expectToast("操作成功完成！");
  expect(sent).toHaveLength(1);
});

test("A-438: an invalid value shows at once what is wrong with it", async () => {
  const { sent } = await open("/setting?tab=operation");
  const relay = await section("转发");
  await type(relay.getByLabelText("失败重试次数"), "x");
  await press(relay.getByRole("button", { name: "保存" }));
  await expectToast("请检查输入");
  expect(sent).toEqual([]);
});

async function cleanLog(answer: { readonly data?: unknown; readonly no?: string }) {
  const { sent } = await open("/setting?tab=operation", {
    answers: { "GET /api/log/clean": { data: noCleaning }, "POST /api/log/clean": answer },
  });
  const cleaning = await section("清理日志");
  await press(cleaning.getByLabelText("清理此时间之前的日志"));
  await type(await screen.findByRole("textbox", { name: "时间" }), "2026-01-02 03:04:05");
  await press(screen.getByRole("button", { name: "应用" }));
  await press(cleaning.getByRole("button", { name: "清理日志" }));
  const question = within(await screen.findByRole("alertdialog"));
  await press(question.getByRole("button", { name: "清理日志" }));
  return { sent, cleaning };
}

const noCleaning = { state: "idle", before: 0, removed: 0, total: null, started_at: 0 };

test("A-176: cleaning the log shows how many rows were removed", async () => {
  const data = { state: "done", before: 1_767_000_000, removed: 42, total: 42, started_at: 1 };
  const { sent, cleaning } = await cleanLog({ data });
  expect(await cleaning.findByText(/^清理完成：已删除 .* 之前的 42 条日志$/)).toBeTruthy();
  expect(sent.map(({ method }) => method)).toEqual(["POST"]);
});

test("A-177: a refused cleaning of the log shows the reason", async () => {
  await cleanLog({ no: "数据库错误" });
  await expectToast("日志清理失败：数据库错误");
});

test("A-203: prices and groups can be edited as the JSON that is saved", async () => {
  await open("/setting?tab=operation");
  const editors = () =>
    ["ModelPrice", "ModelRatio", "CompletionRatio", "GroupRatio", "UserUsableGroups"].filter(
      (name) => document.querySelector(`[data-option="${name}"] .cm-content`) !== null,
    );
  const prices = await section("模型价格");
  expect(editors()).toEqual([]);
  for (const shown of [prices, await section("分组")]) {
    for (const json of shown.getAllByRole("button", { name: "JSON" })) await press(json);
  }
  await waitFor(() => expect(editors()).toHaveLength(5));
});

test("A-074 to A-077, A-275: an address opens its tab, and a tab sets the address", async () => {
  const tabs = [
    ["operation", "运营设置"],
    ["system", "系统设置"],
    ["other", "其他设置"],
  ] as const;
  for (const [tab, title] of tabs) {
    await open(`/setting?tab=${tab}`);
    const shown = await screen.findByRole("tab", { name: title });
    expect(shown.getAttribute("aria-selected")).toBe("true");
    restore();
  }
  const { address } = await open("/setting?tab=personal");
  expect(await screen.findByRole("heading", { name: "可用模型" })).toBeTruthy();
  for (const [tab, title] of tabs) {
    await press(screen.getByRole("tab", { name: title }));
    expect(address()).toBe(`/setting?tab=${tab}`);
  }
  await press(screen.getByRole("tab", { name: "个人设置" }));
  expect(address()).toBe("/setting");
});
