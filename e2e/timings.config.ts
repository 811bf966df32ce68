/** Times first visits to the console; `npm run bench -- --console` runs it. It tests nothing. */

import { defineConfig } from "@playwright/test";
import base, { browserArgs } from "./playwright.config.ts";

export default defineConfig({
  ...base,
  testMatch: "timings.ts",
  workers: 1,
  timeout: 1_200_000,
  reporter: [["list"]],
  // As in the browser of a visitor, with all compilers.
  use: { ...base.use, launchOptions: { ...base.use?.launchOptions, args: browserArgs } },
  projects: [{ name: "timings", use: { viewport: { width: 1440, height: 900 }, locale: "zh-CN" } }],
});
