/**
 * Limits how much of the console a browser must load: files of code, style and text, in gzip bytes.
 */

import { readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import type { Browser, Page, Response } from "@playwright/test";
import type { Role } from "./products.ts";
import { expect, type Site, storageOf, test } from "./support.ts";

const built = join(dirname(dirname(fileURLToPath(import.meta.url))), "dist/web");

/** The most bytes and the most files that a browser may load. */
const limits = {
  /**
   * The sign-in screen, with every sign-in method: code, its runtime, styles and texts. The bytes of
   * the page itself count, too, because a script stands in it, and each screen of the console adds its
   * path and its name: some 300 bytes.
   */
  signIn: { bytes: 204_800, files: 4 },
  /** The frame around every screen; it is loaded while the user types the password. */
  shell: { bytes: 80_000, files: 2 },
  /** What the frame loads besides: the English of the server's messages. */
  messages: { zh: { bytes: 0, files: 0 }, en: { bytes: 20_500, files: 1 } },
  /** A list screen: its code and its texts; one more file, with the marks of brands. */
  list: { bytes: 90_000, files: 3 },
  /** A tab of root's settings, with the marks of brands in the prices. */
  settings: { bytes: 140_000, files: 8 },
  /** What connects programs: half of it colours the scripts that it shows. */
  connect: { bytes: 125_000 },
  /** The home page: its code and texts, the marks of brands, and the data that it reads. */
  home: { bytes: 90_000, files: 8 },
  /** Any single file that is loaded on demand. */
  part: { bytes: 200_000 },
  /**
   * The viewer of the console API's document: a library that comes in one file. Only the page that
   * shows administrators the document loads it.
   */
  apiViewer: { bytes: 450_000 },
};

/** The log's chart is loaded behind its rows, and not where it is hidden. */
const log = "/log?answer=none";
const lists = ["/token", log, "/newLog?answer=none", "/channel", "/user", "/newUser", "/audit"];

/** Those of them that have a row in this test. */
const filled = new Set([log, "/channel", "/user"]);

for (const language of ["zh", "en"] as const) {
  test(`sign-in is a few files, and little more is loaded while the user types (${language})`, async ({
    browser,
    site,
  }) => {
    const { page, asked, close } = await openPage(browser, site, { as: null, language });
    await page.goto("/login", { waitUntil: "networkidle" });
    await expect(page.locator("input[autocomplete=username]")).toBeVisible();
    const signIn = asked();
    expect(signIn.length, listOf(signIn)).toBeLessThanOrEqual(limits.signIn.files);
    const withPage = [...signIn, "/index.html"];
    expect(weigh(withPage), listOf(withPage)).toBeLessThanOrEqual(limits.signIn.bytes);
    await page.locator("input[autocomplete=username]").fill("somebody");
    await page.waitForLoadState("networkidle");
    await expect.poll(() => asked().length).toBeGreaterThan(signIn.length);
    const shell = asked().slice(signIn.length);
    const messages = limits.messages[language];
    const { files, bytes } = limits.shell;
    expect(shell.length, listOf(shell)).toBeLessThanOrEqual(files + messages.files);
    expect(weigh(shell), listOf(shell)).toBeLessThanOrEqual(bytes + messages.bytes);
    await close();
  });

  test(`a list adds a few files to the shell around it (${language})`, async ({
    browser,
    site,
  }) => {
    // A channel of a brand with a mark, and a call that the log shows.
    const channel = { type: 14, name: "budgets", key: "sk-x", models: "claude-budget", status: 2 };
    await site.api.root.call("POST", "/api/channel/", { ...channel, group: "default" });
    await callModel(site);
    const { page, asked, close } = await openPage(browser, site, { as: "root", language });
    await page.goto("/about", { waitUntil: "networkidle" });
    const before = new Set(asked());
    for (const path of lists) {
      const from = asked().length;
      await page.goto(path, { waitUntil: "networkidle" });
      if (filled.has(path)) await expect(page.locator("[data-row]").first()).toBeVisible();
      const added = [...new Set(asked().slice(from))].filter((file) => !before.has(file));
      expect(added.length, `${path}\n${listOf(added)}`).toBeLessThanOrEqual(limits.list.files);
      expect(weigh(added), `${path}\n${listOf(added)}`).toBeLessThanOrEqual(limits.list.bytes);
    }
    // What only an unfolded row shows is loaded by no list, nor is a chart that is hidden.
    expect(asked().filter((file) => /LogDetails|\/parts-/.test(file))).toEqual([]);
    expect(asked().filter((file) => /BarCanvas|LogAnswers/.test(file))).toEqual([]);
    await close();
  });
}

for (const [path, most] of [
  ["/live", limits.list.bytes],
  ["/connect", limits.connect.bytes],
  ["/reference", limits.list.bytes],
] as const) {
  test(`${path} adds little to the shell around it`, async ({ browser, site }) => {
    const { page, asked, close } = await openPage(browser, site, { as: "root", language: "zh" });
    await page.goto("/about", { waitUntil: "networkidle" });
    const before = new Set(asked());
    // Running calls are pushed, so this page's network is never idle.
    await page.goto(path);
    await expect(page.getByRole("heading", { level: 1 })).toBeVisible();
    await page.waitForTimeout(1_000);
    const added = asked().filter((file) => !before.has(file));
    expect(weigh(added), listOf(added)).toBeLessThanOrEqual(most);
    await close();
  });
}

test("the log's chart is loaded behind its first row", async ({ browser, site }) => {
  await callModel(site);
  const { page, asked, close } = await openPage(browser, site, { as: "root", language: "zh" });
  const isChart = (file: string): boolean => file.includes("/BarCanvas-");
  // The rows are shown while the chart's file is still on its way.
  let letGo = (): void => {};
  const held = new Promise<void>((resolve) => (letGo = resolve));
  await page.route(/\/BarCanvas-/, async (route) => {
    await held;
    await route.continue();
  });
  await page.goto("/log");
  await expect(page.locator("[data-row]").first()).toBeVisible();
  await expect.poll(() => asked().filter(isChart).length).toBe(1);
  await expect(page.locator("canvas")).toHaveCount(0);
  letGo();
  await expect(page.locator("canvas")).toBeVisible();
  await close();
});

test("the settings add a few files to the shell around them", async ({ browser, site }) => {
  const { page, asked, close } = await openPage(browser, site, { as: "root", language: "zh" });
  await page.goto("/about", { waitUntil: "networkidle" });
  const before = new Set(asked());
  await page.goto("/setting?tab=operation", { waitUntil: "networkidle" });
  await expect(page.locator("main form, main input").first()).toBeVisible();
  const added = asked().filter((file) => !before.has(file));
  expect(added.length, listOf(added)).toBeLessThanOrEqual(limits.settings.files);
  expect(weigh(added), listOf(added)).toBeLessThanOrEqual(limits.settings.bytes);
  await close();
});

test("the choices of a filter are loaded by its first use, which loses nothing", async ({
  browser,
  site,
}) => {
  const { page, asked, close } = await openPage(browser, site, { as: "root", language: "zh" });
  const isChoices = (file: string) => file.includes("/choices-");
  await page.goto("/channel", { waitUntil: "networkidle" });
  expect(asked().filter(isChoices)).toEqual([]);
  const type = page.getByRole("combobox", { name: "类型" });
  await type.focus();
  await page.keyboard.type("anthro");
  await page.getByRole("option", { name: "Anthropic" }).waitFor();
  await page.keyboard.press("Enter");
  await expect(page).toHaveURL(/type=14/);
  expect(asked().filter(isChoices).length).toBe(1);
  const group = page.getByRole("combobox", { name: "分组" });
  await group.click();
  await page.getByRole("option", { name: "default" }).click();
  await expect(page).toHaveURL(/group=default/);
  await close();
});

test("the home page adds little to the shell around it", async ({ browser, site }) => {
  const { page, asked, close } = await openPage(browser, site, { as: null, language: "zh" });
  await page.goto("/about", { waitUntil: "networkidle" });
  const before = new Set(asked());
  const answers: Promise<Buffer>[] = [];
  const weighAnswer = (answer: Response): void => {
    if (/\/api\/(demo|pricing)/.test(answer.url())) answers.push(answer.body());
  };
  page.on("response", weighAnswer);
  await page.goto("/");
  // On a busy machine the network is idle for a while before the page asks.
  await expect.poll(() => answers.length).toBeGreaterThan(1);
  await page.waitForLoadState("networkidle");
  // The page asks again now and then; a later answer has no body any more when the page is closed.
  page.off("response", weighAnswer);
  const added = asked().filter((file) => !before.has(file));
  expect(added.length, listOf(added)).toBeLessThanOrEqual(limits.home.files);
  const data = (await Promise.all(answers)).reduce((sum, text) => sum + gzipSync(text).length, 0);
  expect(weigh(added) + data, listOf(added)).toBeLessThanOrEqual(limits.home.bytes);
  await close();
});

test("no file that is loaded on demand is heavy", () => {
  const files = readdirSync(join(built, "assets")).filter((name) => /\.(js|css)$/.test(name));
  expect(files.length).toBeGreaterThan(10);
  for (const name of files) {
    const { bytes } = name.startsWith("ApiViewer-") ? limits.apiViewer : limits.part;
    expect(sizeOf(`/assets/${name}`), name).toBeLessThanOrEqual(bytes);
  }
});

/** Makes one call, so that the log has a row. */
async function callModel({ origin, key, model }: Site): Promise<void> {
  const answer = await fetch(`${origin}/v1/chat/completions`, {
    method: "POST",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    body: JSON.stringify({ model, messages: [{ role: "user", content: "hi" }] }),
  });
  expect(answer.status).toBe(200);
}

/**
 * Opens a page without anything cached, as at a first visit. `asked` lists the console's files that
 * the page has requested, in order.
 */
async function openPage(
  browser: Browser,
  site: Site,
  { as, language }: { readonly as: Role | null; readonly language: "zh" | "en" },
) {
  const context = await browser.newContext({
    baseURL: site.origin,
    locale: language === "zh" ? "zh-CN" : "en-US",
    storageState: as === null ? { cookies: [], origins: [] } : storageOf(site, site.api[as]),
  });
  const page: Page = await context.newPage();
  const files: string[] = [];
  page.on("request", (request) => {
    const { origin, pathname } = new URL(request.url());
    if (origin === site.origin && /\.(js|css)$/.test(pathname)) files.push(pathname);
  });
  return { page, asked: () => [...new Set(files)], close: () => context.close() };
}

function sizeOf(file: string): number {
  return gzipSync(readFileSync(join(built, file)), { level: 9 }).length;
}

function weigh(files: readonly string[]): number {
  return files.reduce((sum, file) => sum + sizeOf(file), 0);
}

function listOf(files: readonly string[]): string {
  return files.map((file) => `${sizeOf(file)} ${file}`).join("\n");
}
