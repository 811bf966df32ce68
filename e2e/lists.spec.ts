/** Tests what every list can do, once, on the list of tokens. */

import { readFileSync } from "node:fs";
import type { Page } from "@playwright/test";
import { expect, test } from "./support.ts";

test.use({ as: "user" });

/**
 * Number of tokens: more than a page shows, so that actions on all matching rows differ from
 * actions on the page.
 */
const count = 24;

test("a list's CSV file, columns, views and bulk actions reach beyond the page", async ({
  page,
  site,
}) => {
  const { api } = site;
  for (let at = 1; at <= count; at += 1) {
    const name = at === count ? "=1+1 listed" : `listed ${at}`;
    await api.user.call("POST", "/api/token/", { name, unlimited_quota: true });
  }
  await page.goto("/token?keyword=listed&size=20");
  await expect(page.locator("[data-row]")).toHaveCount(20);

  await page.getByRole("button", { name: "列与行距" }).click();
  await page.getByRole("checkbox", { name: "密钥" }).click();
  await page.getByRole("button", { name: "上移 状态" }).click();
  await page.keyboard.press("Enter");
  await page.keyboard.press("Escape");
  await page.getByRole("button", { name: "已存视图" }).click();
  await page.getByRole("textbox", { name: "视图名称" }).fill("listed");
  await page.keyboard.press("Enter");

  await page.goto("/token");
  await expect(headsOf(page).nth(0)).toHaveText("状态");
  await expect(page.getByRole("columnheader", { name: "密钥" })).toHaveCount(0);
  await page.getByRole("button", { name: "已存视图" }).click();
  await page.getByRole("button", { name: "listed", exact: true }).click();
  await expect(page).toHaveURL(/keyword=listed/);

  const coming = page.waitForEvent("download");
  await page.getByRole("button", { name: "导出 CSV" }).click();
  const file = await coming;
  const lines = readFileSync(await file.path(), "utf8").split("\r\n");
  expect(lines[0]?.startsWith("\uFEFF状态,名称,")).toBe(true);
  expect(lines).toHaveLength(count + 2);
  expect(lines.some((line) => line.includes(",'=1+1 listed,"))).toBe(true);

  await page.getByRole("checkbox", { name: "选择本页全部" }).click();
  await page.getByRole("button", { name: `选择全部 ${count} 项` }).click();
  const bar = page.getByRole("region", { name: "批量操作" });
  await bar.getByRole("button", { name: "删除" }).click();
  await page.getByRole("alertdialog").getByRole("textbox").fill(String(count));
  await page.getByRole("alertdialog").getByRole("button", { name: "删除" }).click();
  await expect(page.locator("[data-row]")).toHaveCount(0);
  expect(await api.user.call("GET", "/api/token/search?keyword=listed")).toEqual([]);
});

/** Finds the column heads of the table, without those of the row actions and of the selection. */
function headsOf(page: Page) {
  return page.getByRole("columnheader").filter({ hasNotText: /^(操作|)$/ });
}
