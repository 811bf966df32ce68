import { act, fireEvent, screen, waitFor } from "#testing/dom.ts";
import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { afterEach, expect, test } from "bun:test";
import { role, type ShortUser } from "@tollgate/contract/endpoints/users.ts";
import { keepSession } from "#api/session.ts";
import { t } from "#i18n/t.ts";
import { renderAt } from "#testing/render.tsx";
import { serve } from "#testing/serve.ts";
import { countFrames } from "#ui/overlays/frames.ts";
import { statusWith } from "#widgets/testing/status.ts";
import { tokenWith } from "#widgets/testing/token.ts";
import { areas } from "#i18n/areas.ts";
import { actionsFor, find, looks, pagesFor } from "./palette-commands.ts";
import { findModels } from "./palette-models.ts";
import { forgetRecent, keepRecent, readRecent, recentKey } from "./palette-recent.ts";
import { settingsOf } from "./palette-settings.ts";
import { hasWords, withSameWords } from "./palette-words.ts";
import { kindsFor, requestIdTime, tokenSearch } from "./palette-records.ts";
import { closePalette } from "./palette-store.ts";
import { PaletteHost } from "./PaletteHost.tsx";

let stop = () => {};
afterEach(() => {
  act(closePalette);
  stop();
  keepSession(null);
});

const session = (rank: 1 | 10 | 100): ShortUser => ({
  id: 7,
  username: "ann",
  display_name: "",
  role: rank,
  status: 1,
  group: "default",
});
const status = statusWith({});

test("it offers the screens and actions that a role may use, and no others", () => {
  const pages = (rank: 1 | 10 | 100 | null) =>
    pagesFor(rank === null ? null : session(rank), status, t).map(({ address }) => address);
  expect(pages(null)).toContain("/login");
  expect(pages(null)).not.toContain("/token");
  expect(pages(1)).toContain("/token");
  expect(pages(1)).not.toContain("/login");
  expect(pages(1)).not.toContain("/channel");
  expect(pages(10)).toContain("/channel");
  expect(pages(10)).not.toContain("/setting?tab=system");
  expect(pages(100)).toContain("/setting?tab=system");
  expect(pages(100).some((address) => address.includes("$"))).toBe(false);
  expect(pages(1).some((address) => address.startsWith("/chat"))).toBe(false);
  const chats = [{ NextChat: "https://next.example/" }];
  const chat = pagesFor(session(1), statusWith({ chats }), t).find(({ address }) =>
    address.startsWith("/chat"),
  );
  expect([chat?.address, chat?.label]).toEqual(["/chat/0", "NextChat"]);

  const actions = (rank: 1 | 10 | null) =>
    actionsFor(rank === null ? null : session(rank), false, t).map(({ kind }) => kind);
  expect(actions(null)).toEqual(["copy-address"]);
  expect(actions(1)).toEqual(["open", "copy-address", "sign-out"]);
  expect(actions(10)).toContain("test-all");
});

test("a word is found in a label, in English and in an address; labels that begin with it come first", () => {
  expect(hasWords("test  ALL", "测试所有渠道\ntest all channels")).toBe(true);
  expect(hasWords("test none", "测试所有渠道\ntest all channels")).toBe(false);
  const pages = pagesFor(session(100), status, t);
  const found = (query: string) => find(query, pages, ({ address }) => address)[0]?.address;
  expect(found("令牌")).toBe("/token");
  expect(found("playground")).toBe("/playground");
  expect(find("深色", looks(t), ({ words }) => words).map(({ label }) => label)).toEqual([
    "主题：深色",
  ]);
});

async function settingsFor(isRoot: boolean) {
  const texts = async (language: "en" | "zh") => ({
    settings: (await areas.settings[language]()).default,
    account: (await areas.account[language]()).default,
  });
  const catalogues = { zh: await texts("zh"), en: await texts("en") };
  return settingsOf(catalogues, "en", isRoot);
}

test("root finds a setting by any word of its label, help and synonyms, in both languages", async () => {
  const settings = await settingsFor(true);
  const found = (query: string) =>
    find(query, settings, ({ words }) => words).map(({ address }) => address);
  expect(found("price")).toContain("/setting?tab=operation#ModelRatio");
  expect(found("价格")).toEqual(expect.arrayContaining(["/setting?tab=operation#ModelPrice"]));
  expect(found("quota for new")[0]).toBe("/setting?tab=operation#QuotaForNewUser");
  expect(found("新用户 额度")[0]).toBe("/setting?tab=operation#QuotaForNewUser");
  expect(found("smtp")).toContain("/setting?tab=system#SMTPServer");
  expect(found("register")).toContain("/setting?tab=system#RegisterEnabled");
  expect(found("password")).toContain("/setting?tab=personal#password");
  expect(found("group")).toContain("/setting?tab=operation#GroupRatio");
  expect(found("captcha")).toContain("/setting?tab=system#botCheck");
  expect(found("重试")[0]).toBe("/setting?tab=operation#RetryTimes");
  expect(found("RetryTimes")[0]).toBe("/setting?tab=operation#RetryTimes");
  expect(found("no such setting")).toEqual([]);
});

test("other users find the parts of their own account and no option", async () => {
  const settings = await settingsFor(false);
  expect(settings.every(({ address }) => address.startsWith("/setting?tab=personal#"))).toBe(true);
  const found = find("密码", settings, ({ words }) => words).map(({ address }) => address);
  expect(found).toContain("/setting?tab=personal#password");
});

test("a synonym is a whole word", () => {
  expect(withSameWords("Sign in with passkeys")).toContain("登录");
  expect(withSameWords("Login")).not.toContain("日志");
});

test("a model is found by its name and by its brand", () => {
  const models = ["gpt-4o", "claude-sonnet-4-5", "demo-chat"];
  expect(findModels("4o", models)).toEqual(["gpt-4o"]);
  expect(findModels("anthropic", models)).toEqual(["claude-sonnet-4-5"]);
  expect(findModels("", models)).toEqual([]);
});

test("what was opened last comes first, six at most, and only for the same user", () => {
  for (let number = 1; number <= 8; number += 1) {
    keepRecent(7, { kind: "page", label: `${number}`, hint: "", address: `/p${number}` });
  }
  keepRecent(7, { kind: "page", label: "5", hint: "", address: "/p5" });
  expect(readRecent(7).map(({ label }) => label)).toEqual(["5", "8", "7", "6", "4", "3"]);
  expect(readRecent(8)).toEqual([]);
  localStorage.setItem(recentKey, '{"user":7,"entries":[{"address":1}]}');
  expect(readRecent(7)).toEqual([]);
  forgetRecent();
  expect(readRecent(7)).toEqual([]);
});

test("a text is searched only in the kinds it can name and the role may see", () => {
  const { user, admin } = role.enum;
  expect(kindsFor("", admin)).toEqual([]);
  expect(kindsFor("ann", 0)).toEqual([]);
  expect(kindsFor("ann", user)).toEqual(["token"]);
  expect(kindsFor("ann", admin)).toEqual(["user", "channel", "token"]);
  expect(kindsFor("20261121145744123abcdEF12", user)).toEqual(["log"]);
  expect(kindsFor("x".repeat(101), admin)).toEqual([]);
  expect(requestIdTime("20261121145744123abcdEF12")).toBe(Date.UTC(2026, 10, 21, 14, 57, 44) / 1e3);
  expect(requestIdTime("20269921145744123abcdEF12")).toBeNull();
});

test("a pasted key is searched by its two ends, never sent whole", () => {
  const key = "s27QLXRfZsERoIcgvKc5suQu74N8PDAPupbmKnieEjXPd6Xk";
  expect(kindsFor(`sk-${key}`, role.enum.root)).toEqual(["channel", "token"]);
  expect(kindsFor("AIzaSyA1234567890abcdefghij", role.enum.user)).toEqual(["token"]);
  for (const typed of [`sk-${key}`, key]) {
    expect(tokenSearch(typed)).toEqual({ token: "s27Q••••d6Xk" });
  }
  expect(tokenSearch("phone")).toEqual({ keyword: "phone" });
});

const found = {
  "GET /api/user/models": { data: ["gpt-4o"] },
  "GET /api/user/search": {
    data: { items: [], page: 1, page_size: 5, total: 0 },
  },
  "POST /api/channel/search": { data: [], total: 0 },
  "GET /api/token/search": {
    data: [tokenWith({ id: 3, name: "日志机器人" })],
    total: 1,
  },
};

/**
 * The placeholder by which the tests find the palette's search field: finding it by role would take
 * happy-dom seconds for so many lines.
 */
const placeholder = /^搜索页面/;

/**
 * Whether the palette is open. A boolean instead of the element, because Bun needs minutes to print
 * an element of a failed comparison.
 */
const isOpen = () => screen.queryByPlaceholderText(placeholder) !== null;

async function open(rank: 1 | 10) {
  keepSession(session(rank));
  const server = serve(found);
  stop = server.stop;
  const queries = new QueryClient({ defaultOptions: { queries: { retry: false } } });
  const rendered = await renderAt("/log", () => (
    <QueryClientProvider client={queries}>
      <PaletteHost />
    </QueryClientProvider>
  ));
  // Waits until the palette that the previous test opened has closed.
  await waitFor(() => expect(countFrames()).toBe(0));
  fireEvent.keyDown(document.body, { key: "k", ctrlKey: true });
  const field = await screen.findByPlaceholderText(placeholder);
  /**
   * Returns the requests that searched for records; the request that reads the models is not among
   * them.
   */
  const searches = () => server.asked.filter(({ call }) => call.endsWith("/search"));
  return { ...rendered, field, searches };
}

const type = (field: HTMLElement, value: string) => fireEvent.change(field, { target: { value } });

test("Ctrl K opens it, Enter goes to the chosen page, and Ctrl K closes it again", async () => {
  const { field, address } = await open(1);
  type(field, "操练");
  fireEvent.keyDown(field, { key: "Enter" });
  await waitFor(() => expect(address()).toBe("/playground"));
  await waitFor(() => expect(isOpen()).toBe(false));

  fireEvent.keyDown(document.body, { key: "k", metaKey: true });
  await screen.findByPlaceholderText(placeholder);
  fireEvent.keyDown(document.body, { key: "k", metaKey: true });
  await waitFor(() => expect(isOpen()).toBe(false));
});

test("records are searched once the user stops typing, by the calls of the role", async () => {
  const { field, searches, address } = await open(1);
  for (const text of ["日", "日志", "日志机"]) type(field, text);
  const record = await screen.findByText("日志机器人");
  expect(searches().map(({ call, query }) => [call, query.get("keyword")])).toEqual([
    ["GET /api/token/search", "日志机"],
  ]);
  fireEvent.click(record);
  await waitFor(() => expect(address()).toBe("/token?open=3"));
});

test("a changed text is searched anew, and the search before it is aborted", async () => {
  const { field, searches } = await open(10);
  type(field, "a");
  await waitFor(() => expect(searches().length).toBe(3));
  type(field, "ab");
  await waitFor(() => expect(searches().length).toBe(6));
  expect(searches().map(({ signal }) => signal !== null)).not.toContain(false);
});

test("an input method's unfinished word neither searches nor chooses nor closes", async () => {
  const { field, searches, address } = await open(1);
  fireEvent.compositionStart(field);
  type(field, "caozuo");
  // `isComposing` marks a key press that the input method handles itself.
  fireEvent.keyDown(field, { key: "Enter", isComposing: true, keyCode: 229 });
  fireEvent.keyDown(field, { key: "Escape", isComposing: true, keyCode: 229 });
  fireEvent.keyDown(field, { key: "k", ctrlKey: true, isComposing: true });
  expect(isOpen()).toBe(true);
  expect(address()).toBe("/log");
  expect(screen.getByText("操练场")).toBeTruthy();
  expect(searches()).toEqual([]);

  type(field, "操练");
  fireEvent.compositionEnd(field);
  await waitFor(() => expect(screen.queryByText("令牌") === null).toBe(true));
  expect(screen.getByText("操练场")).toBeTruthy();
});
