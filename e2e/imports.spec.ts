/** Root comes from another gateway: the start page leads to how that is done. */

import { expect, test } from "./support.ts";

test("root's start page leads to how to move in, with the commands", async ({ page }) => {
  await page.goto("/start");
  await page.getByRole("link", { name: "我来自其他网关" }).click();
  await expect(page).toHaveURL(/\/import$/);
  await expect(page.getByRole("heading", { name: "从其他网关迁入" })).toBeVisible();
  await expect(page.getByText("--dry-run").first()).toBeVisible();
  await expect(page.getByText("--finish").first()).toBeVisible();
});
