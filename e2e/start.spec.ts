/**
 * The way from an installed gateway to a friend whose call was charged, by the start page alone.
 * Counts what people have to type or choose on it, and the buttons they have to press.
 */

import { execFileSync } from "node:child_process";
import type { Browser, Locator, Page } from "@playwright/test";
import { type Product, startProduct } from "./product.ts";
import { expect, expectAccessible, test, watchFaults } from "./support.ts";

test.use({ as: null });

/** The most values that the whole way may ask for. */
const inputsMax = 12;
/** The most buttons and links that must be pressed between them. */
const pressesMax = 12;

const model = "gpt-4o-mini";
const usage = { promptTokens: 1_000, events: 100 };
/** (1000 × $0.15 + 100 × $0.60) / 1,000,000, by the prices of a new installation. */
const charge = "$0.00021";

const password = "seven brown otters";

/** What a person has done so far. */
type Counted = { inputs: number; presses: number };

test("from the printed link to a friend's charged call in at most 12 inputs, without a dead end", async ({
  browser,
  page,
  site,
}) => {
  await fetch(`${site.upstream}/__demo/scripts/${model}`, {
    method: "PUT",
    body: JSON.stringify(usage),
  });
  const product = await startProduct({});
  const faults = watchFaults(page);
  const counted: Counted = { inputs: 0, presses: 0 };
  try {
    await test.step("root sets up, and is led from step to step", async () => {
      await setUp(page, product, counted);
      await addChannel(page, site.upstream, counted);
      await setStartingBalance(page, counted);
    });
    await test.step("a friend signs up, and calls with the first key", async () => {
      await callAsFriend(browser, product, counted);
    });
    await test.step("root sees the steps ticked, without having touched them", async () => {
      await page.goto(`${product.origin}/start`);
      await expect(stepOf(page, "接入供应商并测试").getByRole("img")).toHaveAccessibleName(
        "已完成",
      );
      await expect(stepOf(page, "完成第一次调用")).toContainText(`1 次调用，共 ${charge}`);
      await expect(stepOf(page, "设定新用户的起始余额")).toContainText("$2.00");
      await expect(page.getByText("已完成 4 / 9 步")).toBeVisible();
      await expectAccessible(page);
    });
    expect(faults).toEqual([]);
    expect(counted.inputs, JSON.stringify(counted)).toBeLessThanOrEqual(inputsMax);
    expect(counted.presses, JSON.stringify(counted)).toBeLessThanOrEqual(pressesMax);
  } finally {
    await product.stop();
  }
});

async function setUp(page: Page, product: Product, counted: Counted): Promise<void> {
  await page.goto(/http:\S+setup#token=\S+/.exec(product.output())?.[0] ?? "");
  await type(page.getByLabel("超级管理员用户名"), "chief", counted);
  const secrets = page.locator("input[autocomplete=new-password]");
  await type(secrets.first(), password, counted);
  await type(secrets.last(), password, counted);
  await press(page.getByRole("button", { name: "创建账户并开始使用" }), counted);
  await expect(page).toHaveURL(`${product.origin}/start`);
  await expect(stepOf(page, "接入供应商并测试")).toHaveAttribute("aria-current", "step");
}

async function addChannel(page: Page, upstream: string, counted: Counted): Promise<void> {
  await press(page.getByRole("link", { name: "添加渠道" }), counted);
  const sheet = page.getByRole("dialog", { name: "添加渠道" });
  const kind = sheet.getByRole("combobox", { name: /^类型/ });
  await type(kind, "openai", counted);
  await page.keyboard.press("Enter");
  await expect(sheet.getByLabel("名称", { exact: false }).first()).toHaveValue("OpenAI");
  // Only the test needs this one: the demo upstream stands in for the provider.
  await type(sheet.getByLabel("API 地址"), upstream, counted);
  await type(sheet.getByLabel("密钥", { exact: false }).first(), "sk-upstream", counted);
  await press(sheet.getByRole("button", { name: "添加渠道" }), counted);
  await expect(sheet).toHaveCount(0);
}

async function setStartingBalance(page: Page, counted: Counted): Promise<void> {
  await press(page.getByRole("link", { name: /^开始使用/ }), counted);
  await expect(stepOf(page, "设定新用户的起始余额")).toContainText("$0.00");
  await press(page.getByRole("link", { name: "设置起始余额" }), counted);
  const amount = page.locator("[data-option=QuotaForNewUser] input");
  await expect(amount).toBeFocused();
  await type(amount, "2", counted);
  const section = page.locator("section#quota");
  await press(section.getByRole("button", { name: /^保存/ }), counted);
  await expect(page.getByText("保存成功：1 项").first()).toBeVisible();
}

async function callAsFriend(browser: Browser, product: Product, counted: Counted): Promise<void> {
  const context = await browser.newContext({
    locale: "zh-CN",
    permissions: ["clipboard-read", "clipboard-write"],
  });
  try {
    const page = await context.newPage();
    const faults = watchFaults(page);
    await page.goto(`${product.origin}/register`);
    await type(page.getByLabel("用户名", { exact: false }), "friend", counted);
    const secrets = page.locator("input[autocomplete=new-password]");
    await type(secrets.first(), password, counted);
    await type(secrets.last(), password, counted);
    await press(page.getByRole("button", { name: "注册", exact: true }), counted);
    await expect(page).toHaveURL(`${product.origin}/start`);
    await expect(stepOf(page, "余额")).toContainText("$2.00");
    await press(page.getByRole("button", { name: "创建我的第一个令牌" }), counted);
    await expect(page.getByText("正在等待你的第一次调用")).toBeVisible();
    await expectAccessible(page);
    const example = stepOf(page, "完成第一次调用");
    // Only the test needs this one: the demo upstream has a script for this model.
    await type(example.getByRole("combobox", { name: "模型" }), model, counted);
    await page.keyboard.press("Enter");
    await press(page.getByRole("button", { name: "复制示例" }), counted);
    const command = await page.evaluate(async () => await navigator.clipboard.readText());
    // Runs the command as if it were pasted into a terminal.
    const output = execFileSync("bash", ["-c", command.replace(/^curl/, "curl -sS")], {
      encoding: "utf8",
    });
    expect(JSON.parse(output)).toMatchObject({ usage: { prompt_tokens: 1_000 } });
    await expect(example).toContainText(`费用 ${charge}`);
    await expect(example.getByRole("img").first()).toHaveAccessibleName("已完成");
    expect(faults).toEqual([]);
  } finally {
    await context.close();
  }
}

const stepOf = (page: Page, name: string): Locator => page.getByRole("listitem", { name });

async function type(field: Locator, text: string, counted: Counted): Promise<void> {
  counted.inputs += 1;
  await field.fill(text);
}

async function press(button: Locator, counted: Counted): Promise<void> {
  counted.presses += 1;
  await button.click();
}
