import { act, fireEvent, screen, waitFor } from "#testing/dom.ts";
import { expect, spyOn, test } from "bun:test";
import { renderAt } from "#testing/render.tsx";
import { keepSession } from "#api/session.ts";
import { followLanguage } from "#app/follow-language.ts";
import { selfWith } from "#widgets/testing/user.ts";
import { LanguageMenu } from "./LanguageMenu.tsx";
import { ThemeMenu } from "./ThemeMenu.tsx";

const press = async (element: HTMLElement) => await act(async () => void fireEvent.click(element));

async function choose(menu: string, item: string) {
  await press(screen.getByRole("button", { name: menu }));
  await press(await screen.findByRole("menuitem", { name: item }));
}

test("A-027: a chosen language shows at once and is kept", async () => {
  await renderAt("/", () => (
    <>
      <LanguageMenu />
      <ThemeMenu />
    </>
  ));
  await choose("语言", "English");
  await screen.findByRole("button", { name: "Theme" });
  expect([localStorage.getItem("i18nextLng"), document.documentElement.lang]).toEqual(["en", "en"]);
  await choose("Language", "简体中文");
  await screen.findByRole("button", { name: "主题" });
  expect(document.documentElement.lang).toBe("zh-CN");
});

test("A-029: light and dark change the page; `system` follows the system again", async () => {
  await renderAt("/", () => <ThemeMenu />);
  const isDark = () => document.documentElement.classList.contains("dark");
  await choose("主题", "深色");
  expect([isDark(), localStorage.getItem("theme")]).toEqual([true, "dark"]);
  await choose("主题", "浅色");
  expect([isDark(), localStorage.getItem("theme")]).toEqual([false, "light"]);
  await choose("主题", "跟随系统");
  await waitFor(() => expect(isDark()).toBe(matchMedia("(prefers-color-scheme: dark)").matches));
  expect(localStorage.getItem("theme")).toBeNull();
});

test("a signed-in user's choice of a language is kept with the account, a visitor's is not", async () => {
  const sent: string[] = [];
  const fetched = spyOn(globalThis, "fetch").mockImplementation((async (
    url: string,
    { method, body, headers }: RequestInit & { body: string },
  ) => {
    sent.push(`${method} ${url} ${body} ${new Headers(headers).get("accept-language")}`);
    return Response.json({ success: true, message: "" });
    // Safe cast: the code under test calls `fetch` only with an address and options.
  }) as unknown as typeof fetch);
  try {
    followLanguage();
    await renderAt("/", () => <LanguageMenu />);
    await choose("语言", "English");
    await choose("Language", "简体中文");
    expect(sent).toEqual([]);
    keepSession(selfWith({}));
    await choose("语言", "English");
    await waitFor(() => expect(sent).toEqual(['PUT /api/user/self {"language":"en"} zh-CN']));
  } finally {
    await choose("Language", "简体中文");
    keepSession(null);
    fetched.mockRestore();
  }
});
