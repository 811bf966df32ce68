/**
 * Takes the pictures of `docs/changes/`, of another version and of this one, and writes the page
 * that compares them. `npm run pictures -- --changes` runs it. It tests nothing.
 */

import { defineConfig } from "@playwright/test";
import base from "./playwright.config.ts";

export default defineConfig({
  ...base,
  globalSetup: "./changes/sides.ts",
  testMatch: "changes/changes.ts",
  workers: 1,
  timeout: 300_000,
  reporter: [["list"]],
  projects: [{ name: "changes" }],
});
