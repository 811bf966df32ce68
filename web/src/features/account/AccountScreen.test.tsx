import { screen, waitFor } from "#testing/dom.ts";
import { afterEach, expect, test } from "bun:test";
import { role } from "@tollgate/contract/endpoints/users.ts";
import { readSession } from "#api/session.ts";
import { submitTwice } from "#testing/submit-twice.ts";
import { AccountScreen } from "./AccountScreen.tsx";
import { dialog, openTab, part } from "./testing/tab.tsx";
import { expectToast, press, type } from "#testing/act.ts";

let stop = () => {};
afterEach(() => stop());

async function open(of: Parameters<typeof openTab>[1] = {}) {
  const tab = await openTab(() => <AccountScreen security={null} />, of);
  stop = tab.stop;
  return tab;
}

test("A-002, A-008: balance, spending and calls are shown with name, role and group", async () => {
  await open();
  const account = await part("账户");
  for (const text of ["$10.00", "$2.00", "1,234", "Alice", "普通用户", "ID 7"]) {
    expect(account.getByText(text)).toBeTruthy();
  }
  expect(await account.findByText("default ×1")).toBeTruthy();
});

test("self-use mode hides the balance, invitations and what changed the balance", async () => {
  const status = { self_use_mode_enabled: true };
  await open({ status });
  const account = await part("账户");
  expect(account.getByText("$2.00")).toBeTruthy();
  expect(account.queryByText("$10.00")).toBeNull();
  await part("通知");
  for (const name of [/邀请/, /余额/]) {
    expect(screen.queryByRole("region", { name })).toBeNull();
    expect(screen.queryByRole("link", { name })).toBeNull();
  }
  stop();
  // The balance is used up, so calls are refused: the screen shows it even in self-use mode.
  await open({ status, self: { quota: 0 } });
  expect((await part("账户")).getByText("$0.00")).toBeTruthy();
});

test("A-128, A-129, A-423, A-287, A-288: saving sends names and language, never group or quota", async () => {
  const { changes } = await open({ answers: { "PUT /api/user/self": {} } });
  const account = await part("账户");
  expect(account.getAllByRole("textbox")).toHaveLength(2);
  await type(account.getByLabelText(/^显示名称/), "Alice Wang");
  await press(account.getByRole("button", { name: "保存" }));
  expect(changes()).toEqual([
    {
      call: "PUT /api/user/self",
      query: "",
      body: { username: "alice", display_name: "Alice Wang", language: "en" },
    },
  ]);
  await expectToast("操作成功完成！");
  await expectToast("账户信息已更新");
  expect(readSession()?.display_name).toBe("Alice Wang");
});

test("a username that is taken is refused at its field, and nothing typed is lost", async () => {
  await open({ answers: { "PUT /api/user/self": { no: "用户名已存在，或已注销" } } });
  const account = await part("账户");
  const name = account.getByLabelText<HTMLInputElement>(/^用户名/);
  await type(name, "bob");
  await press(account.getByRole("button", { name: "保存" }));
  const fault = await account.findByText(/用户名已存在，或已注销/);
  expect(name.getAttribute("aria-describedby")).toContain(fault.id);
  expect(name.value).toBe("bob");
});

test("A-130, A-131: a new password is sent with the present one, and a wrong one is refused at its field", async () => {
  const refusal = { no: "当前密码不正确", field: "original_password" };
  const { changes } = await open({ answers: { "PUT /api/user/self": refusal } });
  const password = await part("修改密码");
  await type(password.getByLabelText(/^当前密码/), "wrong one");
  await type(password.getByLabelText(/^新密码/), "long enough");
  await type(password.getByLabelText(/^再次输入新密码/), "long enougH");
  const save = password.getByRole("button", { name: "修改密码" });
  await press(save);
  expect(await password.findByText("两次输入的密码不一致")).toBeTruthy();
  expect(changes()).toEqual([]);
  await type(password.getByLabelText(/^再次输入新密码/), "long enough");
  await press(save);
  expect(changes().map(({ body }) => body)).toEqual([
    { original_password: "wrong one", password: "long enough" },
  ]);
  const fault = await password.findByText(/当前密码不正确/);
  expect(password.getByLabelText(/^当前密码/).getAttribute("aria-describedby")).toContain(fault.id);
});

test("A-436: a new password that is being saved is not sent a second time", async () => {
  await open({ answers: { "PUT /api/user/self": {} } });
  const password = await part("修改密码");
  await type(password.getByLabelText(/^当前密码/), "present one");
  await type(password.getByLabelText(/^新密码/), "long enough");
  await type(password.getByLabelText(/^再次输入新密码/), "long enough");
  await submitTwice(password.getByRole("button", { name: "修改密码" }), "PUT /api/user/self");
  await expectToast("密码已修改");
});

test("A-142: an access token is made after a confirmation, and is shown whole", async () => {
  const { changes } = await open({
    answers: { "POST /api/user/token": { data: "t0ken-of-alice" } },
  });
  const token = await part("系统访问令牌");
  await press(token.getByRole("button", { name: "生成令牌" }));
  expect(changes()).toEqual([]);
  await press((await dialog("alertdialog")).getByRole("button", { name: "生成令牌" }));
  expect(await token.findByText("t0ken-of-alice")).toBeTruthy();
  expect(token.getByText("请现在保存，关闭页面后无法再次查看。")).toBeTruthy();
});

test("A-004, A-147, A-453: ten models are shown, the rest on demand; a group narrows them", async () => {
  const models = Array.from({ length: 12 }, (_, index) => `model-${index}`);
  const { sent } = await open({ models });
  const shown = await part("可用模型");
  await shown.findByText("model-0");
  const count = () => shown.getAllByRole("button", { name: /^复制 model-/ }).length;
  expect(count()).toBe(10);
  await press(shown.getByRole("button", { name: "展开其余 2 个" }));
  expect(count()).toBe(12);
  await type(shown.getByPlaceholderText("搜索 12 个模型"), "el-11");
  await waitFor(() => expect(count()).toBe(1));
  await press(shown.getByRole("button", { name: /^vip/ }));
  expect(sent.some(({ query }) => query === "?group=vip")).toBe(true);
});

test("A-435: if the models cannot be listed, the reason is shown", async () => {
  await open({ answers: { "GET /api/user/models": { no: "数据库错误" } } });
  const shown = await part("可用模型");
  expect(await shown.findByText("获取模型列表失败")).toBeTruthy();
  expect(shown.getByText("数据库错误")).toBeTruthy();
});

test("A-282: every role can bind OAuth identities", async () => {
  for (const as of [role.enum.user, role.enum.admin, role.enum.root]) {
    await open({ self: { role: as }, status: { github_oauth: true } });
    const bindings = await part("账户绑定");
    expect(bindings.getByRole("button", { name: "绑定 GitHub" })).toBeTruthy();
    stop();
  }
});

test("A-143, A-144: the invitation link and the earnings from it are shown", async () => {
  await open();
  const invitations = await part("邀请");
  const link = await invitations.findByLabelText<HTMLInputElement>("邀请链接");
  expect(link.value).toBe(`${location.origin}/register?aff=AB12`);
  for (const text of ["3", "$4.00", "$6.00"]) expect(invitations.getByText(text)).toBeTruthy();
});

test("an invitation says what it brings to both sides, and when that is nothing", async () => {
  for (const [inviter, invitee, said] of [
    [1_000_000, 250_000, /你获得 \$2\.00 邀请收益，对方获赠 \$0\.50/],
    [1_000_000, 0, /你获得 \$2\.00 邀请收益，划转/],
    [0, 250_000, /对方注册后获赠 \$0\.50/],
    [0, 0, /目前没有设置邀请奖励/],
  ] as const) {
    await open({ status: { quota_for_inviter: inviter, quota_for_invitee: invitee } });
    expect((await part("邀请")).getByText(said)).toBeTruthy();
    stop();
  }
});

test("A-145, A-146: less than the minimum is refused without a call; the minimum is transferred", async () => {
  const { changes, address } = await open({
    status: { display_in_currency: false },
    answers: { "POST /api/user/aff_transfer": {} },
  });
  await press((await part("邀请")).getByRole("button", { name: "划转到余额" }));
  expect(address()).toBe("/setting?open=transfer");
  const transfer = await dialog();
  await type(transfer.getByLabelText("划转金额"), "499999");
  await press(transfer.getByRole("button", { name: "划转" }));
  expect(await transfer.findByText("划转金额最低为500,000")).toBeTruthy();
  expect(changes()).toEqual([]);
  await type(transfer.getByLabelText("划转金额"), "500000");
  await press(transfer.getByRole("button", { name: "划转" }));
  expect(changes().map(({ body }) => body)).toEqual([{ quota: 500_000 }]);
  await waitFor(() => expect(address()).toBe("/setting"));
});

test("earnings below the minimum cannot be transferred, and the screen says from when on they can", async () => {
  await open({ self: { aff_quota: 499_999 } });
  const invitations = await part("邀请");
  expect(invitations.getByRole<HTMLButtonElement>("button", { name: "划转到余额" }).disabled).toBe(
    true,
  );
  expect(invitations.getByText("满 $1.00 可划转")).toBeTruthy();
});

test("A-148, A-149: a wrong name deletes nothing; the right one ends account and session", async () => {
  const { changes, address } = await open({ answers: { "DELETE /api/user/self": {} } });
  await press((await part("删除账户")).getByRole("button", { name: "删除账户" }));
  const question = await dialog();
  expect(question.getByText("余额 $10.00 会作废")).toBeTruthy();
  await type(question.getByRole("textbox"), "alicia");
  await press(question.getByRole("button", { name: "删除账户" }));
  expect(await question.findByText("请输入你的账户名以确认删除！")).toBeTruthy();
  expect(changes()).toEqual([]);
  await type(question.getByRole("textbox"), "alice");
  await press(question.getByRole("button", { name: "删除账户" }));
  expect(changes().map(({ call, query }) => call + query)).toEqual(["DELETE /api/user/self"]);
  await waitFor(() => expect(readSession()).toBeNull());
  expect(address()).toBe("/login?deleted=true");
});

test("A-262: root sees that its account cannot be deleted", async () => {
  await open({ self: { role: role.enum.root } });
  const removal = await part("删除账户");
  expect(removal.getByText("超级管理员账户不能删除。")).toBeTruthy();
  expect(removal.getByRole<HTMLButtonElement>("button").disabled).toBe(true);
});

test("A-446: if the account cannot be read, that is said, and the other parts stay", async () => {
  await open({ answers: { "GET /api/user/self": { no: "数据库错误" } } });
  expect(await screen.findByText("获取用户数据时发生错误")).toBeTruthy();
  expect(screen.getByRole("heading", { name: "可用模型" })).toBeTruthy();
  expect(screen.queryByRole("heading", { name: "账户" })).toBeNull();
});

/** The sums of a statement that these tests do not look at. */
const sums = { balance: 0, calls: 0, totals: [], days: [] };

test("the address holds the page of the history; each change has its sign", async () => {
  const entry = {
    seq: 21,
    kind: "topup",
    amount: 500_000,
    debt: 0,
    balance_after: 2_500_000,
    token_id: 0,
    log_id: 0,
    model_name: "",
    request_id: "",
    detail: "单号 7",
    created_at: 1_700_000_000,
  };
  const { sent } = await open({
    at: "/setting?page=2",
    answers: {
      "GET /api/user/self/entries": {
        data: { ...sums, items: [entry], page: 2, page_size: 20, total: 21 },
      },
    },
  });
  const history = await part("余额变动");
  const row = (await history.findByText("单号 7")).closest("tr");
  for (const text of ["充值", "+$1.00", "$5.00"]) expect(row?.textContent).toContain(text);
  const asked = sent.find(({ call }) => call.endsWith("/entries"));
  expect(new URLSearchParams(asked?.query).get("p")).toBe("2");
});

test("a gift in the history is shown in dollars, as its amount is", async () => {
  const gift = {
    seq: 1,
    kind: "invite",
    amount: 600_000,
    debt: 0,
    balance_after: 600_000,
    token_id: 0,
    log_id: 0,
    model_name: "",
    request_id: "",
    detail: "使用邀请码赠送 600000",
    created_at: 1_700_000_000,
  };
  const data = { ...sums, items: [gift], page: 1, page_size: 20, total: 1 };
  await open({ answers: { "GET /api/user/self/entries": { data } } });
  const history = await part("余额变动");
  expect(await history.findByText("使用邀请码赠送 $1.20")).toBeTruthy();
  expect(history.queryByText(/600000/)).toBeNull();
});
