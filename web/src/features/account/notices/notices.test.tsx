import { act, fireEvent, screen, waitFor } from "#testing/dom.ts";
import { afterEach, expect, test } from "bun:test";
import { AccountScreen } from "#features/account/AccountScreen.tsx";
import { openTab, part } from "#features/account/testing/tab.tsx";
import { expectToast, press, type } from "#testing/act.ts";

let stop = () => {};
afterEach(() => stop());

async function open(of: Parameters<typeof openTab>[1] = {}) {
  const tab = await openTab(() => <AccountScreen security={null} />, of);
  stop = tab.stop;
  return { ...tab, notices: await part("通知") };
}

const saved = {
  notify_type: "webhook",
  events: ["quota_low"],
  quota_warning_threshold: 500_000,
  notification_email: "",
  webhook_url: "https://hooks.test/a",
  has_webhook_secret: true,
  bark_url: "",
  has_robot_key: false,
  robot_type: "",
};
const withSaved = (part_: object) => ({ setting: JSON.stringify({ ...saved, ...part_ }) });

type Notices = Awaited<ReturnType<typeof open>>["notices"];

async function choose(notices: Notices, way: string): Promise<void> {
  await press(notices.getByRole("combobox", { name: "通知方式" }));
  const option = screen.getByRole("option", { name: way });
  fireEvent.pointerDown(option);
  await act(async () => void fireEvent.click(option));
}

const testButton = (notices: Notices) =>
  notices.getByRole<HTMLButtonElement>("button", { name: "发送测试通知" });

test("A-035 to A-038: events, threshold and method are saved together and read back", async () => {
  const { changes, notices } = await open({
    self: withSaved({}),
    answers: { "PUT /api/user/setting": {} },
  });
  const box = (name: RegExp) => notices.getByRole<HTMLInputElement>("checkbox", { name });
  expect([/余额不足/, /价格变动/, /系统公告/].map((name) => box(name).checked)).toEqual([
    true,
    false,
    false,
  ]);
  expect(notices.getByLabelText<HTMLInputElement>(/^Webhook 地址/).value).toBe(
    "https://hooks.test/a",
  );
  expect(notices.queryByLabelText("签名密钥", { selector: "input" })).toBeNull();
  await press(box(/系统公告/));
  await press(box(/余额不足/));
  await type(notices.getByLabelText(/^提醒阈值/), "4");
  await press(notices.getByRole("button", { name: "保存" }));
  expect(changes().map(({ body }) => body)).toMatchObject([
    {
      events: ["announcement"],
      notify_type: "webhook",
      quota_warning_threshold: 2_000_000,
      notification_email: "",
      webhook_url: "https://hooks.test/a",
      webhook_secret: "",
      bark_url: "",
      robot_key: "",
    },
  ]);
});

test("a user who never saved chooses an event and saves, without a threshold to make up first", async () => {
  const { changes, notices } = await open({ answers: { "PUT /api/user/setting": {} } });
  expect(notices.getByText("还没有保存，目前使用管理员设定的阈值。")).toBeTruthy();
  await press(notices.getByRole("checkbox", { name: /系统公告/ }));
  await press(notices.getByRole("button", { name: "保存" }));
  expect(changes().map(({ body }) => body)).toMatchObject([
    { events: ["quota_low", "announcement"], quota_warning_threshold: 500_000 },
  ]);
});

test("a refused webhook address is explained at its field", async () => {
  const refusal = { no: "无效的Webhook地址", field: "webhook_url" };
  const { notices } = await open({ answers: { "PUT /api/user/setting": refusal } });
  await choose(notices, "Webhook");
  await type(notices.getByLabelText(/^提醒阈值/), "2000000");
  await type(notices.getByLabelText(/^Webhook 地址/), "https://10.0.0.1/x");
  await press(notices.getByRole("button", { name: "保存" }));
  expect(await notices.findByText("无效的Webhook地址")).toBeTruthy();
});

test("A-036, A-037: a robot's help says where to find its key, and saving needs one", async () => {
  const { changes, notices } = await open({
    self: withSaved({ has_robot_key: true, robot_type: "dingtalk" }),
    status: { system_name: "Gate" },
    answers: { "PUT /api/user/setting": {} },
  });
  await choose(notices, "钉钉群机器人");
  // A saved key is not shown: its input appears only when the user asks to replace it.
  expect(notices.queryByLabelText("机器人密钥", { selector: "input" })).toBeNull();
  expect(notices.getByText(/access_token= 之后的部分.+填写“Gate”/)).toBeTruthy();

  await choose(notices, "企业微信群机器人");
  expect(notices.getByText(/ key= 之后的部分/)).toBeTruthy();
  await press(notices.getByRole("button", { name: "保存" }));
  expect(await notices.findByText("请填写机器人密钥")).toBeTruthy();
  expect(changes()).toEqual([]);

  await type(notices.getByLabelText("机器人密钥", { selector: "input" }), "a1-B2_c3");
  await press(notices.getByRole("button", { name: "保存" }));
  expect(changes().map(({ body }) => body)).toMatchObject([
    { notify_type: "wecom", robot_key: "a1-B2_c3" },
  ]);
});

test("A-037: a saved key does not stay in its field, and can be tested at once", async () => {
  const self = withSaved({ notify_type: "wecom", has_robot_key: true, robot_type: "wecom" });
  const { changes, notices } = await open({
    self,
    answers: { "PUT /api/user/setting": {}, "POST /api/user/setting/test": {} },
  });
  await press(notices.getByText("更换"));
  await type(notices.getByLabelText("机器人密钥", { selector: "input" }), "a1-B2_c3");
  expect(testButton(notices).disabled).toBe(true);
  await press(notices.getByRole("button", { name: "保存" }));
  await waitFor(() => expect(testButton(notices).disabled).toBe(false));
  expect(notices.queryByDisplayValue("a1-B2_c3")).toBeNull();
  await press(testButton(notices));
  expect(changes().map(({ call }) => call)).toEqual([
    "PUT /api/user/setting",
    "POST /api/user/setting/test",
  ]);
});

test("A-036: a test uses the saved settings, so it is disabled while there are changes", async () => {
  const { changes, notices } = await open({
    self: withSaved({}),
    answers: { "POST /api/user/setting/test": {} },
  });
  const button = testButton(notices);
  expect([button.disabled, notices.queryByText("保存后才能测试")]).toEqual([false, null]);
  const box = notices.getByRole("checkbox", { name: /价格变动/ });
  await press(box);
  expect(button.disabled).toBe(true);
  const why = notices.getByText("保存后才能测试").closest("[id]");
  expect(button.getAttribute("aria-describedby")).toBe(why?.id ?? "nothing says why");

  await press(box);
  expect(button.disabled).toBe(false);
  await press(button);
  expect(changes().map(({ call }) => call)).toEqual(["POST /api/user/setting/test"]);
  await expectToast("测试通知已发送，请查看是否收到");
});

test("A-036: a failed test says why", async () => {
  const no = "企业微信机器人没有接受通知（93000），请检查密钥";
  const { notices } = await open({
    self: withSaved({}),
    answers: { "POST /api/user/setting/test": { no } },
  });
  await press(testButton(notices));
  await expectToast("测试通知没有送达");
  await expectToast(no);
});
