import { fireEvent, screen, waitFor, within } from "#testing/dom.ts";
import { afterEach, expect, spyOn, test } from "bun:test";
import type { Session } from "@tollgate/contract/endpoints/sessions.ts";
import { useListSearch } from "#ui/table/list-search.ts";
import { submitTwice } from "#testing/submit-twice.ts";
import { BindingsPart } from "./BindingsPart.tsx";
import { MailDialog, UnbindMailDialog } from "./MailDialog.tsx";
import { accountSearch } from "#features/account/account.search.ts";
import { SessionsPart } from "#features/account/SessionsPart.tsx";
import { selfWith } from "#widgets/testing/user.ts";
import { dialog, openTab, part } from "#features/account/testing/tab.tsx";
import { expectToast, press, type } from "#testing/act.ts";
import { handBack } from "#widgets/sign-in/provider-window.ts";
import { statusWith } from "#widgets/testing/status.ts";
import { WeChatDialog } from "./WeChatDialog.tsx";

let stop = () => {};
afterEach(() => stop());

async function open(tab: Parameters<typeof openTab>[0], of: Parameters<typeof openTab>[1] = {}) {
  const opened = await openTab(tab, of);
  stop = opened.stop;
  return opened;
}

const status = { github_oauth: true, github_client_id: "gh", wechat_login: true };

function Bindings(props: { readonly github?: string }) {
  const [search, setSearch] = useListSearch(accountSearch);
  return (
    <>
      <BindingsPart
        self={selfWith({ github_id: props.github ?? "" })}
        status={statusWith(status)}
        onOpen={(open_) => setSearch({ open: open_ })}
      />
      <output>{search.open}</output>
    </>
  );
}

test("A-136: binding opens the provider's page in a new window, with a state made for it", async () => {
  const windows: string[] = [];
  const opening = spyOn(window, "open").mockImplementation((address) => {
    windows.push(String(address));
    return window;
  });
  const { changes } = await open(() => <Bindings />, {
    answers: { "POST /api/oauth/state": { data: "s1" } },
  });
  await press((await part("账户绑定")).getByRole("button", { name: "绑定 GitHub" }));
  await waitFor(() => expect(windows).toHaveLength(1));
  opening.mockRestore();
  expect(changes().map(({ body }) => body)).toEqual([{ provider: "github" }]);
  const address = new URL(windows[0] ?? "");
  expect(address.origin + address.pathname).toBe("https://github.com/login/oauth/authorize");
  expect(address.searchParams.get("state")).toBe("s1");
});

test("where the server asks for the password before the page knows, the page asks for it", async () => {
  await open(() => <Bindings />, {
    answers: { "POST /api/oauth/state": { no: "请输入当前密码", field: "password" } },
  });
  await press((await part("账户绑定")).getByRole("button", { name: "绑定 GitHub" }));
  expect((await dialog()).getByLabelText("当前密码")).toBeTruthy();
});

test("an identity that another window has bound shows here at once", async () => {
  const opening = spyOn(window, "open").mockImplementation(
    () => ({ close() {} }) as unknown as Window, // safe cast: only `close` is called
  );
  await open(() => <Bindings />, { answers: { "POST /api/oauth/state": { data: "s2" } } });
  await press((await part("账户绑定")).getByRole("button", { name: "绑定 GitHub" }));
  await waitFor(() => expect(opening).toHaveBeenCalled());
  expect(await handBack("of another visit")).toBe(false);
  expect(await handBack("s2")).toBe(true);
  await expectToast("GitHub 已绑定");
  opening.mockRestore();
});

test("A-137, A-141: unbinding asks first and says what ends with it", async () => {
  const { changes } = await open(() => <Bindings github="4711" />, {
    answers: { "DELETE /api/oauth/github/bind": {} },
  });
  const bindings = await part("账户绑定");
  expect(bindings.getByText("4711")).toBeTruthy();
  await press(bindings.getByRole("button", { name: "解绑 GitHub" }));
  const question = await dialog("alertdialog");
  expect(question.getByText(/其他设备会全部退出/)).toBeTruthy();
  expect(changes()).toEqual([]);
  await press(question.getByRole("button", { name: "解绑" }));
  expect(changes().map(({ call }) => call)).toEqual(["DELETE /api/oauth/github/bind"]);
  await expectToast("GitHub 已解绑");
});

test("A-443: a refused unbinding shows the reason", async () => {
  const no = "这是唯一的登录方式，请先绑定邮箱或其他账户";
  await open(() => <Bindings github="4711" />, {
    answers: { "DELETE /api/oauth/github/bind": { no } },
  });
  await press((await part("账户绑定")).getByRole("button", { name: "解绑 GitHub" }));
  await press((await dialog("alertdialog")).getByRole("button", { name: "解绑" }));
  await expectToast("解绑失败");
  await expectToast(no);
});

test("A-132, A-134: the address opens the dialogs that bind e-mail and WeChat", async () => {
  await open(() => <Bindings />);
  const bindings = await part("账户绑定");
  await press(bindings.getByRole("button", { name: "绑定 邮箱" }));
  expect(screen.getByRole("status").textContent).toBe("mail");
  await press(bindings.getByRole("button", { name: "绑定 微信" }));
  expect(screen.getByRole("status").textContent).toBe("wechat");
});

test("A-150, A-151, A-454: address and code are required, and an e-mail is not sent twice in 30 s", async () => {
  let isClosed = false;
  const { changes } = await open(() => <MailDialog bound="" onClose={() => (isClosed = true)} />, {
    answers: { "POST /api/verification": {}, "POST /api/oauth/email/bind": {} },
  });
  const shown = await dialog();
  await press(shown.getByRole("button", { name: "获取验证码" }));
  expect(shown.getByText("请输入邮箱！")).toBeTruthy();
  await type(shown.getByLabelText("邮箱地址"), "Alice@Example.COM");
  await press(shown.getByRole("button", { name: "绑定" }));
  expect(shown.getByText("请输入邮箱验证码！")).toBeTruthy();
  expect(changes()).toEqual([]);
  await press(shown.getByRole("button", { name: "获取验证码" }));
  const again = await shown.findByRole<HTMLButtonElement>("button", { name: /^\d+ 秒后重发$/ });
  expect(again.disabled).toBe(true);
  await type(shown.getByLabelText("验证码"), " 123456 ");
  await press(shown.getByRole("button", { name: "绑定" }));
  expect(changes().map(({ call, body }) => [call, body])).toEqual([
    ["POST /api/verification", { email: "alice@example.com", lang: "zh", turnstile: "" }],
    ["POST /api/oauth/email/bind", { email: "alice@example.com", code: "123456" }],
  ]);
  await waitFor(() => expect(isClosed).toBe(true));
});

test("A-436: an e-mail address that is being bound is not sent a second time", async () => {
  let isClosed = false;
  await open(() => <MailDialog bound="" onClose={() => (isClosed = true)} />, {
    answers: { "POST /api/oauth/email/bind": {} },
  });
  const shown = await dialog();
  await type(shown.getByLabelText("邮箱地址"), "alice@example.com");
  await type(shown.getByLabelText("验证码"), "123456");
  await submitTwice(shown.getByRole("button", { name: "绑定" }), "POST /api/oauth/email/bind");
  await waitFor(() => expect(isClosed).toBe(true));
});

test("a refused code is shown at the code, a refused address at the address", async () => {
  await open(() => <MailDialog bound="" onClose={() => {}} />, {
    answers: {
      "POST /api/verification": { no: "邮箱域名不在白名单中" },
      "POST /api/oauth/email/bind": { no: "验证码错误或已过期" },
    },
  });
  const shown = await dialog();
  const email = shown.getByLabelText("邮箱地址");
  const code = shown.getByLabelText("验证码");
  await type(email, "alice@example.com");
  await press(shown.getByRole("button", { name: "获取验证码" }));
  expect(email.getAttribute("aria-describedby")).toContain((await shown.findByText(/白名单/)).id);
  await type(email, "alice@example.org");
  await type(code, "000000");
  await press(shown.getByRole("button", { name: "绑定" }));
  expect(code.getAttribute("aria-describedby")).toContain(
    (await shown.findByText(/验证码错误或已过期/)).id,
  );
});

test("A-440: a QR code that cannot be loaded is reported", async () => {
  await open(() => <WeChatDialog picture="https://mp.test/qr.png" onClose={() => {}} />);
  const shown = await dialog();
  fireEvent.error(shown.getByRole("img"));
  expect(await shown.findByText("获取二维码失败")).toBeTruthy();
});

const chrome = "Mozilla/5.0 (Windows NT 10.0) AppleWebKit/537.36 Chrome/142.0.0.0 Safari/537.36";

const sessionOf = (id: string, current: boolean): Session => ({
  id: id.repeat(16),
  created_at: 1_700_000_000,
  seen_at: 1_700_000_000,
  expires_at: 1_900_000_000,
  client_ip: `10.0.0.${id}`,
  user_agent: current ? chrome : "curl/8.5.0",
  current,
});
const sessions = [sessionOf("2", false), sessionOf("1", true), sessionOf("3", false)];

test("the present session is marked, stands first, and cannot be ended", async () => {
  await open(() => <SessionsPart />, { sessions });
  const shown = await part("登录设备");
  const [first, ...others] = await shown.findAllByRole("listitem");
  if (first === undefined) throw new Error("no session is shown");
  expect(within(first).getByText("Chrome 142 · Windows")).toBeTruthy();
  expect(within(first).getByText("当前")).toBeTruthy();
  expect(within(first).queryByRole("button")).toBeNull();
  expect(others.map((row) => within(row).getAllByRole("button").length)).toEqual([1, 1]);
});

test("a session that the server does not end comes back", async () => {
  const { changes } = await open(() => <SessionsPart />, {
    sessions,
    answers: { [`DELETE /api/user/sessions/${"2".repeat(16)}`]: { no: "会话不存在" } },
  });
  const shown = await part("登录设备");
  const [end] = await shown.findAllByRole("button", { name: "退出 curl 8" });
  if (end === undefined) throw new Error("nothing to press");
  await press(end);
  await expectToast("会话不存在");
  await waitFor(() => expect(shown.getAllByRole("listitem")).toHaveLength(3));
  expect(changes().map(({ call }) => call)).toEqual([
    `DELETE /api/user/sessions/${"2".repeat(16)}`,
  ]);
});

test("one call ends all other sessions, after a confirmation", async () => {
  const { changes } = await open(() => <SessionsPart />, {
    sessions,
    answers: { "DELETE /api/user/sessions": { data: 2 } },
  });
  await press(await (await part("登录设备")).findByRole("button", { name: "退出其他设备" }));
  const question = await dialog("alertdialog");
  expect(question.getByText("退出其他 2 个设备？")).toBeTruthy();
  await press(question.getByRole("button", { name: "退出其他设备" }));
  expect(changes().map(({ call }) => call)).toEqual(["DELETE /api/user/sessions"]);
  await expectToast("已退出 2 个设备");
});

const noFactor = {
  enabled: false,
  totp: false,
  passkeys: [],
  recovery_codes_left: 0,
  asks_password: true,
  passkeys_available: false,
};

test("replacing an address asks for the present password, and shows a wrong one there", async () => {
  const { changes } = await open(
    () => <MailDialog bound="alice@example.com" onClose={() => {}} />,
    {
      answers: {
        "GET /api/user/2fa": { data: noFactor },
        "POST /api/oauth/email/bind": { no: "当前密码不正确", field: "password" },
      },
    },
  );
  const shown = await dialog();
  const password = await shown.findByLabelText<HTMLInputElement>(/^当前密码/);
  await type(shown.getByLabelText("邮箱地址"), "alice@example.net");
  await type(shown.getByLabelText("验证码"), "123456");
  await press(shown.getByRole("button", { name: "更换" }));
  expect(shown.getByText("请输入当前密码")).toBeTruthy();
  expect(changes()).toEqual([]);
  await type(password, "wrong");
  await press(shown.getByRole("button", { name: "更换" }));
  const email = "alice@example.net";
  expect(changes().map(({ body }) => body)).toEqual([{ email, code: "123456", password: "wrong" }]);
  expect(await shown.findByText("当前密码不正确")).toBeTruthy();
});

test("after an address was replaced, the console says so, and not that one was connected", async () => {
  await open(() => <MailDialog bound="alice@example.com" onClose={() => {}} />, {
    answers: { "POST /api/oauth/email/bind": {} },
  });
  const shown = await dialog();
  await type(shown.getByLabelText("邮箱地址"), "alice@example.net");
  await type(shown.getByLabelText("验证码"), "123456");
  await press(shown.getByRole("button", { name: "更换" }));
  await expectToast("邮箱已更换");
});

test("removing the address sends the password in the body, never in the address", async () => {
  let isClosed = false;
  const close = () => (isClosed = true);
  const { changes } = await open(
    () => <UnbindMailDialog bound="alice@example.com" onClose={close} />,
    { answers: { "GET /api/user/2fa": { data: noFactor }, "DELETE /api/oauth/email/bind": {} } },
  );
  const shown = await dialog();
  await type(await shown.findByLabelText(/^当前密码/), "right password");
  await press(shown.getByRole("button", { name: "解绑" }));
  await waitFor(() => expect(isClosed).toBe(true));
  expect(changes()).toEqual([
    { call: "DELETE /api/oauth/email/bind", query: "", body: { password: "right password" } },
  ]);
});

test("binding an identity asks for the present password first, and shows a wrong one there", async () => {
  const opening = spyOn(window, "open").mockImplementation(() => window);
  const { changes } = await open(() => <Bindings />, {
    answers: {
      "GET /api/user/2fa": { data: noFactor },
      "POST /api/oauth/state": { no: "当前密码不正确", field: "password" },
    },
  });
  await waitFor(async () => {
    await press((await part("账户绑定")).getByRole("button", { name: "绑定 GitHub" }));
    await dialog();
  });
  const shown = await dialog();
  await press(shown.getByRole("button", { name: "继续" }));
  expect(shown.getByText("请输入当前密码")).toBeTruthy();
  expect(changes().filter(({ body }) => body !== null && "password" in Object(body))).toEqual([]);
  await type(shown.getByLabelText(/^当前密码/), "wrong");
  await press(shown.getByRole("button", { name: "继续" }));
  expect(changes().at(-1)?.body).toEqual({ provider: "github", password: "wrong" });
  expect(await shown.findByText("当前密码不正确")).toBeTruthy();
  expect(opening).not.toHaveBeenCalled();
  opening.mockRestore();
});

test("a WeChat account is bound with the present password", async () => {
  const { changes } = await open(() => <WeChatDialog picture="" onClose={() => {}} />, {
    answers: { "GET /api/user/2fa": { data: noFactor }, "POST /api/oauth/wechat/bind": {} },
  });
  const shown = await dialog();
  const password = await shown.findByLabelText(/^当前密码/);
  await type(shown.getByLabelText("验证码"), "4711");
  await press(shown.getByRole("button", { name: "绑定" }));
  expect(shown.getByText("请输入当前密码")).toBeTruthy();
  await type(password, "present");
  await press(shown.getByRole("button", { name: "绑定" }));
  expect(changes().map(({ body }) => body)).toEqual([{ code: "4711", password: "present" }]);
});
