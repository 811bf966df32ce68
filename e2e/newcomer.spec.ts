import { execFileSync } from "node:child_process";
import type { Page } from "@playwright/test";
import { type Product, startProduct } from "./product.ts";
import { expect, test } from "./support.ts";

/** The usage that the demo upstream reports, and its charge by the prices of a new installation. */
const usage = { promptTokens: 1_000, events: 100 };
const model = "gpt-4o-mini";
const charge = "$0.00021"; // (1000 × $0.15 + 100 × $0.60) / 1,000,000

const account = { username: "chief", password: "a long enough password" };

test.use({ as: null, permissions: ["clipboard-read", "clipboard-write"] });

test("from the printed link to a charged call, without any other help", async ({ page, site }) => {
  await fetch(`${site.upstream}/__demo/scripts/${model}`, {
    method: "PUT",
    body: JSON.stringify(usage),
  });
  const product = await startProduct({});
  try {
    const link = await setUp(page, product);
    await test.step("the link works only once", async () => {
      await page.goto(link);
      await page.reload();
      await expect(page.getByText("系统已经初始化完成")).toBeVisible();
    });
    await page.goto(`${product.origin}/channel`);
    await addChannel(page, site.upstream);
    const answer = await createTokenAndCall(page, product);
    expect(answer).toMatchObject({ usage: { prompt_tokens: 1_000, completion_tokens: 100 } });
    await page.goto(`${product.origin}/log`);
    const row = page.getByRole("row").filter({ hasText: model });
    await expect(row).toContainText("1,000");
    await expect(row).toContainText(charge);
  } finally {
    await product.stop();
  }
});

async function setUp(page: Page, product: Product): Promise<string> {
  const link = /http:\S+setup#token=\S+/.exec(product.output())?.[0] ?? "";
  await page.goto(product.origin);
  await expect(page.getByText("系统尚未初始化")).toBeVisible();
  await page.getByRole("link", { name: "我有链接，粘贴到这里" }).click();
  await expect(page.getByText("地址里没有初始化令牌")).toBeVisible();
  // The link is opened in the same tab, which loads nothing: the address differs in its fragment.
  await page.goto(link);
  await expect(page.getByText("地址里没有初始化令牌")).toBeHidden();
  const secrets = page.locator("input[autocomplete=new-password]");
  const [password, again] = [secrets.first(), secrets.last()];
  await page.getByLabel("超级管理员用户名").fill(account.username);
  await password.fill("short");
  await again.fill("other");
  await page.getByRole("button", { name: "创建账户并开始使用" }).click();
  await expect(page.getByText("密码长度不得小于 8 位！")).toBeVisible();
  await expect(page.getByText("两次输入的密码不一致")).toBeVisible();
  await password.fill(account.password);
  await again.fill(account.password);
  await page.getByRole("button", { name: "创建账户并开始使用" }).click();
  await expect(page).toHaveURL(`${product.origin}/start`);
  return link;
}

async function addChannel(page: Page, upstream: string): Promise<void> {
  await page.getByRole("button", { name: "添加渠道" }).first().click();
  const sheet = page.getByRole("dialog", { name: "添加渠道" });
  await sheet.getByRole("combobox", { name: /^类型/ }).fill("openai");
  await page.keyboard.press("Enter");
  await sheet.getByLabel("名称", { exact: false }).first().fill("first");
  await sheet.getByLabel("API 地址").fill(upstream);
  await sheet.getByLabel("密钥", { exact: false }).first().fill("sk-upstream");
  // Removes the usual models, which the form has filled in by the channel's type.
  await sheet.getByRole("button", { name: "清除所有模型" }).click();
  await sheet.getByPlaceholder("自定义模型名称", { exact: false }).fill(model);
  await sheet.getByRole("button", { name: "填入", exact: true }).click();
  await sheet.getByRole("button", { name: "添加渠道" }).click();
  await expect(sheet).toHaveCount(0);
  await expect(page.getByRole("row").filter({ hasText: "first" })).toBeVisible();
}

async function createTokenAndCall(page: Page, product: Product): Promise<unknown> {
  await page.goto(`${product.origin}/token`);
  await page.getByRole("button", { name: "添加令牌" }).first().click();
  const sheet = page.getByRole("dialog", { name: "添加令牌" });
  await sheet.getByLabel("名称", { exact: false }).first().fill("mine");
  await sheet.getByRole("button", { name: "创建", exact: true }).click();
  await page.getByRole("button", { name: "复制示例" }).click();
  const command = await page.evaluate(async () => await navigator.clipboard.readText());
  expect(command).toContain(`${product.origin}/v1/chat/completions`);
  // Runs the command as if it were pasted into a terminal.
  const output = execFileSync("bash", ["-c", command.replace(/^curl/, "curl -sS")], {
    encoding: "utf8",
  });
  return JSON.parse(output);
}
