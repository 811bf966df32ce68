/**
 * Journeys through the console in a real browser, on the built product. `npm test` runs them; one
 * file: `npm test -- e2e/shell.spec.ts`.
 *
 * A test runs in the project `desktop-zh`. One that is tagged `@every` runs in every project, one
 * that is tagged `@phone`, `@en` or `@scrollbars` only in that project.
 */

import { defineConfig } from "@playwright/test";

/** An id of this run, which keeps the files of simultaneous runs apart; workers inherit it. */
const run = (process.env["TOLLGATE_E2E_RUN"] ??= String(process.pid));

/**
 * The sandbox cannot start in a container without user namespaces, and the pages are our own. One
 * process serves all pages of the site, so that the next journey's page needs no new one; see
 * kept-context.ts.
 */
export const browserArgs = ["--no-sandbox", "--process-per-site"];

const launchOptions = {
  executablePath: process.env["TOLLGATE_TEST_CHROMIUM"] ?? "/usr/bin/chromium",
  // No page lives long enough for V8's optimizing compilers to pay off; they took a tenth of a
  // page's time.
  args: [...browserArgs, "--js-flags=--no-opt,--no-maglev"],
};

export default defineConfig({
  testDir: ".",
  globalSetup: "./products.ts",
  outputDir: `../dist/e2e/${run}/failures`,
  // Each worker has a product of its own (products.ts); two cores can carry two.
  workers: 2,
  fullyParallel: false,
  forbidOnly: true,
  // The limits are generous: on half a core a page takes ten times as long, which is no failure.
  timeout: 300_000,
  expect: { timeout: 45_000 },
  reporter: [["list"], ["json", { outputFile: `../dist/e2e/${run}/report.json` }]],
  use: {
    launchOptions,
    // No trace is recorded, because it takes a quarter of a journey's time; `--trace on` records
    // one.
    trace: "off",
    screenshot: "only-on-failure",
    contextOptions: { reducedMotion: "reduce" },
  },
  projects: [
    {
      name: "desktop-zh",
      grepInvert: /@phone|@en\b|@scrollbars/,
      use: { viewport: { width: 1440, height: 900 }, locale: "zh-CN", colorScheme: "light" },
    },
    {
      name: "desktop-en-dark",
      grep: /@every|@en\b/,
      use: { viewport: { width: 1440, height: 900 }, locale: "en-US", colorScheme: "dark" },
    },
    {
      // Where a mouse is used, scrollbars take room from the content. Headless Chromium hides them.
      name: "desktop-scrollbars",
      grep: /@every|@scrollbars/,
      use: {
        viewport: { width: 1280, height: 800 },
        locale: "zh-CN",
        colorScheme: "light",
        launchOptions: { ...launchOptions, ignoreDefaultArgs: ["--hide-scrollbars"] },
      },
    },
    {
      name: "phone",
      grep: /@every|@phone/,
      use: {
        viewport: { width: 360, height: 780 },
        locale: "zh-CN",
        colorScheme: "dark",
        hasTouch: true,
        isMobile: true,
      },
    },
  ],
});
