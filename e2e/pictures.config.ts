/** Takes the pictures of `docs/screens/`; `npm run pictures` runs it. No test of anything. */

import { defineConfig } from "@playwright/test";
import base from "./playwright.config.ts";

export default defineConfig({
  ...base,
  testMatch: "pictures.ts",
  workers: 1,
  timeout: 1_200_000,
  reporter: [["list"]],
  projects: [
    {
      name: "zh-light",
      use: { viewport: { width: 1440, height: 900 }, locale: "zh-CN", colorScheme: "light" },
    },
    {
      name: "en-dark",
      use: { viewport: { width: 1440, height: 900 }, locale: "en-US", colorScheme: "dark" },
    },
    {
      name: "phone",
      use: {
        viewport: { width: 390, height: 844 },
        locale: "zh-CN",
        colorScheme: "dark",
        hasTouch: true,
        isMobile: true,
      },
    },
  ],
});
