/**
 * Takes the pictures of `docs/screens/`; `npm run pictures` runs it. It tests nothing.
 * `npm run pictures -- --project=moving` makes the moving picture of the README alone.
 */

import { defineConfig } from "@playwright/test";
import base from "./playwright.config.ts";

export default defineConfig({
  ...base,
  testMatch: "pictures.ts",
  workers: 1,
  timeout: 1_200_000,
  reporter: [["list"]],
  projects: [
    // This project runs first, because its picture of the log must show few calls.
    { name: "moving", testMatch: "moving-picture.ts" },
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
