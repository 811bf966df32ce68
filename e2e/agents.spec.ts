/** The journey of a reseller: an invitee spends, the day ends, and root pays the dividend out. */

import { rmSync } from "node:fs";
import type { Page } from "@playwright/test";
import {
  type Account,
  type Api,
  makeHome,
  type Product,
  rootAccount,
  signIn,
  startProduct,
} from "./product.ts";
import { addUser, expect, expectAccessible, signInByForm, test } from "./support.ts";

test.use({ as: null });

const dayMs = 86_400_000;

async function setOptions(root: Api, values: Readonly<Record<string, string>>): Promise<void> {
  for (const [key, value] of Object.entries(values)) {
    await root.call("PUT", "/api/option/", { key, value });
  }
}

/** A user becomes a reseller, and an invitee pays for a call of one dollar. Returns the reseller. */
async function sell({ origin, output }: Product): Promise<Account> {
  const model = /"model":"([^"]+)"/.exec(output())?.[1] ?? "";
  const root = await signIn(origin, rootAccount);
  await setOptions(root, {
    RootSecondFactorRequired: "false",
    AgentsEnabled: "true",
    AgentApprovalRequired: "false",
    AgentDividendPercent: "50",
    AgentWithdrawMin: "1",
    ModelPrice: JSON.stringify({ [model]: "1" }),
  });
  const account = await addUser(root, "seller");
  const seller = await signIn(origin, account);
  await seller.call("POST", "/api/user/agent/join", {});
  const buyer = await register(origin, await seller.call("GET", "/api/user/aff"));
  const code = { name: "sold", quota: 1_000_000, count: 1 };
  // Safe casts: the contract of both calls.
  const [key] = (await root.call("POST", "/api/redemption/", code)) as string[];
  await buyer.call("POST", "/api/user/topup", { key });
  const token = { name: "own", unlimited_quota: true, expired_time: -1, remain_quota: 0 };
  const made = (await buyer.call("POST", "/api/token/", token)) as { readonly key: string };
  const answer = await fetch(`${origin}/v1/chat/completions`, {
    method: "POST",
    headers: {
      "content-type": "application/json",
      authorization: `Bearer sk-${made.key.replace(/^sk-/, "")}`,
    },
    body: JSON.stringify({ model, messages: [{ role: "user", content: "hi" }] }),
  });
  expect([answer.status, await answer.text()]).toEqual([200, expect.any(String)]);
  return account;
}

/** Registers a user with the invite code of another. */
async function register(origin: string, affCode: unknown): Promise<Api> {
  const account = { username: "buyer", password: "password of buyer" };
  const answer = await fetch(`${origin}/api/user/register`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ ...account, aff_code: affCode }),
  });
  expect(await answer.json()).toMatchObject({ success: true });
  return await signIn(origin, account);
}

/** Signs in by the form, which leads to the screen that was asked for. */
async function open(page: Page, address: string, account: Account): Promise<void> {
  await page.goto(address);
  await signInByForm(page, account);
}

test("O-594, O-597: a reseller is paid out", async ({ page, browser }) => {
  const home = makeHome();
  const before = await startProduct({
    demo: true,
    account: rootAccount,
    home,
    clockMs: -2 * dayMs,
  });
  const seller = await sell(before);
  await before.stop();
  const product = await startProduct({ account: rootAccount, home });
  const { origin } = product;
  const context = await browser.newContext();
  try {
    await open(page, `${origin}/agents`, rootAccount);
    const agent = page.locator("tr[data-row]").filter({ hasText: "seller" });
    await expect(agent).toContainText("代理中");
    await page.getByRole("button", { name: "立即计算分红" }).click();
    await expect(agent).toContainText("$0.50");
    await expectAccessible(page);

    const sellers = await context.newPage();
    await open(sellers, `${origin}/agent?tab=dividends`, seller);
    const listed = sellers.locator("tr[data-row]");
    await expect(listed).toContainText("b•••r");
    await sellers.getByRole("button", { name: "申请提现" }).click();
    const request = sellers.getByRole("dialog");
    await expect(request.getByText("你将收到 ¥3.65")).toBeVisible();
    await request.getByRole("textbox", { name: "收款方式" }).fill("alipay: seller");
    await request.getByRole("button", { name: "提交申请" }).click();
    await expect(sellers.getByRole("button", { name: "申请提现" })).toBeDisabled();

    await page.goto(`${origin}/withdrawals`);
    const row = page.locator("tr[data-row]").filter({ hasText: "seller" });
    await expect(row).toContainText("待打款");
    await row.getByRole("button", { name: "登记打款" }).click();
    const sheet = page.getByRole("dialog");
    await sheet.getByRole("textbox", { name: "备注" }).fill("transfer 77");
    await sheet.getByRole("button", { name: "登记打款" }).click();
    await expect(row).toContainText("已打款");
    await expectAccessible(page);

    await sellers.goto(`${origin}/agent?tab=withdrawals`);
    await expect(listed).toContainText("已打款");
    await expect(listed).toContainText("¥3.65");
    await expect(listed).toContainText("transfer 77");
  } finally {
    await context.close();
    await product.stop();
    rmSync(home, { recursive: true, force: true });
  }
});
