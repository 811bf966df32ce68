import "#testing/dom.ts";
import { expect, test } from "bun:test";
import { languageKey, preferredLanguage, t } from "#i18n/t.ts";
import { statusWith } from "#widgets/testing/status.ts";
import { keepStatusFields, statusKeys } from "./preferences.ts";
import { screens } from "./screens.ts";
import { parseSearch, showSearch } from "./routing/search.ts";
import { isShown, menuEntries } from "./shell/side-menu-entries.ts";

const status = statusWith({
  password_login_enabled: false,
  password_register_enabled: false,
  register_enabled: false,
  chats: [{ Chat: "https://chat.example/?key={key}" }],
  footer_html: "<b>x</b>",
  enable_task: true,
});

const user = (role: 1 | 10 | 100) =>
  ({ id: 1, username: "a", display_name: "", role, status: 1, group: "default" }) as const;

test("the query of an address is plain text when written and when read", () => {
  const search = { keyword: "50% 日志 & more", page: "2", open: "new" };
  expect(parseSearch(showSearch(search))).toEqual(search);
  expect(showSearch({ page: 2, all: true, none: undefined })).toBe("?page=2&all=true");
  expect(showSearch({})).toBe("");
  expect(parseSearch("?keyword=1.0")).toEqual({ keyword: "1.0" });
});

test("A-374–A-380: local storage holds the status fields under their own names", () => {
  keepStatusFields(status);
  expect(Object.fromEntries(statusKeys.map((key) => [key, localStorage.getItem(key)]))).toEqual({
    chat_link: "",
    chats: '[{"Chat":"https://chat.example/?key={key}"}]',
    default_collapse_sidebar: "false",
    enable_data_export: "false",
    enable_drawing: "false",
    enable_task: "true",
    footer_html: "<b>x</b>",
  });
});

test("A-027 A-028 A-382: the language is the stored one, else the browser's, else Chinese", () => {
  const ask = (stored: string | null, browser: string) => {
    if (stored === null) localStorage.removeItem(languageKey);
    else localStorage.setItem(languageKey, stored);
    Object.defineProperty(navigator, "language", { value: browser, configurable: true });
    return preferredLanguage();
  };
  expect(languageKey).toBe("i18nextLng");
  expect([ask("en", "fr"), ask(null, "en-GB"), ask(null, "fr"), ask("de", "en")]).toEqual([
    "en",
    "en",
    "zh",
    "zh",
  ]);
});

test("A-309 A-316 A-317: a menu entry depends on its switch in the status, and waits for it", () => {
  const screenAt = (path: string) =>
    screens.find((screen) => screen.path === path) ?? expect.unreachable(path);
  const drawings = screenAt("/midjourney");
  expect(isShown(drawings, undefined)).toBe(false);
  expect(isShown(drawings, { ...status, enable_drawing: false })).toBe(false);
  expect(isShown(drawings, { ...status, enable_drawing: true })).toBe(true);
  expect(isShown(screenAt("/log"), undefined)).toBe(true);
});

test("A-021: only administrators see users, only root sees the page of spending", () => {
  const accessOf = (path: string) => screens.find((screen) => screen.path === path)?.access;
  expect([accessOf("/user"), accessOf("/newUser")]).toEqual(["admin", "root"]);
});

test("A-303 A-307: the menu offers what the role may open, in its order; nothing without sign-in", () => {
  const switches = {
    enable_data_export: true,
    enable_drawing: true,
    enable_task: true,
    agents_enabled: true,
  };
  const everything = { ...status, ...switches };
  const offered = (role: 1 | 10 | 100) =>
    (["main", "manage"] as const)
      .flatMap((group) => menuEntries(group, user(role), everything, t))
      .map(({ to }) => to);
  const pathsFor = (...access: string[]) =>
    screens.filter((screen) => screen.menu !== null && access.includes(screen.access)).length;

  expect(offered(1).length).toBe(pathsFor("public", "user"));
  expect(offered(10).length).toBe(pathsFor("public", "user", "admin"));
  expect(offered(100).length).toBe(pathsFor("public", "user", "admin", "root"));
  expect(offered(1)).not.toContain("/channel");
  expect(offered(10)).toContain("/channel");
  expect(menuEntries("main", null, status, t)).toEqual([]);
  const orders = menuEntries("main", user(100), status, t).map(
    ({ to }) => screens.find(({ path }) => path === to)?.menu?.order ?? 0,
  );
  expect(orders).toEqual(orders.toSorted((a, b) => a - b));
});
