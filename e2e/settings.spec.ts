import {
  expect,
  expectAccessible,
  expectNoSidewaysScroll,
  expectTranslated,
  type Site,
  test,
  watchFaults,
} from "./support.ts";
import type { ListedOption } from "@tollgate/contract/options/options.ts";
import type { Locator, Page } from "@playwright/test";

/** Records the page's requests that change something. */
function watchChanges(page: Page): string[] {
  const sent: string[] = [];
  page.on("request", (request) => {
    const isChange = request.method() !== "GET" && request.url().includes("/api/");
    if (isChange) sent.push(`${request.method()} ${request.postData() ?? ""}`);
  });
  return sent;
}

function section(page: Page, name: string): Locator {
  return page.getByRole("region", { name, exact: false }).first();
}

async function openTab(page: Page, tab: string): Promise<void> {
  await page.goto(`/setting?tab=${tab}`);
  await expect(page.getByRole("heading", { name: "设置", level: 1 })).toBeVisible();
}

/** Reads the value of an option, as the server stores it. */
async function stored(site: Site, key: string): Promise<string> {
  // Safe cast: the contract of `listOptions`.
  const listed = (await site.api.root.call("GET", "/api/option/")) as ListedOption[];
  return listed.find((option) => option.key === key)?.value ?? "";
}

test("A-223, A-224: one changed option is one call, an unchanged section none", async ({
  page,
  site,
}) => {
  const sent = watchChanges(page);
  await openTab(page, "operation");
  const relay = section(page, "转发");
  await relay.getByRole("button", { name: "保存" }).click();
  await expect(page.getByText("你似乎并没有修改什么").first()).toBeVisible();
  expect(sent).toEqual([]);

  await relay.getByLabel("失败重试次数").fill("3");
  await expect(relay.getByText("已修改，原值：2")).toBeVisible();
  await relay.getByRole("textbox", { name: "失败重试次数" }).press("Enter");
  await expect(page.getByText("保存成功").first()).toBeVisible();
  expect(sent).toEqual(['PUT {"key":"RetryTimes","value":"3"}']);
  await page.reload();
  await expect(relay.getByLabel("失败重试次数")).toHaveValue("3");
  await site.api.root.call("PUT", "/api/option/", { key: "RetryTimes", value: "2" });
});

test("A-188, A-178, A-189, A-180: password login stays on until the warning is confirmed; payment settings wait for the server address", async ({
  page,
  site,
}) => {
  const sent = watchChanges(page);
  await openTab(page, "system");
  const flag = page.getByRole("switch", { name: "允许密码登录" });
  await flag.click();
  await page.getByRole("dialog").or(page.getByRole("alertdialog")).getByText("取消").click();
  await expect(flag).toBeChecked();
  expect(sent).toEqual([]);

  const payment = section(page, "支付");
  await payment.getByLabel("最低充值").fill("2");
  await payment.getByRole("button", { name: "保存" }).click();
  await expect(page.getByText("请先填写服务器地址").first()).toBeVisible();
  expect(sent).toEqual([]);

  const server = section(page, "服务器");
  await server.getByLabel("服务器地址").fill(site.origin);
  await server.getByRole("button", { name: "保存" }).click();
  await expect(page.getByText("保存成功").first()).toBeVisible();
  await payment.getByRole("button", { name: "保存" }).click();
  await expect.poll(() => sent.length).toBe(2);
  expect(sent[1]).toBe('PUT {"key":"MinTopUp","value":"2"}');
  for (const [key, value] of [
    ["MinTopUp", "1"],
    ["ServerAddress", ""],
  ]) {
    await site.api.root.call("PUT", "/api/option/", { key, value });
  }
});

test("A-214 to A-221: a model's price is added in the table and stands in the JSON", async ({
  page,
  site,
}) => {
  await openTab(page, "operation");
  const prices = section(page, "模型价格");
  await expect(prices.getByRole("row")).toHaveCount(11);
  await prices.getByRole("button", { name: "添加模型" }).click();
  const sheet = page.getByRole("dialog", { name: "添加模型价格" });
  await sheet.getByRole("textbox", { name: "模型名称" }).fill(site.model);
  await sheet.getByRole("textbox", { name: "模型倍率" }).fill("abc");
  await sheet.getByRole("button", { name: "确定" }).click();
  await expect(sheet.getByText("模型名称已存在")).toBeVisible();
  await expect(sheet.getByText("请输入数字")).toBeVisible();

  await sheet.getByRole("textbox", { name: "模型名称" }).fill("aa-exact");
  await sheet.getByRole("button", { name: "按次收费", expanded: false }).click();
  await sheet.getByRole("textbox", { name: "固定价格" }).fill("1");
  await expect(sheet.getByRole("textbox", { name: "模型倍率" })).toBeDisabled();
  await sheet.getByRole("textbox", { name: "固定价格" }).fill("");
  await sheet.getByRole("textbox", { name: "模型倍率" }).fill("0.123456789012");
  await sheet.getByRole("button", { name: "确定" }).click();
  await expect(prices.getByRole("row", { name: "aa-exact" })).toContainText("未保存");
  await prices.getByRole("button", { name: "保存", exact: true }).click();
  await expect(page.getByText("保存成功").first()).toBeVisible();
  expect(await stored(site, "ModelRatio")).toContain('"aa-exact": 0.123456789012');
});

test("A-194, A-198, A-200: content has a preview before it is saved, chat links are two columns", async ({
  page,
  site,
}) => {
  await openTab(page, "other");
  await page.getByRole("textbox", { name: "关于" }).fill("# 关于我们\n\n- 第一点");
  const preview = page.getByRole("region", { name: "“关于”的预览" });
  await expect(preview.getByRole("heading", { name: "关于我们" })).toBeVisible();
  await page.getByRole("button", { name: "添加一行" }).click();
  await page.getByLabel(/^名称/).fill("Client");
  await page.getByLabel(/^地址/).fill("https://chat.example/?key={key}");
  await section(page, "聊天").getByRole("button", { name: "保存" }).click();
  await expect(page.getByText("保存成功").first()).toBeVisible();
  expect(JSON.parse(await stored(site, "Chats"))).toEqual([
    { Client: "https://chat.example/?key={key}" },
  ]);
  await site.api.root.call("PUT", "/api/option/", { key: "Chats", value: "[]" });
});

/** Returns the texts that are cut because they do not fit. */
async function cutTexts(parts: Locator): Promise<string[]> {
  return await parts.evaluateAll((all) =>
    all
      .filter((part) => part.scrollWidth > part.clientWidth + 1)
      .map((part) => part.textContent ?? ""),
  );
}

test("every tab is accessible, translated and fits a phone; a search finds settings across tabs", async ({
  page,
}) => {
  test.slow();
  const faults = watchFaults(page);
  for (const tab of ["personal", "operation", "system", "other"]) {
    await openTab(page, tab);
    await expectAccessible(page);
  }
  await openTab(page, "operation");
  await page.getByPlaceholder("搜索设置项").fill("SMTP");
  await expect(page.getByLabel("SMTP 服务器")).toBeVisible();
  await expect(page.getByLabel("失败重试次数")).toHaveCount(0);
  await expectAccessible(page);
  await page.setViewportSize({ width: 360, height: 800 });
  await openTab(page, "operation");
  await expectNoSidewaysScroll(page);
  // Names of models of up to 26 characters, which differ in their middle: haiku, sonnet. Names that
  // are a path at a host are longer.
  const names = page
    .getByRole("list", { name: "模型价格" })
    .locator("[data-middle]")
    .filter({ hasNotText: "/" })
    .locator(".truncate");
  await expect(names).not.toHaveCount(0);
  expect(await cutTexts(names)).toEqual([]);
  await page.evaluate(() => localStorage.setItem("i18nextLng", "en"));
  await page.reload();
  await expect(page.getByRole("heading", { name: "Settings", level: 1 })).toBeVisible();
  await expectTranslated(page);
  expect(faults).toEqual([]);
});

test.describe("an ordinary user", () => {
  test.use({ as: "user" });

  test("A-152, A-142, A-147: has only the account settings, and sees a token once", async ({
    page,
    site,
  }) => {
    await page.goto("/setting?tab=system");
    await expect(page.getByRole("heading", { name: "可用模型" })).toBeVisible();
    await expect(page.getByRole("tab")).toHaveCount(0);
    await expect(page.getByRole("button", { name: `复制 ${site.model}` })).toBeVisible();
    await page.getByRole("button", { name: "生成令牌" }).click();
    await page.getByRole("alertdialog").or(page.getByRole("dialog")).getByText("生成令牌").click();
    await expect(page.getByRole("button", { name: "复制令牌" })).toBeVisible();
  });
});
