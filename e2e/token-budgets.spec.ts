import type { Page } from "@playwright/test";
import { expect, expectFitForAll, type Site, test } from "./support.ts";
import { add, asUserWithQuota, find, openNew, rowOf, sheetOf, unique } from "./token-steps.ts";

asUserWithQuota();

/** A day's budget in dollars that covers a call or two of the demo model, and not ten. */
const budget = "0.0004";

/** More calls than the budget covers. */
const callsMax = 10;

/** Fills in the form of a new token with a day's budget, by the keyboard alone, and sends it. */
async function createBudgeted(page: Page, name: string): Promise<void> {
  const sheet = await openNew(page);
  await page.keyboard.type(name);
  const section = sheet.getByRole("button", { name: "周期预算", expanded: false });
  await section.focus();
  await page.keyboard.press("Enter");
  await sheet.getByRole("textbox", { name: "每日预算" }).focus();
  await page.keyboard.type(budget);
  await page.keyboard.press("ControlOrMeta+Enter");
  await expect(sheet.getByRole("heading", { name: "令牌已创建" })).toBeVisible();
}

/** Calls the demo model until a call is refused. Returns the error of that call. */
async function spend(site: Site, key: string): Promise<{ code: string; message: string }> {
  for (let calls = 0; calls < callsMax; calls += 1) {
    const answer = await fetch(`${site.origin}/v1/chat/completions`, {
      method: "POST",
      headers: {
        authorization: `Bearer ${key}`,
        "content-type": "application/json",
        "accept-language": "zh",
      },
      body: JSON.stringify({ model: site.model, messages: [{ role: "user", content: "hi" }] }),
    });
    const body = (await answer.json()) as { error: { code: string; message: string } };
    if (answer.status !== 200) return body.error;
  }
  throw new Error("no call was refused");
}

test("a token with a day's budget is made by keyboard; the refused call and the sheet tell when the budget resets", async ({
  page,
  site,
}) => {
  const name = unique("budget");
  await createBudgeted(page, name);
  const key = await sheetOf(page)
    .getByText(/^sk-[0-9A-Za-z]{48}$/)
    .innerText();
  expect(await find(site, name)).toMatchObject([{ budget_day: 200, budget_week: 0 }]);

  const refusal = await spend(site, key);
  expect(refusal.code).toBe("token_budget_exceeded");
  const told = /预算将于 (\S+) 重置/.exec(refusal.message)?.[1] ?? "";
  const resetsAt = Date.parse(told);
  expect(resetsAt % 86_400_000).toBe(0);
  expect(resetsAt - Date.now()).toBeLessThanOrEqual(86_400_000);

  await page.keyboard.press("Escape");
  await expect(sheetOf(page)).toHaveCount(0);
  await rowOf(page, name).getByRole("button", { name: "编辑" }).click();
  await expect(sheetOf(page).getByRole("progressbar").first()).toBeVisible();
  const shown = await sheetOf(page)
    .getByText(/^\S+ \S+ 重置$/)
    .innerText();
  expect(Date.parse(shown.replace(" 重置", ""))).toBe(resetsAt);

  // A higher budget lets the key call again at once.
  const day = sheetOf(page).getByRole("textbox", { name: "每日预算" });
  await day.fill("1");
  await page.keyboard.press("ControlOrMeta+Enter");
  await expect(sheetOf(page)).toHaveCount(0);
  expect(await find(site, name)).toMatchObject([{ budget_day: 500_000 }]);
});

test("a budget is seen and changed on a phone @phone", async ({ page, site }) => {
  const name = unique("pocket");
  const { id } = await add(site, { name, budget_day: 500_000, budget_month: 2_500_000 });
  await page.goto(`/token?keyword=${name}`);
  await page.getByText(name, { exact: true }).first().waitFor();
  await expectFitForAll(page);
  await page.goto(`/token?open=${id}`);
  const sheet = sheetOf(page);
  const month = sheet.getByRole("textbox", { name: "每月预算" });
  await expect(month).toHaveValue("5");
  await expectFitForAll(page);
  await month.fill("10");
  await sheet.getByRole("button", { name: "保存" }).click();
  await expect(sheet).toHaveCount(0);
  expect(await find(site, name)).toMatchObject([
    { budget_day: 500_000, budget_week: 0, budget_month: 5_000_000 },
  ]);
});
