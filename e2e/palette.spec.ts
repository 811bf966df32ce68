import { addUser, expect, expectAccessible, expectTranslated, test } from "./support.ts";

test("the palette finds, runs commands and returns the focus, in every look @every", async ({
  page,
  site,
}, { project }) => {
  const english = project.name === "desktop-en-dark";
  const name = `pal${project.name.length}`;
  await addUser(site.api.root, name);
  await page.goto("/log");
  const button = page.getByRole("button", { name: english ? "Search" : "搜索" }).first();
  // Phones open the palette by its button, other devices by the key, which works wherever the focus
  // is.
  const field = page.getByRole("combobox", { name: english ? "Command palette" : "命令面板" });
  const open = async () => {
    await expect(field).toHaveCount(0);
    await button.focus();
    if (project.name === "phone") await button.click();
    else await page.keyboard.press("ControlOrMeta+k");
    await expect(field).toBeFocused();
  };
  await open();
  await expectAccessible(page);
  await expectTranslated(page);
  await page.keyboard.press("Escape");
  await expect(field).toHaveCount(0);
  await expect(button).toBeFocused();

  await open();
  await page.keyboard.type(name);
  await page.getByRole("option", { name }).click();
  await expect(page).toHaveURL(/\/user\?open=\d+$/);
  await expect(page.getByRole("dialog")).toContainText(name);

  // The palette also opens above the sheet of a record, and lists the record's actions first.
  await expect(page.getByRole("dialog").getByRole("textbox").first()).toBeVisible();
  await page.keyboard.press("ControlOrMeta+k");
  await expect(field).toBeFocused();
  await expect(page.getByRole("option").first()).toHaveText(english ? "Disable" : "禁用");
  await page.keyboard.press("Escape");
  await expect(field).toHaveCount(0);
  await page.keyboard.press("Escape");
  await expect(page.getByRole("dialog")).toHaveCount(0);
  await page.goto("/user?open=new");
  await expect(page.getByRole("dialog")).toBeVisible();
  await page.keyboard.press("ControlOrMeta+k");
  await expect(field).toHaveCount(0);
  await page.goto("/log");

  // The palette finds an option by a word of either language and puts the focus into its field.
  await open();
  await page.keyboard.type(english ? "重试" : "retry");
  await page.getByRole("option", { name: english ? "Retries" : "失败重试次数" }).click();
  await expect(page).toHaveURL(/\/setting\?tab=operation#RetryTimes$/);
  await expect(page.locator("[data-option=RetryTimes] input")).toBeFocused();

  // The palette lists the most recently opened entry first.
  await open();
  await expect(page.getByRole("option").first()).toContainText(english ? "Retr" : "重试");
  await page.keyboard.press("Escape");
  await open();
  await page.keyboard.type(english ? "theme light" : "theme dark");
  await page.keyboard.press("Enter");
  await expect(page.locator("html")).toHaveClass(english ? /^(?!.*dark)/ : /dark/);
});
