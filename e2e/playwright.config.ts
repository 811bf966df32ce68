/**
 * Journeys through the console in a real browser, against the built product. `npm test` runs them;
 * one file: `npm test -- e2e/shell.spec.ts`.
 *
 * A test runs in `desktop-zh`. Tagged `@every` it runs in every project, tagged `@phone` or `@en`
 * in that one only.
 */

import { defineConfig } from "@playwright/test";

/** Two runs at a time do not meet; workers inherit it. */
const run = (process.env["TOLLGATE_E2E_RUN"] ??= String(process.pid));

export default defineConfig({
  testDir: ".",
  globalSetup: "./products.ts",
  outputDir: `../dist/e2e/${run}/failures`,
  // Each worker has a product of its own, of products.ts; two cores carry two.
  workers: 2,
  fullyParallel: false,
  forbidOnly: true,
  // Generous: on half a core a page takes ten times as long, and is right all the same.
  timeout: 180_000,
  expect: { timeout: 30_000 },
  reporter: [["list"], ["json", { outputFile: `../dist/e2e/${run}/report.json` }]],
  use: {
    launchOptions: {
      executablePath: process.env["TOLLGATE_TEST_CHROMIUM"] ?? "/usr/bin/chromium",
      // In a container without user namespaces the sandbox cannot start; the pages are our own.
      // With a process a site, the page of the next journey needs no new one: kept-context.ts.
      args: ["--no-sandbox", "--process-per-site"],
    },
    // Taking a trace costs a quarter of the journey; `--trace on` takes one.
    trace: "off",
    screenshot: "only-on-failure",
    contextOptions: { reducedMotion: "reduce" },
  },
  projects: [
    {
      name: "desktop-zh",
      grepInvert: /@phone|@en\b/,
      use: { viewport: { width: 1440, height: 900 }, locale: "zh-CN", colorScheme: "light" },
    },
    {
      name: "desktop-en-dark",
      grep: /@every|@en\b/,
      use: { viewport: { width: 1440, height: 900 }, locale: "en-US", colorScheme: "dark" },
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
