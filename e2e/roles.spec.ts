/** Tests how the work of one role affects another, across screens. */

import type { Browser, Locator, Page } from "@playwright/test";
import { openMailBox } from "./outside.ts";
import { signIn } from "./product.ts";
import { addUser, expect, type Site, storageOf, test } from "./support.ts";

function section(page: Page, name: string): Locator {
  return page.getByRole("region", { name, exact: false }).first();
}

async function save(page: Page, part: Locator): Promise<void> {
  await expect(part.getByText(/未保存/).first()).toBeVisible();
  await part.getByRole("button", { name: "保存", exact: true }).click();
  await expect(page.getByText("保存成功").first()).toBeVisible();
  await expect(part.getByText(/未保存/)).toHaveCount(0);
}

/** Opens a page in another browser context, as another user. */
async function pageOf(
  browser: Browser,
  { origin }: Site,
  state?: ReturnType<typeof storageOf>,
): Promise<Page> {
  const context = await browser.newContext({
    baseURL: origin,
    locale: "zh-CN",
    ...(state === undefined ? {} : { storageState: state }),
  });
  return await context.newPage();
}

test("A-025 A-182 A-214: root sets up e-mail, a sign-in method and a price; an e-mail arrives, visitors see both", async ({
  page,
  browser,
  site,
}) => {
  const box = await openMailBox();
  try {
    await page.goto("/setting?tab=system");
    const mail = section(page, "邮件（SMTP）");
    await mail.getByLabel("SMTP 服务器").fill("127.0.0.1");
    await mail.getByLabel("SMTP 端口").fill(String(box.port));
    await mail.getByLabel("SMTP 账户").fill("gate@example.com");
    await save(page, mail);
    await mail.getByLabel("收件地址").fill("root@example.com");
    await mail.getByRole("button", { name: "发送测试邮件" }).click();
    await expect(page.getByText("测试邮件已发送到 root@example.com")).toBeVisible();
    expect(box.newest("root@example.com")).not.toBe("");

    const github = section(page, "GitHub 登录");
    await github.getByLabel("GitHub Client ID").fill("client-of-roles");
    await github.getByLabel("GitHub Client Secret").fill("secret-of-roles");
    await github.getByRole("switch", { name: "允许 GitHub 登录" }).click();
    await save(page, github);

    await page.goto("/setting?tab=operation");
    const prices = section(page, "模型价格");
    await prices.getByRole("button", { name: "添加模型" }).click();
    const sheet = page.getByRole("dialog", { name: "添加模型价格" });
    await sheet.getByRole("textbox", { name: "模型名称" }).fill("roles-model");
    await sheet.getByRole("textbox", { name: "输入价格" }).fill("2.5");
    await sheet.getByRole("textbox", { name: "输出价格" }).fill("10");
    await sheet.getByRole("button", { name: "确定" }).click();
    await expect(prices.getByRole("row").nth(1)).toContainText("roles-model");
    await save(page, prices);
    const channel = { name: "roles", type: 1, key: "sk-up", base_url: site.upstream };
    const offered = { models: "roles-model", group: "default" };
    await site.api.root.call("POST", "/api/channel/", { ...channel, ...offered });

    const visitor = await pageOf(browser, site);
    await visitor.goto("/login");
    await expect(visitor.getByRole("button", { name: /GitHub/ })).toBeVisible();
    await visitor.goto("/pricing?keyword=roles-model");
    const row = visitor.locator("[data-row]").filter({ hasText: "roles-model" });
    await expect(row).toContainText("$2.50");
    await expect(row).toContainText("$10.00");
    await visitor.context().close();
  } finally {
    await box.stop();
    for (const [key, value] of [
      ["GitHubOAuthEnabled", "false"],
      ["GitHubClientId", ""],
      ["SMTPServer", ""],
      ["SMTPAccount", ""],
      ["SMTPPort", "587"],
    ]) {
      await site.api.root.call("PUT", "/api/option/", { key, value });
    }
  }
});

test.describe("an admin", () => {
  test.use({ as: "admin" });

  test("A-226 A-231 A-239: finds, edits and disables a user, whose open console and key stop working", async ({
    page,
    browser,
    site,
  }) => {
    const username = `stop${Date.now().toString(36).slice(-6)}`;
    const session = await signIn(site.origin, await addUser(site.api.root, username));
    const id = session.user.id;
    await site.api.root.call("PUT", "/api/user/", { id, quota_delta: 1_000_000 });
    const token = { name: "t", unlimited_quota: true };
    // Safe cast: the contract of `createToken`.
    const { key } = (await session.call("POST", "/api/token/", token)) as { readonly key: string };
    const call = async (): Promise<number> => {
      const answer = await fetch(`${site.origin}/v1/chat/completions`, {
        method: "POST",
        headers: { "content-type": "application/json", authorization: `Bearer sk-${key}` },
        body: JSON.stringify({ model: site.model, messages: [{ role: "user", content: "hi" }] }),
      });
      return answer.status;
    };
    await expect.poll(call).toBe(200);
    const theirs = await pageOf(browser, site, storageOf(site, session));
    await theirs.goto("/token");
    await expect(theirs.locator("[data-row]")).toHaveCount(1);

    await page.goto("/user");
    await page.getByPlaceholder("搜索 ID、名称或邮箱").fill(username);
    const row = page.getByRole("row").filter({ hasText: username });
    await row.getByRole("button", { name: /编辑/ }).click();
    const sheet = page.locator("[role=dialog]:has(header)");
    await sheet.getByRole("textbox", { name: "显示名称" }).fill("已核对");
    await sheet.getByRole("button", { name: "保存", exact: true }).click();
    await expect(row).toContainText("已核对");
    await row.getByRole("button", { name: /禁用/ }).click();
    await expect(row).toContainText("已封禁");

    await expect.poll(call).toBe(403);
    await theirs.getByRole("link", { name: "使用日志" }).click();
    await expect(theirs).toHaveURL(/\/login\?expired=true/);
    await theirs.context().close();
  });
});
