/** Steps to the pictures of lists and other screens. */

import { desktop, open, type Step } from "./scene.ts";

/** Milliseconds after which a page without some of its data shows all that it can show. */
const settleMs = 2_500;

/** The height of the view that shows enough of a list. */
const listHeight = 620;

export const log: Step = async ({ page }) => {
  await open(page, "/log");
  return { ...desktop, x: 0, y: 0, height: listHeight };
};

export const logOnPhone: Step = async ({ page }) => {
  await open(page, "/log");
};

/** Width of a window that has room for every column, and where the list begins beside the menu. */
const wide = 1_900;
const listLeft = 220;

/** The details of a call, in a window that has room for every column. */
export const logDetails: Step = async ({ page }) => {
  await page.setViewportSize({ width: wide, height: desktop.height });
  await open(page, "/log");
  const row = page.locator("[data-row]").filter({ hasText: "gpt-4o-mini" }).first();
  await row.locator("button[aria-expanded]").click();
  return { x: listLeft, y: 200, width: wide - listLeft, height: 400 };
};

export const users: Step = async ({ page, site }) => {
  await site.api.root.call("POST", "/api/user/manage", { username: "kenji", action: "disable" });
  await open(page, "/user");
  return { ...desktop, x: 0, y: 0, height: listHeight };
};

/** The playground while the list of its models is still on its way. */
export const playgroundLoading: Step = async ({ page }) => {
  await page.route(/\/api\/(user\/)?models|\/api\/pricing/, async () => {});
  await page.goto("/playground");
  await page.waitForTimeout(settleMs);
};

export const settingsLoading: Step = async ({ page }) => {
  await page.route("**/api/option/", async () => {});
  await page.goto("/setting?tab=operation");
  await page.waitForTimeout(settleMs);
};

/** An action that the server fails at. */
export const internalError: Step = async ({ page }) => {
  await open(page, "/token");
  await page.route("**/api/token/**", async (route) => {
    if (route.request().method() === "GET") return await route.continue();
    await route.fulfill({
      status: 500,
      headers: { "x-oneapi-request-id": "20261123061502Qn3xV9kBv2RtLw8p" },
      json: { success: false, message: "服务器内部错误，请联系管理员！" },
    });
  });
  await page.getByRole("switch").first().click();
};
