import { act, fireEvent, screen, waitFor } from "#testing/dom.ts";
import { afterEach, beforeEach, expect, spyOn, test } from "bun:test";
import type { Status } from "@tollgate/contract/endpoints/status.ts";
import { keepSession, readSession } from "#api/session.ts";
import { statusStore } from "#api/status.ts";
import { renderAt } from "#testing/render.tsx";
import { keepReturnAddress } from "#widgets/sign-in/return-address.ts";
import { keepTelegramReturn } from "#widgets/sign-in/telegram-return.ts";
import { statusWith } from "#widgets/testing/status.ts";
import { LoginScreen } from "./LoginScreen.tsx";
import { OauthScreen } from "./OauthScreen.tsx";
import { UndoMailScreen } from "./UndoMailScreen.tsx";
import { type Answers, serve } from "./testing/server.ts";

const ann = {
  id: 7,
  username: "ann",
  display_name: "",
  role: 1,
  status: 1,
  group: "default",
} as const;

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
 * A longer time limit for queries, because some components are loaded only when they are needed.
 */
const patient = { timeout: 20_000 };

const gitHub = { github_oauth: true, github_client_id: "gh" };
const fieldOf = (label: string) =>
  screen.getByLabelText<HTMLInputElement>(new RegExp(`^${label}`), { selector: "input" });
const type = (label: string, value: string) =>
  fireEvent.change(fieldOf(label), { target: { value } });
const press = async (name: string | RegExp) => {
  await act(async () => fireEvent.click(await screen.findByRole("button", { name }, patient)));
};

test("the sign-in page says whose it is; a logo that cannot be shown gives way to the product's", async () => {
  answer({}, { system_name: "Bridge Tolls", logo: "https://tolls.example/logo.png" });
  const { container } = await renderAt("/login", () => <LoginScreen />);
  expect(screen.getByText("Bridge Tolls")).toBeTruthy();
  const logo = () => container.querySelector("header img");
  expect(logo()?.getAttribute("src")).toBe("https://tolls.example/logo.png");
  fireEvent.error(logo() ?? container);
  expect(logo()?.getAttribute("src")).toBe("/logo.svg");
});

test("A-081: a refusal keeps the name, and the password can be typed over at once", async () => {
  const no = "用户名或密码错误，或用户已被封禁";
  answer({ "POST /api/user/login": { no } });
  await renderAt("/login", () => <LoginScreen />);
  type("用户名或邮箱", "ann");
  type("密码", "wrong password");
  await press("登录");
  await screen.findByText(no);
  expect(fieldOf("用户名或邮箱").value).toBe("ann");
  const password = fieldOf("密码");
  expect(password.type).toBe("password");
  expect(document.activeElement === password).toBe(true);
  expect([password.selectionStart, password.selectionEnd]).toEqual([0, password.value.length]);
});

test("the fields have the attributes that password managers need", async () => {
  answer({});
  await renderAt("/login", () => <LoginScreen />);
  const names = ["用户名或邮箱", "密码"].map((label) =>
    fieldOf(label).getAttribute("autocomplete"),
  );
  expect(names).toEqual(["username", "current-password"]);
});

test("after a 401 the same user returns to the same screen, another user does not", async () => {
  answer({ "POST /api/user/login": { data: ann } });
  for (const [owner, where] of [
    [7, "/log?model_name=gpt&page=2"],
    [8, "/token"],
  ] as const) {
    keepReturnAddress("/log?model_name=gpt&page=2", owner);
    const { address } = await renderAt("/login?expired=true", () => <LoginScreen />);
    screen.getByText("未登录或登录已过期，请重新登录！");
    type("用户名或邮箱", "ann");
    type("密码", "12345678");
    await press("登录");
    await waitFor(() => expect(address()).toBe(where));
    keepSession(null);
  }
});

test("the sign-in method used last is marked if there is more than one", async () => {
  answer({ "POST /api/user/login": { data: ann }, "GET /api/oauth/github": { data: ann } }, gitHub);
  await renderAt("/login", () => <LoginScreen />);
  expect(screen.queryByText("上次使用")).toBeNull();
  type("用户名或邮箱", "ann");
  type("密码", "12345678");
  await press("登录");
  await waitFor(() => expect(readSession()).not.toBeNull());
  keepSession(null);
  await renderAt("/login", () => <LoginScreen />);
  const mark = await screen.findByText("上次使用", {}, patient);
  expect(mark.closest("form")).not.toBeNull();

  const { address } = await renderAt("/oauth/github?code=c&state=s", () => <OauthScreen />);
  await waitFor(() => expect(address()).toBe("/token"));
  keepSession(null);
  await renderAt("/login", () => <LoginScreen />);
  await screen.findByRole("button", { name: /GitHub.*上次使用/ }, patient);
  expect(screen.getAllByText("上次使用")).toHaveLength(1);
});

test("A-126: a provider's failure shows its message, and the provider can be tried again", async () => {
  const no = "无法连接至 GitHub 服务器，请稍后重试！";
  const sent = answer(
    { "GET /api/oauth/github": { no }, "POST /api/oauth/state": { data: "s-2" } },
    gitHub,
  );
  const { address } = await renderAt("/oauth/github?code=c&state=s", () => <OauthScreen />);
  await waitFor(() => expect(address()).toBe("/login"));
  await renderAt("/login", () => <LoginScreen />);
  await screen.findByText(no);
  const opened = spyOn(window, "open").mockImplementation(() => window);
  await press("用 GitHub 重试");
  await waitFor(() => expect(opened).toHaveBeenCalled());
  expect(String(opened.mock.calls[0]?.[0])).toContain("client_id=gh&state=s-2");
  expect(sent.at(-1)?.body).toMatchObject({ provider: "github" });
  opened.mockRestore();
});

test("a user who leaves while a provider is slow is not moved on later", async () => {
  let settle = (): void => undefined;
  answer({}, gitHub);
  const fetching = spyOn(globalThis, "fetch").mockImplementation((async () => {
    await new Promise<void>((resolve) => (settle = resolve));
    return Response.json({ success: false, message: "too late" });
  }) as unknown as typeof fetch); // safe cast: `call` passes an address and options
  const { address } = await renderAt("/oauth/github?code=c&state=s", () => <OauthScreen />);
  screen.getByText("正在向 GitHub 确认身份…");
  await press("取消");
  await waitFor(() => expect(address()).toBe("/login"));
  await act(async () => settle());
  fetching.mockRestore();
  await renderAt("/login", () => <LoginScreen />);
  expect(screen.queryByText("too late")).toBeNull();
});

const signed = "id=42&first_name=A&auth_date=1700000000&hash=00ff";

test("A-399: Telegram's signed answer is sent unchanged, and signs in", async () => {
  const sent = answer({ "POST /api/oauth/telegram/login": { data: ann } });
  const mark = keepTelegramReturn(0, Date.now());
  const at = `/oauth/telegram?state=${mark}&${signed}`;
  const { address } = await renderAt(at, () => <OauthScreen />);
  await waitFor(() => expect(address()).toBe("/token"));
  const signIns = sent.filter(({ call }) => call === "POST /api/oauth/telegram/login");
  expect(signIns.map(({ body }) => body)).toEqual([
    { id: "42", first_name: "A", auth_date: "1700000000", hash: "00ff" },
  ]);
  expect(readSession()?.id).toBe(7);
});

test("A-138 A-400: a signed-in user gets Telegram bound, and sees the settings", async () => {
  const sent = answer({ "POST /api/oauth/telegram/bind": {} });
  keepSession(ann);
  const mark = keepTelegramReturn(7, Date.now());
  const at = `/oauth/telegram?state=${mark}&${signed}`;
  const { address } = await renderAt(at, () => <OauthScreen />);
  await waitFor(() => expect(address()).toBe("/setting"));
  expect(sent).toHaveLength(1);
  expect((await screen.findAllByText("Telegram 绑定成功！")).length).toBeGreaterThan(0);
});

test("a Telegram answer that this tab did not ask for binds nothing and signs nobody in", async () => {
  const sent = answer({
    "POST /api/oauth/telegram/bind": {},
    "POST /api/oauth/telegram/login": { data: ann },
  });
  for (const session of [null, ann]) {
    keepSession(session);
    const at = `/oauth/telegram?state=made-up&${signed}`;
    const { address } = await renderAt(at, () => <OauthScreen />);
    await waitFor(() => expect(address()).toBe(session === null ? "/login" : "/setting"));
  }
  expect(sent).toEqual([]);
});

test("after an account was deleted, the sign-in screen says so", async () => {
  answer({});
  await renderAt("/login?deleted=true", () => <LoginScreen />);
  expect(await screen.findByText("账户已删除", {}, patient)).toBeTruthy();
});

test("a letter's link restores an address after a press, and leads to a new password", async () => {
  const sent = answer({ "POST /api/user/email/undo": {} });
  const link = "/user/email/undo?user=7&email=ann%40example.com&token=abc123";
  await renderAt(link, () => <UndoMailScreen />);
  expect(screen.getByText("ann@example.com")).toBeTruthy();
  expect(sent).toEqual([]);
  await press("撤销更改");
  expect(await screen.findByText("邮箱地址已恢复")).toBeTruthy();
  expect(screen.getByRole("link", { name: "设置新密码" }).getAttribute("href")).toBe("/reset");
  expect(sent.map(({ body }) => body)).toEqual([
    { user: "7", email: "ann@example.com", token: "abc123" },
  ]);
});

test("a link that is used up or broken says so", async () => {
  answer({ "POST /api/user/email/undo": { no: "链接无效或已过期" } });
  await renderAt("/user/email/undo?user=7&email=a%40b.cc&token=abc", () => <UndoMailScreen />);
  await press("撤销更改");
  expect(await screen.findByText("链接无效或已过期")).toBeTruthy();
  await renderAt("/user/email/undo?user=7", () => <UndoMailScreen />);
  expect(await screen.findByText("链接不完整，请完整复制邮件中的链接")).toBeTruthy();
});
