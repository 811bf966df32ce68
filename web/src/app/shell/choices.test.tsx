import { act, fireEvent, screen, waitFor } from "#testing/dom.ts";
import { expect, setDefaultTimeout, test } from "bun:test";
import { renderAt } from "#testing/render.tsx";
import { LanguageMenu } from "./LanguageMenu.tsx";
import { ThemeMenu } from "./ThemeMenu.tsx";

setDefaultTimeout(30_000);

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
