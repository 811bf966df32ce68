/** Times first visits to the console; `npm run bench -- --console` runs it. It tests nothing. */

import { defineConfig } from "@playwright/test";
import base from "./playwright.config.ts";

export default defineConfig({
  ...base,
  testMatch: "timings.ts",
  workers: 1,
  timeout: 1_200_000,
  reporter: [["list"]],
  projects: [{ name: "timings", use: { viewport: { width: 1440, height: 900 }, locale: "zh-CN" } }],
});
