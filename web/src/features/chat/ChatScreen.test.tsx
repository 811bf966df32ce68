import { act, fireEvent, screen, waitFor } from "#testing/dom.ts";
import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { afterEach, beforeEach, expect, spyOn, test } from "bun:test";
import type { Token } from "@tollgate/contract/endpoints/tokens.ts";
import { keepSession } from "#api/session.ts";
import { statusStore } from "#api/status.ts";
import { renderAt } from "#testing/render.tsx";
import { type Answer, serve } from "#testing/serve.ts";
import { toastManager } from "#ui/overlays/toast.ts";
import { judgeStoredChats, takeDamagedChats } from "#widgets/chat/stored-chats.ts";
import { takeReturnAddress } from "#widgets/sign-in/return-address.ts";
import { statusWith } from "#widgets/testing/status.ts";
import { tokenWith } from "#widgets/testing/token.ts";
import { ChatScreen } from "./ChatScreen.tsx";
import { chosenChat } from "./chosen-chat.ts";

const key = "aB3".repeat(16);

const row = tokenWith({ key: "aB3a••••BaB3" });
const disabled: Token = { ...row, id: 9, status: 2, name: "off" };
const spent: Token = { ...row, id: 8, name: "spent", unlimited_quota: false };

const web = { NextChat: "https://next.example/#/?k={key}&u={address}" };
const second = { Lobe: "https://lobe.example/?k={key}" };
const app = { OpenCat: "opencat://team/join?k={key}" };

let stop = () => {};
beforeEach(() => {
  keepSession({ id: 7, username: "ann", display_name: "", role: 1, status: 1, group: "default" });
});
afterEach(() => {
  stop();
  act(() => keepSession(null));
});

function configure(...chats: Record<string, string>[]): void {
  const pages = chats
    .flatMap(Object.values<string>)
    .filter((address) => address.startsWith("https:"));
  const [chat_link = "", chat_link2 = chat_link] = pages;
  const status = statusWith({
    chats,
    chat_link,
    chat_link2,
    server_address: "https://gate.example",
  });
  act(() => statusStore.write({ kind: "ready", status, error: null }));
}

async function show(
  at: string,
  tokens: readonly Token[] = [disabled, spent, row],
  reveal: Answer = { data: { key } },
) {
  const server = serve({
    "GET /api/token/": { data: tokens, total: tokens.length },
    "POST /api/token/5/key": reveal,
  });
  stop = server.stop;
  const queries = new QueryClient({ defaultOptions: { queries: { retry: false } } });
  const rendered = await renderAt(at, () => (
    <QueryClientProvider client={queries}>
      <ChatScreen />
    </QueryClientProvider>
  ));
  const callsNow = () => server.asked.map(({ call }) => call);
  return { ...rendered, callsNow };
}

const frames = () => document.querySelectorAll("iframe").length;

test("A-051: the client is shown in a frame with the first usable token, whose key is read once", async () => {
  configure(web, second);
  const { callsNow, goTo } = await show("/chat/0");
  const frame = await screen.findByTitle<HTMLIFrameElement>("NextChat");
  expect(frame.getAttribute("src")).toBe(
    `https://next.example/#/?k=sk-${key}&u=https%3A%2F%2Fgate.example`,
  );
  expect(frame.getAttribute("referrerpolicy")).toBe("no-referrer");
  expect(frame.getAttribute("sandbox")).not.toContain("allow-top-navigation");
  expect(screen.getByText(/令牌“laptop”的密钥会交给 next\.example/)).toBeTruthy();
  expect(screen.getByText("正在载入 NextChat")).toBeTruthy();
  fireEvent.load(frame);
  expect(screen.queryByText("正在载入 NextChat")).toBeNull();

  await goTo("/chat/1");
  expect((await screen.findByTitle("Lobe")).getAttribute("src")).toContain(`k=sk-${key}`);
  expect(callsNow()).toEqual(["GET /api/token/", "POST /api/token/5/key"]);
});

test("A-051: the key stands neither in the console's address nor in a link, nor in storage", async () => {
  configure(web);
  const { address } = await show("/chat");
  const frame = await screen.findByTitle("NextChat");
  expect(address()).toBe("/chat");
  expect(location.href).not.toContain(key);
  expect(
    JSON.stringify([localStorage, sessionStorage].map((storage) => Object.entries(storage))),
  ).not.toContain(key);
  frame.remove();
  expect(document.documentElement.outerHTML).not.toContain(key);
});

test("A-051 A-053: each address has its client, and a removed client is reported", () => {
  const chats = [app, web, second];
  const status = { chats, chat_link: web.NextChat, chat_link2: second.Lobe };
  const places = ["/chat", "/chat/0", "/chat/2", "/chat2link"].map((at) => chosenChat(at, status));
  expect(places).toEqual([1, 0, 2, 2]);
  for (const none of ["/chat/3", "/chat/x", "/chat/-1", "/chat/1e0"]) {
    expect(chosenChat(none, status), none).toBeNull();
  }
});

test("A-051 A-052: a first-time visitor is led to sign in and back, is told of no expired session, and no token is read", async () => {
  act(() => keepSession(null));
  configure(web);
  const { callsNow, address } = await show("/chat/0");
  await waitFor(() => expect(address()).toBe("/login"));
  expect([callsNow(), frames()]).toEqual([[], 0]);
  expect(takeReturnAddress(7)).toBe("/chat/0");
});

test("A-051 O-562: without clients the screen says so; root can add one, others can go on", async () => {
  configure();
  await show("/chat");
  await screen.findByRole("heading", { name: "聊天" });
  expect(screen.getByText("请联系管理员配置聊天链接")).toBeTruthy();
  const leadsTo = () => screen.getByRole("link").getAttribute("href");
  expect(leadsTo()).toBe("/playground");
  act(() => keepSession(null));
  await waitFor(() => expect(leadsTo()).toBe("/login"));
  act(() =>
    keepSession({ id: 1, username: "root", display_name: "", role: 100, status: 1, group: "a" }),
  );
  const link = await screen.findByRole("link", { name: "配置聊天链接" });
  expect(link.getAttribute("href")).toBe("/setting?tab=other");
});

test("A-051 O-557 O-558: without a usable token the screen says so and goes on to the tokens; no key is read", async () => {
  configure(web);
  const { callsNow, address } = await show("/chat/0", [disabled, spent]);
  const link = await screen.findByRole("link", { name: "前往令牌页面" });
  expect(link.getAttribute("href")).toBe("/token");
  expect(screen.getByText("当前没有可用的启用令牌")).toBeTruthy();
  expect([callsNow(), frames()]).toEqual([["GET /api/token/"], 0]);
  await waitFor(() => expect(address()).toBe("/token"), { timeout: 10_000 });
});

test("O-560: /chat2link leaves the console for the configured page, once, with the key", async () => {
  configure(web, second);
  const left = spyOn(location, "replace").mockImplementation(() => {});
  await show("/chat2link");
  await waitFor(() => expect(left.mock.calls).toEqual([[`https://lobe.example/?k=sk-${key}`]]));
  expect(frames()).toBe(0);
  left.mockRestore();
});

test("O-559 O-669: a damaged copy of the chats in local storage is reported once, and does no harm", async () => {
  localStorage.setItem("chats", "{broken");
  judgeStoredChats();
  const told = spyOn(toastManager, "add");
  configure(web);
  await show("/chat/0");
  await waitFor(() => expect(frames()).toBe(1));
  await waitFor(() =>
    expect(told.mock.calls.map(([{ title }]) => title)).toEqual(["聊天数据解析失败"]),
  );
  told.mockRestore();
  expect(takeDamagedChats()).toBe(false);
});

test("O-561: a link that is no address is reported, and no token is read for it", async () => {
  configure({ Odd: "javascript:alert(1)" });
  const { callsNow } = await show("/chat/0");
  expect(await screen.findByText("聊天链接配置错误，请联系管理员")).toBeTruthy();
  expect(callsNow()).toEqual([]);
});

test("A-051: a refused key is reported, with a button to try again", async () => {
  configure(web);
  await show("/chat/0", [row], "请求次数过多");
  expect(await screen.findByText("请求次数过多")).toBeTruthy();
  expect(screen.getByRole("button", { name: "重试" })).toBeTruthy();
  expect(frames()).toBe(0);
});

test("trying again looks for a token that still exists, and reads no key of a deleted one", async () => {
  configure(web);
  const tokens = [row];
  const { callsNow } = await show("/chat/0", tokens, "令牌不存在");
  const again = await screen.findByRole("button", { name: "重试" });
  tokens.splice(0, 1, tokenWith({ id: 6 }));
  await act(async () => void fireEvent.click(again));
  await waitFor(() => expect(callsNow()).toContain("POST /api/token/6/key"));
  expect(callsNow().filter((call) => call === "POST /api/token/5/key")).toHaveLength(1);
});

test("O-553: a page without HTTPS is framed as others are, in a console without HTTPS", async () => {
  configure({ Plain: "http://plain.example/?k={key}" });
  await show("/chat/0");
  const frame = await screen.findByTitle("Plain");
  expect(frame.getAttribute("src")).toBe(`http://plain.example/?k=sk-${key}`);
});

test("P-C1: our own page and an app are not framed, and no key is read for them", async () => {
  for (const [address, title] of [
    ["https://gate.example/token?k={key}", "Chat 在新标签页打开"],
    ["opencat://team?k={key}", "Chat 是这台设备上的应用"],
  ] as const) {
    configure({ Chat: address });
    const { callsNow } = await show("/chat/0");
    expect(await screen.findByText(title), address).toBeTruthy();
    expect([callsNow(), frames()]).toEqual([["GET /api/token/"], 0]);
    stop();
  }
});

test("P-C3: a client that the page's policy blocks opens in a tab, with the key it was given", async () => {
  configure(web);
  const { callsNow } = await show("/chat/0");
  await screen.findByTitle("NextChat");
  const tab = { opener: {}, location: { replace: (_: string) => {} }, close: () => {} };
  const replaced = spyOn(tab.location, "replace");
  const opening = spyOn(window, "open").mockImplementation(() => tab as unknown as Window);
  const violate = (blockedURI: string) =>
    act(() => {
      const told = { effectiveDirective: "frame-src", blockedURI };
      document.dispatchEvent(Object.assign(new Event("securitypolicyviolation"), told));
    });
  violate("https://elsewhere.example/");
  expect(screen.queryByText("NextChat 无法在这里显示")).toBeNull();
  violate("https://next.example/");
  expect(screen.getByText("NextChat 无法在这里显示")).toBeTruthy();
  expect(frames()).toBe(0);

  const [button] = screen.getAllByRole("button", { name: "在新标签页打开" });
  if (button !== undefined) fireEvent.click(button);
  await waitFor(() => expect(replaced.mock.calls.length).toBe(1));
  expect(replaced.mock.calls[0]?.[0]).toContain(`https://next.example/#/?k=sk-${key}`);
  expect(opening.mock.calls[0]).toEqual(["", "_blank"]);
  expect(tab.opener === null).toBe(true);
  expect(callsNow().filter((call) => call.startsWith("POST"))).toHaveLength(1);
  opening.mockRestore();
});
