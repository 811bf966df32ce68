import { expect, expectFitForAll, test } from "./support.ts";

test("an admin finds a call of the console API, and reads what to send @every", async ({
  page,
}) => {
  await page.goto("/apiDocument");
  await expect(page.getByRole("heading", { level: 1 })).toHaveText(/接口文档|API reference/);
  await expect(page.getByRole("heading", { name: "logs", exact: true })).toBeVisible();
  await page.getByRole("heading", { name: "logs", exact: true }).click();
  const list = page.locator("#operations-logs-listLogs");
  await list.getByRole("button").first().click();
  await expect(list.getByText("model_name").first()).toBeVisible();
  await expectFitForAll(page);
});
