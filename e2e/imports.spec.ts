/** Root comes from another gateway: the start page leads to how that is done, and how far it is. */

import { openImports } from "./import-example.ts";
import {
  expect,
  expectAccessible,
  expectNoSidewaysScroll,
  expectTranslated,
  test,
} from "./support.ts";

test("root's start page leads to how to move in, with the commands", async ({ page }) => {
  await page.goto("/start");
  await page.getByRole("link", { name: "我来自其他网关" }).click();
  await expect(page).toHaveURL(/\/import$/);
  await expect(page.getByRole("heading", { name: "从其他网关迁入" })).toBeVisible();
  await expect(page.getByText("--dry-run").first()).toBeVisible();
  await expect(page.getByText("--finish").first()).toBeVisible();
});

test("imports at full size and the report of a dry run are shown, and fit @every", async ({
  page,
}) => {
  await openImports(page);
  await expect(page.getByText("98,990")).toBeVisible();
  await expect(page.getByText("anna is renamed to anna_7")).toBeVisible();
  await expectAccessible(page);
  await expectTranslated(page);
  await expectNoSidewaysScroll(page);
});
