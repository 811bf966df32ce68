/** Journeys of money that comes in: codes, payments at an epay gateway and by card, and a refund. */

import { readFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import { playStripe } from "./outside.ts";
import { addSpender } from "./playground-scene.ts";
import { type Api, rootAccount, signIn, startProduct } from "./product.ts";
import { addUser, expect, expectAccessible, signInByForm, test } from "./support.ts";
import { ask, unique } from "./token-steps.ts";

/** A gateway that takes every payment at once, and answers questions about it and refunds. */
async function openGateway(): Promise<{ readonly server: Server; readonly origin: string }> {
  const paid = new Map<string, string>();
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      const url = new URL(request.url ?? "/", "http://gateway");
      const form = new URLSearchParams(Buffer.concat(chunks).toString());
      const of = (name: string) => form.get(name) ?? url.searchParams.get(name) ?? "";
      const order = of("out_trade_no");
      if (url.pathname === "/submit.php") {
        paid.set(order, of("money"));
        response.setHeader("content-type", "text/html");
        response.end(`<h1>Paid ${of("money")}</h1>`);
        return;
      }
      const money = paid.get(order);
      const isPaid = money !== undefined;
      const said = {
        code: 1,
        status: isPaid ? 1 : 0,
        money: money ?? "0.00",
        trade_no: `T${order}`,
      };
      response.end(JSON.stringify(said));
    });
  });
  await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("no port");
  return { server, origin: `http://127.0.0.1:${address.port}` };
}

async function setOptions(root: Api, values: Readonly<Record<string, string>>): Promise<void> {
  for (const [key, value] of Object.entries(values)) {
    await root.call("PUT", "/api/option/", { key, value });
  }
}

/** Makes a token without limits for a user. Returns its key. */
async function keyOf(buyer: Api): Promise<string> {
  const token = { name: "spends", expired_time: -1, remain_quota: 0, unlimited_quota: true };
  // Safe cast: the contract of `createToken`.
  const { key } = (await buyer.call("POST", "/api/token/", token)) as { readonly key: string };
  return `sk-${key}`;
}

/** Reads what a user has, owes and has spent. */
async function accountOf(buyer: Api) {
  // Safe cast: the contract of `readSelf`.
  return (await buyer.call("GET", "/api/user/self")) as {
    readonly quota: number;
    readonly debt: number;
    readonly used_quota: number;
  };
}

test("a user pays an epay gateway, spends some of it, and owes that after root's refund", async ({
  page,
  site,
  enter,
}) => {
  const { server, origin } = await openGateway();
  await setOptions(site.api.root, {
    RootSecondFactorRequired: "false",
    PayAddress: origin,
    EpayId: "1001",
    EpayKey: "key-of-the-journey",
    TopupDiscount: '{"10":"0.95"}',
  });
  const buyer = await addSpender(site, unique("b"), 0);
  const key = await keyOf(buyer);
  await enter(buyer);
  await page.goto("/topup");
  await page.getByRole("button", { name: /\$10/ }).click();
  await expect(page.getByText("¥69.35")).toBeVisible();
  const popup = page.waitForEvent("popup");
  await page.getByRole("button", { name: "去支付" }).click();
  await expect((await popup).getByRole("heading", { name: "Paid 69.35" })).toBeVisible();
  const receipt = page.getByRole("dialog");
  await expect(receipt.getByText("支付成功，额度已到账")).toBeVisible({ timeout: 30_000 });
  await expect(receipt.getByText("$10.00")).toBeVisible();
  const number = await receipt.getByText(/^USR\d+NO/).innerText();
  await expectAccessible(page);
  // Paper is white, also for a reader whose screen is dark.
  await page.emulateMedia({ media: "print", colorScheme: "dark" });
  await expect(page.locator("[data-receipt]")).toHaveCSS("color", "rgb(0, 0, 0)");
  await expect(page.locator("html")).toHaveCSS("background-color", "rgb(255, 255, 255)");
  await page.emulateMedia({ media: null, colorScheme: "light" });
  await expect.poll(() => ask(site, key)).toBe(200);
  await expect.poll(async () => (await accountOf(buyer)).used_quota).toBeGreaterThan(0);

  await enter(site.api.root);
  await page.goto(`/order?keyword=${number}`);
  const row = page.getByRole("row").filter({ hasText: number });
  await expect(row).toContainText("已支付");
  await row.getByRole("button", { name: "退款" }).click();
  const sheet = page.getByRole("dialog");
  await sheet.getByRole("textbox", { name: "原因" }).fill("the user asked for it");
  await sheet.getByRole("button", { name: "退款", exact: true }).click();
  await expect(row).toContainText("已退款");
  await expectAccessible(page);
  const { quota, debt, used_quota: used } = await accountOf(buyer);
  expect([quota, debt]).toEqual([0, used]);
  expect(await ask(site, key)).toBe(403);

  await enter(buyer);
  await page.goto("/topup");
  await expect(page.getByText("账户欠费，暂不能调用")).toBeVisible();
  await expectAccessible(page);
  await setOptions(site.api.root, { PayAddress: "" });
  server.close();
});

test.describe("by card", () => {
  test.use({ as: null });

  test("a user pays on Stripe's page, and the wallet that it leads back to shows the receipt", async ({
    page,
  }) => {
    const stripe = await playStripe();
    const product = await startProduct({ account: rootAccount, stripeUrl: stripe.origin });
    try {
      const root = await signIn(product.origin, rootAccount);
      await setOptions(root, {
        ServerAddress: product.origin,
        RootSecondFactorRequired: "false",
        StripeApiSecret: "sk_test_of_the_journey",
        StripeWebhookSecret: "whsec_of_the_journey",
        StripeUnitPrice: "1.1",
      });
      const account = await addUser(root, "cardholder");
      await page.goto(`${product.origin}/login`);
      await signInByForm(page, account);
      await expect(page).not.toHaveURL(/\/login/);
      await page.goto(`${product.origin}/topup`);
      await expect(page.getByText("$1.10", { exact: true })).toBeVisible();
      await expectAccessible(page);
      const popup = page.waitForEvent("popup");
      await page.getByRole("button", { name: "去支付" }).click();
      const tab = await popup;
      await expect(tab.getByRole("heading", { name: "Paid by card" })).toBeVisible();
      await tab.getByRole("link", { name: "Back" }).click();
      for (const wallet of [tab, page]) {
        const receipt = wallet.getByRole("dialog");
        await expect(receipt.getByText("支付成功，额度已到账")).toBeVisible();
        await expect(receipt.getByText("银行卡（Stripe）")).toBeVisible();
      }
    } finally {
      await product.stop();
      await stripe.stop();
    }
  });
});

test("root sells codes, a user redeems one, and root finds who did", async ({
  page,
  site,
  enter,
}) => {
  await page.goto("/redemption?open=new");
  const sheet = page.getByRole("dialog");
  await sheet.getByRole("textbox", { name: "名称" }).fill("journey");
  await sheet.getByRole("textbox", { name: "数量" }).fill("100");
  await sheet.getByRole("button", { name: "创建" }).click();
  await expect(page.getByRole("heading", { name: "已创建 100 个兑换码" })).toBeVisible();
  const codes = await page.getByRole("textbox", { name: "兑换码" }).inputValue();
  const [code = "", ...others] = codes.split("\n");
  expect(others).toHaveLength(99);
  const download = page.waitForEvent("download");
  await page.getByRole("button", { name: "下载文本文件" }).click();
  expect(readFileSync(await (await download).path(), "utf8")).toBe(`${codes}\n`);

  await enter(site.api.user);
  await page.goto("/topup");
  await page.getByRole("textbox", { name: "兑换码" }).fill(code);
  await page.getByRole("button", { name: "兑换", exact: true }).click();
  await expect(page.getByText("已到账 $0.20")).toBeVisible();

  await enter(site.api.root);
  await page.goto("/redemption?status=3&keyword=journey");
  await expect(page.locator("tr[data-row]")).toHaveCount(1);
  await expect(page.locator("tr[data-row]")).toContainText(site.accounts.user.username);
});
