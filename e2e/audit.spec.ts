import { expect, expectAccessible, test } from "./support.ts";

test("P-S8: root finds who revealed a key, and verifies that the log is unchanged", async ({
  page,
  site,
}) => {
  const token = await site.api.root.call("POST", "/api/token/", { name: "audited" });
  const { id } = token as { readonly id: number }; // Safe cast: the contract of `createToken`.
  await site.api.root.call("POST", `/api/token/${id}/key`);
  await page.goto(`/audit?target=token:${id}`);
  const row = page.getByRole("row").filter({ hasText: "查看令牌密钥" });
  await expect(row).toContainText("root #1");
  await expect(row).toContainText("127.0.0.1");
  await row.getByRole("button", { name: "token.reveal" }).click();
  await expect(page).toHaveURL(/action=token\.reveal/);
  await expect(page.getByRole("row")).toHaveCount(2);
  await page.getByRole("button", { name: "校验链条" }).click();
  await expect(page.getByText(/链条完好：[\d,]+ 条记录首尾相接/)).toBeVisible();
  await expectAccessible(page);
});

test.describe("users other than root", () => {
  test.use({ as: "admin" });

  test("neither the menu nor the address leads to the audit log", async ({ page }) => {
    await page.goto("/audit");
    await expect(page.getByRole("heading", { level: 1 })).toBeVisible();
    await expect(page.getByRole("table")).toHaveCount(0);
    await expect(page.getByRole("link", { name: "审计日志" })).toHaveCount(0);
  });
});
