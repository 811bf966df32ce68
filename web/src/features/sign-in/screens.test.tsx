import { act, fireEvent, screen, waitFor, within } from "#testing/dom.ts";
import { afterEach, beforeEach, expect, spyOn, test } from "bun:test";
import type { Status } from "@tollgate/contract/endpoints/status.ts";
import { keepSession, readSession } from "#api/session.ts";
import { statusStore } from "#api/status.ts";
import { renderAt } from "#testing/render.tsx";
import { LoginScreen } from "./LoginScreen.tsx";
import { OauthScreen } from "./OauthScreen.tsx";
import { RegisterScreen } from "./RegisterScreen.tsx";
import { ResetConfirmScreen } from "./ResetConfirmScreen.tsx";
import { ResetScreen } from "./ResetScreen.tsx";
import { type Answers, serve } from "./testing/server.ts";
import { openProvider } from "#widgets/sign-in/provider-window.ts";
import { keepReturnAddress } from "#widgets/sign-in/return-address.ts";
import { statusWith } from "#widgets/testing/status.ts";

const ann = { id: 7, username: "ann", display_name: "", role: 1, status: 1, group: "default" };
const needed = { require_2fa: true, ticket: "t-1", methods: ["totp", "recovery"] };

let stop = () => {};
beforeEach(() => keepSession(null));
afterEach(() => {
  stop();
  keepSession(null);
});

function answer(answers: Answers, status: Partial<Status> = {}) {
  statusStore.write({ kind: "ready", status: statusWith(status), error: null });
  const server = serve(answers);
  stop = server.stop;
  return server.sent;
}

/**
 * Finds an input by the beginning of its label: the whole label also matches the button that shows
 * the password.
 */
const fieldOf = (label: string) =>
  screen.getByLabelText(new RegExp(`^${label}`), { selector: "input" });

const type = (label: string, value: string) =>
  fireEvent.change(fieldOf(label), { target: { value } });

const press = async (name: string) => {
  await act(async () => fireEvent.click(await screen.findByRole("button", { name })));
};

/**
 * Fills in the fields that registration always has; some appear only if the server requires them.
 */
function fillIn() {
  type("用户名", "ann");
  type("密码", "12345678");
  type("确认密码", "12345678");
}

test("A-088 A-089: sign-in leads to registration and to a password reset", async () => {
  answer({});
  await renderAt("/login", () => <LoginScreen />);
  const hrefOf = (name: string) => screen.getByRole("link", { name }).getAttribute("href");
  expect(hrefOf("注册账户")).toBe("/register");
  expect(hrefOf("忘记密码？")).toBe("/reset");
});

test("A-087: without a provider's flag there is no other method", async () => {
  answer({});
  await renderAt("/register", () => <RegisterScreen />);
  expect(screen.queryByText("其他方式")).toBeNull();
});

for (const [path, part] of [
  ["/login", () => <LoginScreen />],
  ["/register", () => <RegisterScreen />],
] as const) {
  test(`A-082 A-083 A-106 A-394: ${path} opens the provider's page in another window`, async () => {
    const flags = { github_oauth: true, github_client_id: "gh", linuxdo_oauth: true };
    const sent = answer({ "POST /api/oauth/state": { data: "s-1" } }, flags);
    const opened = spyOn(window, "open").mockImplementation(() => window);
    localStorage.setItem("aff", "AB12");
    await renderAt(path, part);
    await screen.findByRole("button", { name: "LinuxDO" });
    await press("GitHub");
    await waitFor(() => expect(opened).toHaveBeenCalled());
    expect(sent[0]?.body).toEqual({ aff: "AB12", provider: "github" });
    expect(String(opened.mock.calls[0]?.[0])).toContain("client_id=gh&state=s-1");
    opened.mockRestore();
  });
}

test("after a sign-in in the opened window this page goes on as well", async () => {
  const status = { github_oauth: true, github_client_id: "gh" };
  answer({ "POST /api/oauth/state": { data: "s-1" } }, status);
  const opened = spyOn(window, "open").mockImplementation(() => window);
  const { address } = await renderAt("/login", () => <LoginScreen />);
  await press("GitHub");
  await waitFor(() => expect(opened).toHaveBeenCalled());
  expect(address()).toBe("/login");
  await act(async () => {
    keepSession({ ...ann, role: 1, status: 1 });
    window.dispatchEvent(new StorageEvent("storage", { key: "user" }));
  });
  await waitFor(() => expect(address()).toBe("/token"));
  opened.mockRestore();
});

test("after a sign-in in another tab this tab goes back to its own screen", async () => {
  answer({});
  keepReturnAddress("/log?keyword=gpt", 7);
  const { address } = await renderAt("/login?expired=true", () => <LoginScreen />);
  await act(async () => {
    localStorage.setItem("user", JSON.stringify({ ...ann, id: 7, role: 1, status: 1 }));
    window.dispatchEvent(new StorageEvent("storage", { key: "user" }));
  });
  await waitFor(() => expect(address()).toBe("/log?keyword=gpt"));
});

test("A-084 A-085 A-396: WeChat shows its QR code and signs in by the code it answers", async () => {
  const flags = { wechat_login: true, wechat_qrcode: "https://pictures.test/qr.png" };
  const sent = answer({ "POST /api/oauth/wechat": { data: ann } }, flags);
  const { address } = await renderAt("/login", () => <LoginScreen />);
  await press("微信");
  const dialog = within(await screen.findByRole("dialog"));
  expect(dialog.getByRole("img").getAttribute("src")).toBe(flags.wechat_qrcode);
  fireEvent.change(dialog.getByLabelText("验证码"), { target: { value: " 123456 " } });
  await act(async () => fireEvent.click(dialog.getByRole("button", { name: "登录" })));
  await waitFor(() => expect(address()).toBe("/token"));
  const signIns = sent.filter(({ call }) => call === "POST /api/oauth/wechat");
  expect(signIns.map(({ body }) => body)).toEqual([{ code: "123456" }]);
});

test("a second factor is asked for with the ticket, and only then the user is signed in", async () => {
  const sent = answer({
    "POST /api/user/login": { data: needed },
    "POST /api/user/login/2fa": { data: ann },
  });
  const { address } = await renderAt("/login", () => <LoginScreen />);
  type("用户名或邮箱", "ann");
  type("密码", "12345678");
  await press("登录");
  await screen.findByText("两步验证");
  expect(readSession()).toBeNull();
  type("验证码", "000111");
  await press("登录");
  await waitFor(() => expect(address()).toBe("/token"));
  expect(readSession()?.id).toBe(7);
  expect(sent[1]?.body).toEqual({ ticket: "t-1", code: "000111" });
});

test("A-098: a sign-in with the default password is warned of before anything else", async () => {
  answer({ "POST /api/user/login": { data: { ...ann, username: "root" } } });
  const { address } = await renderAt("/login", () => <LoginScreen />);
  type("用户名或邮箱", "root");
  type("密码", "123456");
  await press("登录");
  await screen.findByText("您正在使用默认密码！");
  expect(address()).toBe("/login");
  await press("修改密码");
  await waitFor(() => expect(address()).toBe("/setting"));
});

test("A-098: the same in English", async () => {
  answer({ "POST /api/user/login": { data: { ...ann, username: "root" } } });
  await renderAt("/login", () => <LoginScreen />, { language: "en" });
  type("Username", "root");
  type("Password", "123456");
  await press("Sign in");
  await screen.findByText(/you are using the default password, change it immediately/);
});

test("A-101 A-102 A-105: without e-mail there are three fields, and a kept invitation code is sent", async () => {
  const sent = answer({ "POST /api/user/register": {} });
  await renderAt("/register?aff=AB12", () => <RegisterScreen />);
  const { address } = await renderAt("/register", () => <RegisterScreen />);
  fillIn();
  expect(screen.queryByLabelText("邮箱", { exact: false })).toBeNull();
  await press("注册");
  await waitFor(() => expect(address()).toBe("/login"));
  expect(sent[0]?.body).toMatchObject({ username: "ann", password: "12345678", aff_code: "AB12" });
  await renderAt("/login", () => <LoginScreen />);
  screen.getByText("注册成功！");
});

test("A-114: a new user whom the server signs in goes on without the sign-in screen", async () => {
  answer({ "POST /api/user/register": { data: ann } });
  const { address } = await renderAt("/register", () => <RegisterScreen />);
  fillIn();
  await press("注册");
  await waitFor(() => expect(address()).toBe("/token"));
  expect(readSession()).toMatchObject({ id: 7, username: "ann" });
});

test("A-102 A-103 A-104 A-454: with e-mail a code is sent, not twice in 30 s, and is part of the call", async () => {
  const sent = answer(
    { "POST /api/verification": {}, "POST /api/user/register": {} },
    { email_verification: true },
  );
  const { address } = await renderAt("/register", () => <RegisterScreen />);
  fillIn();
  type("邮箱", "Ann@Example.com");
  await press("获取验证码");
  await waitFor(() => expect(sent.length).toBe(1));
  expect(sent[0]?.body).toEqual({ email: "ann@example.com", lang: "zh", turnstile: "" });
  const again = await screen.findByRole("button", { name: /^重试 \(\d+\)$/ });
  expect(again.hasAttribute("disabled")).toBe(true);
  type("验证码", "012345");
  await press("注册");
  await waitFor(() => expect(address()).toBe("/login"));
  expect(sent[1]?.body).toMatchObject({ email: "ann@example.com", verification_code: "012345" });
});

test("A-109: passwords that differ are reported, and nothing is sent", async () => {
  const sent = answer({});
  await renderAt("/register", () => <RegisterScreen />);
  fillIn();
  type("确认密码", "other");
  await press("注册");
  expect((await screen.findAllByText("两次输入的密码不一致")).length).toBeGreaterThan(0);
  expect(sent).toEqual([]);
  // No toast repeats the fault, because it could cover the button.
  expect(screen.queryByText("请检查输入")).toBeNull();
});

test("A-115 A-454: the reset e-mail is sent to an address, and not twice in 30 s", async () => {
  const sent = answer({ "POST /api/reset_password": {} });
  await renderAt("/reset", () => <ResetScreen />);
  await press("发送重置邮件");
  await screen.findByText("请输入邮箱！");
  expect(sent).toEqual([]);
  type("邮箱", "ann@example.com");
  await press("发送重置邮件");
  await screen.findByText(/重置邮件已发送/);
  expect(sent.map(({ body }) => body)).toEqual([
    { email: "ann@example.com", lang: "zh", turnstile: "" },
  ]);
  const again = screen.getByRole("button", { name: /^重试/ });
  expect(again.hasAttribute("disabled")).toBe(true);
});

test("A-116 A-117 A-118 A-119: a reset link shows and copies the new password after a click", async () => {
  const copied: string[] = [];
  const writeText = async (text: string) => void copied.push(text);
  Object.defineProperty(navigator, "clipboard", { value: { writeText }, configurable: true });
  const sent = answer({ "POST /api/user/reset": { data: "newPassword1234567890" } });
  await renderAt("/user/reset?email=a%40b.c&token=T1", () => <ResetConfirmScreen />);
  screen.getByText("a@b.c");
  expect(sent).toEqual([]);
  await press("确认重置密码");
  await screen.findByText("newPassword1234567890");
  expect(sent.map(({ body }) => body)).toEqual([{ email: "a@b.c", token: "T1" }]);
  expect(copied).toEqual(["newPassword1234567890"]);
});

test("a reset link that is cut off leads to the form for another one", async () => {
  answer({});
  await renderAt("/user/reset?email=a%40b.c", () => <ResetConfirmScreen />);
  expect(screen.getByRole("link").getAttribute("href")).toBe("/reset");
});

const back = "/oauth/github?code=c&state=s";
const call = "GET /api/oauth/github";

test("A-120 A-121 A-123: the provider's answer is sent once, and signs in", async () => {
  const sent = answer({ [call]: { data: ann } });
  const { address } = await renderAt(back, () => <OauthScreen />);
  await waitFor(() => expect(address()).toBe("/token"));
  expect(sent.filter((one) => one.call === call).map(({ query }) => query)).toEqual([
    "?code=c&state=s",
  ]);
  expect(readSession()?.id).toBe(7);
});

test("drawn once more on the way to another screen, it sends nothing", async () => {
  const sent = answer({});
  const { address } = await renderAt("/login?code=c&state=s", () => <OauthScreen />);
  expect(sent).toEqual([]);
  expect(address()).toBe("/login?code=c&state=s");
});

test("A-122 A-124: a signed-in user gets the identity bound, and sees the settings", async () => {
  answer({ [call]: {} });
  keepSession({ ...ann, id: 9, role: 1, status: 1 });
  const { address } = await renderAt(back, () => <OauthScreen />);
  await waitFor(() => expect(address()).toBe("/setting"));
  expect(readSession()?.id).toBe(9);
  expect((await screen.findAllByText("GitHub 绑定成功！")).length).toBeGreaterThan(0);
});

const stale = /登录或绑定没有完成：.*请重新开始/;

test("A-125 A-127: a state that expired is explained in the settings, and the visit can begin again", async () => {
  const flags = { github_oauth: true, github_client_id: "gh" };
  answer(
    { [call]: { no: "state is empty or not same" }, "POST /api/oauth/state": { data: "s-3" } },
    flags,
  );
  keepSession({ ...ann, role: 1, status: 1 });
  const left = spyOn(window.location, "assign").mockImplementation(() => {});
  const { address } = await renderAt(back, () => <OauthScreen />);
  await waitFor(() => expect(address()).toBe("/setting"));
  expect((await screen.findAllByText(stale)).length).toBeGreaterThan(0);
  // Finds the button by its text and not by its role, because the page below an open dialog is
  // hidden from queries by role.
  await act(async () => fireEvent.click(screen.getByText("重新开始")));
  await waitFor(() => expect(left).toHaveBeenCalled());
  expect(String(left.mock.calls[0]?.[0])).toContain("client_id=gh&state=s-3");
  left.mockRestore();
});

test("A-126 A-127: a failure leads a visitor to the sign-in, with an explanation", async () => {
  answer({ [call]: { no: "state is empty or not same" } });
  const { address } = await renderAt(back, () => <OauthScreen />);
  await waitFor(() => expect(address()).toBe("/login"));
  await renderAt("/login", () => <LoginScreen />);
  screen.getByText(stale);
});

test("a provider's window hands over to the window that opened it, and opens no second console", async () => {
  answer({ [call]: { data: ann } });
  const closed = spyOn(window, "close").mockImplementation(() => {});
  const opened = spyOn(window, "open").mockImplementation(
    () => ({ close() {} }) as unknown as Window, // safe cast: only `close` is called
  );
  let isDone = false;
  const visit = { address: "https://github.com/", state: "s-1" };
  const stopWaiting = openProvider(visit, () => (isDone = true));
  const { address } = await renderAt("/oauth/github?code=c&state=s-1", () => <OauthScreen />);
  await screen.findByText(/此窗口可以关闭/);
  expect(address()).toStartWith("/oauth/github");
  expect([isDone, closed.mock.calls.length]).toEqual([true, 1]);
  await press("在此窗口继续");
  await waitFor(() => expect(address()).toBe("/token"));
  stopWaiting();
  opened.mockRestore();
  closed.mockRestore();
});

test("a refused Telegram binding of another page is explained where it can be begun", async () => {
  answer({});
  keepSession({ ...ann, role: 1, status: 1 });
  const { address } = await renderAt("/oauth/telegram?refused=not-signed-in", () => (
    <OauthScreen />
  ));
  await waitFor(() => expect(address()).toBe("/setting"));
  expect((await screen.findAllByText(/Telegram 没有绑定/)).length).toBeGreaterThan(0);
});

test("sign-in by password that is switched off shows what is possible instead of a form", async () => {
  const off = { password_login_enabled: false, register_enabled: false };
  answer({}, { ...off, github_oauth: true });
  await renderAt("/login", () => <LoginScreen />);
  screen.getByText("本站已关闭密码登录");
  screen.getByText("请使用下面的方式登录。");
  await screen.findByRole("button", { name: "GitHub" });
  expect(screen.queryByLabelText(/^密码/)).toBeNull();
  expect(screen.queryByRole("link", { name: "注册账户" })).toBeNull();
  expect(screen.queryByRole("link", { name: "忘记密码？" })).toBeNull();
  answer({}, off);
  await renderAt("/login", () => <LoginScreen />);
  screen.getByText("没有开放其他登录方式，请联系管理员。");
});

test("registration that is closed says so, and offers what still makes an account", async () => {
  answer({}, { register_enabled: false, github_oauth: true });
  await renderAt("/register", () => <RegisterScreen />);
  screen.getByText("本站已关闭注册");
  expect(screen.queryByLabelText(/^用户名/)).toBeNull();
  expect(screen.queryByRole("button", { name: "GitHub" })).toBeNull();
  answer({}, { password_register_enabled: false, github_oauth: true });
  await renderAt("/register", () => <RegisterScreen />);
  screen.getByText("本站不接受用密码注册");
  await screen.findByRole("button", { name: "GitHub" });
  expect(screen.queryByLabelText(/^用户名/)).toBeNull();
});

test("A-085 A-440: a QR code that cannot be loaded is reported at sign-in too", async () => {
  answer({}, { wechat_login: true, wechat_qrcode: "https://pictures.test/gone.png" });
  await renderAt("/login", () => <LoginScreen />);
  await press("微信");
  const dialog = within(await screen.findByRole("dialog"));
  fireEvent.error(dialog.getByRole("img"));
  await dialog.findByText("获取二维码失败");
});

test("a second factor is asked for after a provider's sign-in as well", async () => {
  answer({ [call]: { data: needed }, "POST /api/user/login/2fa": { data: ann } });
  const { address } = await renderAt(back, () => <OauthScreen />);
  await screen.findByText("两步验证");
  type("验证码", "a-recovery-code");
  await press("登录");
  await waitFor(() => expect(address()).toBe("/token"));
});
