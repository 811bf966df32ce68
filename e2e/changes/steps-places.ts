/** Steps to the pictures of places: pages by which people find their way. */

import { open, type Step } from "./scene.ts";
import { setupLinkOn } from "./sides.ts";

const password = "correct horse battery";

const isElsewhere = (path: string) => (url: URL) => url.pathname !== path;

export const register: Step = async ({ page }) => {
  await open(page, "/register");
  await page.locator("input[autocomplete=username]").fill("friend");
  for (const field of await page.locator("input[autocomplete=new-password]").all()) {
    await field.fill(password);
  }
  await page.getByRole("button", { name: "Create account" }).click();
  await page.waitForURL(isElsewhere("/register"));
  await page.waitForLoadState("networkidle");
};

export const menuOfUser: Step = async ({ page, site }) => {
  const { user } = site.api;
  const change = { id: user.user.id, quota_delta: 5_000_000 };
  await site.api.root.call("PUT", "/api/user/", change);
  await open(page, "/token");
  return { x: 0, y: 0, width: 560, height: 800 };
};

export const homeBefore: Step = async ({ page }) => {
  await open(page, "/");
};

/** Sends the call of the home page. */
export const home: Step = async ({ page }) => {
  await open(page, "/");
  await page.getByRole("button", { name: "Send" }).click();
  await page
    .getByText(/\$0\.0/)
    .first()
    .waitFor();
};

/** Creates the root account of a new installation. */
export const setUp: Step = async ({ page, side }) => {
  const link = await setupLinkOn(side);
  await open(page, link);
  await page.locator("input[autocomplete=username]").fill("root");
  for (const field of await page.locator("input[autocomplete=new-password]").all()) {
    await field.fill(password);
  }
  await page.getByRole("button", { name: /^Create account and/ }).click();
  await page.waitForURL(isElsewhere("/setup"));
  await page.waitForLoadState("networkidle");
};

export const pricesInSettings: Step = async ({ page }) => {
  await open(page, "/setting?tab=operation");
  await page.getByRole("heading", { name: "Model prices" }).scrollIntoViewIfNeeded();
};

export const prices: Step = async ({ page }) => {
  await open(page, "/prices");
};

export const palette: Step = async ({ page }) => {
  await open(page, "/token");
  await page.getByRole("button", { name: "Search" }).first().focus();
  await page.keyboard.press("Control+k");
  await page.getByRole("combobox", { name: "Command palette" }).fill("price");
};

export const menu: Step = async ({ page }) => {
  // High enough for every entry of root's menu.
  await page.setViewportSize({ width: 1280, height: 960 });
  await open(page, "/log");
  return { x: 0, y: 0, width: 400, height: 960 };
};

export const login: Step = async ({ page }) => {
  await open(page, "/login");
};
