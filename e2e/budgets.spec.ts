/**
 * Limits how much of the console a browser must load: files of code, style and text, in gzip bytes.
 */

import { readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import type { Browser, Page } from "@playwright/test";
import { expect, type Site, storageOf, test } from "./support.ts";

const built = join(dirname(dirname(fileURLToPath(import.meta.url))), "dist/web");

/** The most bytes and the most files that a browser may load. */
const limits = {
  /**
   * The sign-in screen: code, its runtime, styles and texts; two more files, because this site
   * offers sign-in methods besides the password.
   */
  signIn: { bytes: 200_000, files: 4 + 2 },
  /** The frame around every screen; it is loaded while the user types the password. */
  shell: { bytes: 80_000, files: 2 },
  /**
   * A list screen: code of lists, code of the screen, its texts; two more files for a filter's
   * choices and the marks of brands.
   */
  list: { bytes: 90_000, files: 3 + 2 },
  /** The home page: its code and texts, the marks of brands, and the data that it reads. */
  home: { bytes: 90_000, files: 8 },
  /** Any single file that is loaded on demand. */
  part: { bytes: 200_000 },
};

const lists = ["/token", "/log", "/newLog", "/channel", "/user", "/newUser", "/audit"];

/**
 * The script that sets the light or dark theme before the first paint. It is left out of the count,
 * because nothing waits for its half a kilobyte.
 */
const beforePaint = "/before-paint.js";

test("sign-in is a few files, and little more is loaded while the user types", async ({
  browser,
  site,
}) => {
  const { page, asked, close } = await openPage(browser, site, false);
  await page.goto("/login", { waitUntil: "networkidle" });
  await expect(page.locator("input[autocomplete=username]")).toBeVisible();
  const signIn = asked();
  expect(signIn.length, listOf(signIn)).toBeLessThanOrEqual(limits.signIn.files);
  expect(weigh(signIn), listOf(signIn)).toBeLessThanOrEqual(limits.signIn.bytes);
  await page.locator("input[autocomplete=username]").fill("somebody");
  await page.waitForLoadState("networkidle");
  await expect.poll(() => asked().length).toBeGreaterThan(signIn.length);
  const shell = asked().slice(signIn.length);
  expect(shell.length, listOf(shell)).toBeLessThanOrEqual(limits.shell.files);
  expect(weigh(shell), listOf(shell)).toBeLessThanOrEqual(limits.shell.bytes);
  await close();
});

test("a list adds a few files to the shell around it", async ({ browser, site }) => {
  const { page, asked, close } = await openPage(browser, site, true);
  await page.goto("/about", { waitUntil: "networkidle" });
  const before = new Set(asked());
  for (const path of lists) {
    const from = asked().length;
    await page.goto(path, { waitUntil: "networkidle" });
    const added = [...new Set(asked().slice(from))].filter((file) => !before.has(file));
    expect(added.length, `${path}\n${listOf(added)}`).toBeLessThanOrEqual(limits.list.files);
    expect(weigh(added), `${path}\n${listOf(added)}`).toBeLessThanOrEqual(limits.list.bytes);
  }
  await close();
});

test("the home page adds little to the shell around it", async ({ browser, site }) => {
  const { page, asked, close } = await openPage(browser, site, false);
  await page.goto("/about", { waitUntil: "networkidle" });
  const before = new Set(asked());
  const answers: Promise<Buffer>[] = [];
  page.on("response", (answer) => {
    if (/\/api\/(demo|pricing)/.test(answer.url())) answers.push(answer.body());
  });
  await page.goto("/", { waitUntil: "networkidle" });
  const added = asked().filter((file) => !before.has(file));
  expect(added.length, listOf(added)).toBeLessThanOrEqual(limits.home.files);
  expect(answers.length).toBeGreaterThan(1);
  const data = (await Promise.all(answers)).reduce((sum, text) => sum + gzipSync(text).length, 0);
  expect(weigh(added) + data, listOf(added)).toBeLessThanOrEqual(limits.home.bytes);
  await close();
});

test("no file that is loaded on demand is heavy", () => {
  const files = readdirSync(join(built, "assets")).filter((name) => /\.(js|css)$/.test(name));
  expect(files.length).toBeGreaterThan(10);
  for (const name of files) {
    expect(sizeOf(`/assets/${name}`), name).toBeLessThanOrEqual(limits.part.bytes);
  }
});

/**
 * Opens a page without anything cached, as at a first visit. `asked` lists the console's files that
 * the page has requested, in order.
 */
async function openPage(browser: Browser, site: Site, signedIn: boolean) {
  const context = await browser.newContext({
    baseURL: site.origin,
    storageState: signedIn ? storageOf(site, site.api.root) : { cookies: [], origins: [] },
  });
  const page: Page = await context.newPage();
  const files: string[] = [];
  page.on("request", (request) => {
    const { origin, pathname } = new URL(request.url());
    if (origin === site.origin && /\.(js|css)$/.test(pathname) && pathname !== beforePaint) {
      files.push(pathname);
    }
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
