/** Tests the record beside a list: what all lists can do, on the list of tokens, and a call's details. */

import { signIn } from "./product.ts";
import { addUser, expect, expectAccessible, expectNoSidewaysScroll, test } from "./support.ts";

const count = 12;

test("records open beside their list, by keyboard alone and past the end of the page", async ({
  page,
  site,
  enter,
}) => {
  const account = await addUser(site.api.root, `peeker${Date.now() % 1e5}`);
  const api = await signIn(site.origin, account);
  for (let at = 1; at <= count; at += 1) {
    await api.call("POST", "/api/token/", { name: `peeked ${at}`, unlimited_quota: true });
  }
  await enter(api);
  await page.goto("/token?size=10");
  const rows = page.locator("[data-row]");
  await expect(rows).toHaveCount(10);
  const nameOf = async (at: number) =>
    (await rows.nth(at).locator("[data-primary]").innerText()).trim();
  const [first, last] = [await nameOf(0), await nameOf(9)];

  await page.keyboard.press("j");
  await page.keyboard.press("Space");
  const panel = page.getByRole("complementary", { name: `记录：${first}` });
  await expect(panel).toBeFocused();
  await expectAccessible(page);
  await expectNoSidewaysScroll(page);
  // The list stays usable: nothing covers the search field, and its keys are only text.
  const search = page.getByRole("searchbox").or(page.getByPlaceholder("搜索名称或密钥")).first();
  await search.click();
  await page.keyboard.press("j");
  await expect(panel).toBeVisible();
  await page.keyboard.press("Backspace");
  await rows.nth(9).locator("td").nth(2).click();
  await expect(page.getByRole("complementary", { name: `记录：${last}` })).toBeVisible();

  await page.keyboard.press("j");
  await expect(page).toHaveURL(/page=2/);
  await expect(rows).toHaveCount(count - 10);
  const second = await nameOf(0);
  await expect(page.getByRole("complementary", { name: `记录：${second}` })).toBeVisible();
  await page.reload();
  await expect(page.getByRole("complementary", { name: `记录：${second}` })).toBeVisible();
  await page.keyboard.press("k");
  await expect(page.getByRole("complementary", { name: `记录：${last}` })).toBeVisible();
  await expect(rows).toHaveCount(10);

  await page.keyboard.press("e");
  await expect(page.getByRole("dialog")).toContainText(last);
  await page.keyboard.press("Escape");
  await expect(page.getByRole("dialog")).toHaveCount(0);
  await page.keyboard.press("Escape");
  await expect(page.getByRole("complementary")).toHaveCount(0);
  await expect(rows.nth(9)).toBeFocused();
});

test("the details of a call stand in one column beside the list", async ({ page, site }) => {
  await fetch(`${site.origin}/v1/chat/completions`, {
    method: "POST",
    headers: { authorization: `Bearer ${site.key}`, "content-type": "application/json" },
    body: JSON.stringify({ model: site.model, messages: [{ role: "user", content: "hi" }] }),
  }).then((answer) => answer.text());
  await page.goto("/log?type=2");
  await expect(page.locator("[data-row]").first()).toBeVisible();
  await page.keyboard.press("j");
  await page.keyboard.press("Space");
  const parts = page.getByRole("complementary").locator("section");
  await expect(parts).toHaveCount(2);
  const places = await parts.evaluateAll((all) =>
    all.map((each) => each.getBoundingClientRect().left),
  );
  expect(places[0]).toBe(places[1]);
});

test.describe("on a phone", () => {
  test.use({ viewport: { width: 360, height: 780 }, hasTouch: true, isMobile: true });

  test("a record covers its list, and leads to the next one", async ({ page, site }) => {
    await site.api.root.call("POST", "/api/token/", { name: "small 1", unlimited_quota: true });
    await site.api.root.call("POST", "/api/token/", { name: "small 2", unlimited_quota: true });
    await page.goto("/token?keyword=small");
    await expect(page.locator("[data-row]")).toHaveCount(2);
    await page.locator("[data-row]").first().locator(".text-xs").first().tap();
    const sheet = page.getByRole("dialog");
    const before = await sheet.getByRole("heading").first().innerText();
    await sheet.getByRole("button", { name: "下一条（J）" }).tap();
    await expect(sheet.getByRole("heading").first()).not.toHaveText(before);
    await expectNoSidewaysScroll(page);
    await page.keyboard.press("Escape");
    await expect(sheet).toHaveCount(0);
  });
});
