import { expect, expectAccessible, test } from "./support.ts";

/**
 * Addresses that the specification names, each with the screen that it leads to; screens that are
 * not built yet are left out.
 */
const leads = [
  ["/channel/add", "/channel?open=new"],
  ["/channel/edit/1", "/channel?open=1"],
  ["/user/edit", "/setting?tab=personal"],
  ["/user/edit/1", "/user?open=1"],
] as const;

const html =
  '<h2 id="hi" onclick="parent.hit = 1">欢迎</h2><script>parent.hit = 1</script>' +
  '<img src=x onerror="parent.hit = 1"><img alt="photo" src="https://pictures.example/p.gif">';

/** A picture of one pixel. */
const dot = Buffer.from("R0lGODlhAQABAAAAACwAAAAAAQABAAA=", "base64");

test.describe("nobody is signed in", () => {
  test.use({ as: null });

  test("A-040 A-049 A-050 A-194 A-198 A-199 P-C1: root's content is shown, and cannot reach the console", async ({
    page,
    site,
  }) => {
    const put = async (key: string, value: string) =>
      await site.api.root.call("PUT", "/api/option/", { key, value });
    await put("HomePageContent", html);
    await put("About", "https://outside.example/about");
    await put("Notice", "**今晚**维护");
    try {
      // The request for the status never gets an answer: neither the home page nor anything on it
      // may wait for one.
      await page.route("**/api/status", () => new Promise(() => {}));
      await page.route("https://outside.example/**", (route) =>
        route.fulfill({
          contentType: "text/html",
          body: "<h1>Outside</h1><script>document.body.append(origin, typeof parent.document)</script>",
        }),
      );
      await page.route("https://pictures.example/p.gif", (route) =>
        route.fulfill({ contentType: "image/gif", body: dot }),
      );
      await page.goto("/");
      await page
        .getByRole("dialog", { name: "公告" })
        .getByRole("button", { name: "知道了" })
        .click();
      const home = page.locator("iframe[title=首页内容]");
      await expect(home.contentFrame().getByRole("heading", { name: "欢迎" })).toBeVisible();
      expect(await home.getAttribute("sandbox")).not.toMatch(/allow-(same-origin|top)/);
      const inside = await home.contentFrame().locator("body").innerHTML();
      expect(inside).not.toMatch(/<script|onerror|onclick/);
      // Pictures from other sites are shown, because the frame has a content security policy of its
      // own.
      await expect(home.contentFrame().getByRole("img", { name: "photo" })).toHaveJSProperty(
        "naturalWidth",
        1,
      );

      // Opens the page again, because its content security policy must name the new address.
      await page.goto("/about");
      const about = page.locator("iframe[title=关于]");
      await expect(about.contentFrame().getByRole("heading", { name: "Outside" })).toBeVisible();
      // The frame's origin is opaque, so its script cannot reach the console's document.
      await expect(about.contentFrame().locator("body")).not.toContainText("object");
      expect(await about.getAttribute("sandbox")).not.toMatch(/allow-(same-origin|top)/);
      await expect(page.getByRole("dialog")).toHaveCount(0);
      expect(await page.evaluate(() => "hit" in globalThis)).toBe(false);
    } finally {
      for (const key of ["HomePageContent", "About", "Notice"]) await put(key, "");
    }
  });

  test("A-015 A-071 A-072 A-291 A-300: prices, sign-in methods, and back to an editor after sign-in", async ({
    page,
    site,
  }) => {
    await page.goto("/pricing?keyword=demo-chat");
    const row = page.locator("[data-row]").filter({ hasText: "demo-chat" });
    await expect(row).toContainText("$2.00");
    await expectAccessible(page);
    await expect(page.getByRole("banner").getByRole("link", { name: "注册" })).toBeVisible();
    for (const [path] of leads) {
      await page.goto(path);
      await expect(page).toHaveURL(`${site.origin}/login`);
    }
  });
});

test("A-057 A-058 A-071 A-072 A-078: editors open by their own address, and an unknown address can be searched", async ({
  page,
  site,
}) => {
  for (const [path, target] of leads) {
    await page.goto(path);
    await expect(page).toHaveURL(site.origin + target);
  }
  await page.goto("/playgrounds/x");
  await expect(page.getByText("/playgrounds/x")).toBeVisible();
  await page.getByRole("main").getByRole("button", { name: "搜索" }).click();
  await expect(page.getByRole("combobox")).toHaveValue("playgrounds");
});
