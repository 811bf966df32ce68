import { expect, expectFitForAll, test } from "./support.ts";
import { add, asUserWithQuota, unique } from "./token-steps.ts";

test("an admin finds a call of the console API, and reads what to send @every", async ({
  page,
}) => {
  await page.goto("/apiDocument");
  await expect(page.getByRole("heading", { level: 1 })).toHaveText(/^(控制台接口|Console API)$/);
  await expect(page.getByRole("heading", { name: "logs", exact: true })).toBeVisible();
  await page.getByRole("button", { name: /^GET \/api\/log\/ / }).click();
  await expect(page.getByText("model_name", { exact: true }).first()).toBeVisible();
  await expectFitForAll(page);
});

test.describe("with a key", () => {
  asUserWithQuota();

  test("a reader tries a call with a key, and is led to its row @every", async ({ page, site }) => {
    const { key } = await add(site, { name: unique("reads") });
    await page.goto("/reference");
    await expect(page.getByRole("heading", { level: 1 })).toHaveText(/^(接口参考|API reference)$/);
    await page.getByRole("button", { name: "POST /v1/chat/completions" }).click();
    await expect(page.getByText("max_completion_tokens", { exact: true })).toBeVisible();
    await expectFitForAll(page);
    await page.getByRole("textbox", { name: /^(令牌|API key)$/ }).fill(`sk-${key}`);
    const body = page.getByRole("textbox", { name: /^(请求体|Body)$/ });
    await body.fill(
      JSON.stringify({ model: site.model, messages: [{ role: "user", content: "hi" }] }),
    );
    await page.getByRole("button", { name: /^(发送|Send)$/ }).click();
    await expect(page.getByRole("status").filter({ hasText: "200" })).toBeVisible();
    await page.getByRole("link", { name: /^(在日志中查看|Open in the log)$/ }).click();
    await expect(page).toHaveURL(/\/log\?.*request_id=/);
  });
});
