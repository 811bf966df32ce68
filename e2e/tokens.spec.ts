import { expect, expectFitForAll, signInByForm, test, watchFaults } from "./support.ts";
import {
  add,
  ask,
  asUserWithQuota,
  clipboard,
  find,
  openNew,
  rowOf,
  sheetOf,
  unique,
} from "./token-steps.ts";

asUserWithQuota();

test("O-008, O-333, O-340: a new token's key is shown whole, with an example that works", async ({
  page,
  site,
}) => {
  const name = unique("laptop");
  const sheet = await openNew(page);
  await sheet.getByRole("textbox", { name: "名称" }).fill(name);
  await page.keyboard.press("ControlOrMeta+Enter");

  await expect(sheet.getByRole("heading", { name: "令牌已创建" })).toBeVisible();
  const key = await sheet.getByText(/^sk-[0-9A-Za-z]{48}$/).innerText();
  await expect(sheet.getByText(`${site.origin}/v1`, { exact: true })).toBeVisible();
  await sheet.getByRole("button", { name: "复制密钥" }).click();
  await expect.poll(() => clipboard(page)).toBe(key);
  await sheet.getByRole("button", { name: "复制示例" }).click();
  await expect.poll(() => clipboard(page)).toContain("curl");
  const curl = await clipboard(page);
  expect(curl).toContain(`curl ${site.origin}/v1/chat/completions`);
  expect(curl).toContain(`Bearer ${key}`);
  // The example names some model that the user can call; which one depends on other journeys.
  const model = /"model":"([^"]+)"/.exec(curl)?.[1];
  expect(await site.api.user.call("GET", "/api/user/models")).toContain(model);
  expect(await ask(site, key)).toBe(200);
  for (const [tab, text] of [
    ["Python", "from openai import OpenAI"],
    ["Node.js", 'from "openai"'],
  ] as const) {
    await sheet.getByRole("tab", { name: tab }).click();
    await expect(sheet.getByRole("tabpanel")).toContainText(text);
    await expect(sheet.getByRole("tabpanel")).toContainText(key);
  }

  await sheet.getByRole("button", { name: "完成" }).click();
  await expect(rowOf(page, name)).toContainText(`sk-${key.slice(3, 7)}••••${key.slice(-4)}`);
  await expect(page.locator("body")).not.toContainText(key);
});

test("O-266 to O-269: invalid values are named, the folded part opens, and nothing is sent", async ({
  page,
}) => {
  const sent: string[] = [];
  page.on("request", (request) => {
    if (request.method() === "POST" && request.url().includes("/api/token")) {
      sent.push(request.url());
    }
  });
  const sheet = await openNew(page);
  await sheet.getByRole("textbox", { name: "剩余额度" }).fill("abc");
  await sheet.getByRole("textbox", { name: "过期时间" }).fill("明天");
  await sheet.getByRole("button", { name: "访问限制", expanded: false }).click();
  await sheet.getByRole("textbox", { name: "IP 白名单" }).fill("203.0.113.7\nhere");
  await sheet.getByRole("button", { name: "访问限制", expanded: true }).click();
  await sheet.getByRole("button", { name: "批量创建", expanded: false }).click();
  await sheet.getByRole("textbox", { name: "创建数量" }).fill("0");
  await sheet.getByRole("button", { name: "创建", exact: true }).click();

  await expect(sheet.getByText("请输入名称")).toBeVisible();
  await expect(sheet.getByRole("textbox", { name: "创建数量" })).toHaveValue("0");
  await expect(sheet.getByText("请输入 1 到 100 的整数")).toBeVisible();
  await expect(sheet.getByText("过期时间格式错误！")).toBeVisible();
  await expect(sheet.getByText("请输入不小于 0 的额度")).toBeVisible();
  await expect(sheet.getByText("第 2 行不是有效的 IP 地址或网段：here")).toBeVisible();
  await expect(sheet.getByRole("textbox", { name: "名称" })).toBeFocused();
  await expect(
    page.getByText("名称、剩余额度、过期时间、IP 白名单、创建数量").first(),
  ).toBeVisible();
  expect(sent).toEqual([]);
});

test("O-274 to O-280: quota starts at 500000 units, presets set it, and a cent is exact", async ({
  page,
  site,
}) => {
  const sheet = await openNew(page);
  const quota = sheet.getByRole("textbox", { name: "剩余额度" });
  await expect(quota).toHaveValue("1");
  const presets = sheet.getByRole("group", { name: "常用额度" });
  for (const [label, units] of [
    ["$10", "5,000,000"],
    ["$50", "25,000,000"],
    ["$100", "50,000,000"],
    ["$500", "250,000,000"],
    ["$1000", "500,000,000"],
    ["$1", "500,000"],
  ] as const) {
    await presets.getByRole("button", { name: label, exact: true }).click();
    await expect(sheet.getByText(`= ${units} 额度`)).toBeVisible();
  }
  const name = unique("exact");
  await quota.fill("1.005");
  await sheet.getByRole("textbox", { name: "名称" }).fill(name);
  await sheet.getByRole("button", { name: "创建", exact: true }).click();
  await expect(sheet.getByRole("heading", { name: "令牌已创建" })).toBeVisible();
  expect(await find(site, name)).toMatchObject([{ remain_quota: 502_500 }]);
});

test("O-282 to O-285: the expiry presets are never and times from now", async ({ page, site }) => {
  const sheet = await openNew(page);
  for (const [preset, seconds] of [
    ["1 小时", 3_600],
    ["1 天", 86_400],
    ["1 个月", 2_592_000],
    ["永不过期", null],
  ] as const) {
    const name = unique("expiry");
    await sheet.getByRole("textbox", { name: "名称" }).fill(name);
    await sheet.getByRole("button", { name: preset, exact: true }).click();
    const now = Date.now() / 1_000;
    await sheet.getByRole("button", { name: "创建", exact: true }).click();
    await expect(sheet.getByRole("heading", { name: "令牌已创建" })).toBeVisible();
    const [token] = await find(site, name);
    if (seconds === null) expect(token?.["expired_time"]).toBe(-1);
    else expect(Math.abs(Number(token?.["expired_time"]) - now - seconds)).toBeLessThan(60);
    await sheet.getByRole("button", { name: "完成" }).click();
    await page.getByRole("button", { name: "添加令牌" }).first().click();
  }
});

test("O-270, O-281: several tokens made at once have different names, and a list of their keys", async ({
  page,
  site,
}) => {
  const name = unique("many");
  const sheet = await openNew(page);
  await sheet.getByRole("textbox", { name: "名称" }).fill(name);
  await sheet.getByRole("button", { name: "批量创建", expanded: false }).click();
  for (const preset of ["20", "30", "100", "10"]) {
    await sheet.getByRole("button", { name: preset, exact: true }).click();
    await expect(sheet.getByRole("textbox", { name: "创建数量" })).toHaveValue(preset);
  }
  await sheet.getByRole("button", { name: "创建", exact: true }).click();
  await expect(sheet.getByRole("heading", { name: "已创建 10 个令牌" })).toBeVisible();
  await sheet.getByRole("button", { name: "全部复制" }).click();
  const linesOf = async () => (await clipboard(page)).split("\n");
  await expect.poll(linesOf).toHaveLength(10);
  const lines = await linesOf();
  expect(lines[0]).toMatch(new RegExp(`^${name}\\s+sk-[0-9A-Za-z]{48}$`));
  for (const line of lines.slice(1)) {
    expect(line).toMatch(new RegExp(`^${name}-[0-9A-Za-z]{6}\\s+sk-[0-9A-Za-z]{48}$`));
  }
  expect(await find(site, name)).toHaveLength(10);
});

test("a changed form asks before it closes, and discarded changes are gone", async ({ page }) => {
  await page.goto("/token");
  await page.getByRole("button", { name: "添加令牌" }).first().click();
  const sheet = sheetOf(page);
  await sheet.getByRole("textbox", { name: "名称" }).fill("typed");
  await page.keyboard.press("Escape");
  await expect(page.getByText("放弃修改？")).toBeVisible();
  await page.keyboard.press("Escape");
  await expect(sheet.getByRole("textbox", { name: "名称" })).toHaveValue("typed");
  await page.goBack();
  await page.getByRole("button", { name: "放弃" }).click();
  await expect(page).toHaveURL(/\/token$/);
  await expect(sheet).toHaveCount(0);
  await openNew(page);
  await expect(sheet.getByRole("textbox", { name: "名称" })).toHaveValue("");
});

test("A-424: after a 401 the sign-in leads back to the address, and the draft is there", async ({
  page,
  context,
  site,
}) => {
  await page.goto("/token");
  await page.getByRole("button", { name: "添加令牌" }).first().click();
  const sheet = sheetOf(page);
  await sheet.getByRole("textbox", { name: "名称" }).fill("draft");
  await context.clearCookies();
  await sheet.getByRole("button", { name: "创建", exact: true }).click();
  await expect(page).toHaveURL(/\/login\?expired=true/);
  await signInByForm(page, site.accounts.user);
  await expect(page).toHaveURL(/\/token\?open=new/);
  await expect(sheet.getByRole("textbox", { name: "名称" })).toHaveValue("draft");
  await expect(sheet.getByText("已恢复登录前未保存的内容")).toBeVisible();
});

test("a token can be created and deleted with the keyboard alone", async ({ page, site }) => {
  const name = unique("keys");
  await page.goto("/token");
  const create = page.getByRole("button", { name: "添加令牌" }).first();
  await create.focus();
  await page.keyboard.press("Enter");
  await expect(sheetOf(page).getByRole("textbox", { name: "名称" })).toBeFocused();
  await page.keyboard.type(name);
  await page.keyboard.press("ControlOrMeta+Enter");
  await expect(sheetOf(page).getByRole("heading", { name: "令牌已创建" })).toBeVisible();
  await page.keyboard.press("Escape");
  await expect(sheetOf(page)).toHaveCount(0);
  await rowOf(page, name)
    .getByRole("button", { name: `${name} 的更多操作` })
    .focus();
  await page.keyboard.press("Enter");
  await page.getByRole("menuitem", { name: "删除" }).focus();
  await page.keyboard.press("Enter");
  await expect(page.getByRole("alertdialog")).toBeVisible();
  // The focus is on the cancel button, so a second Enter deletes nothing.
  await expect(page.getByRole("alertdialog").getByRole("button", { name: "取消" })).toBeFocused();
  await page.keyboard.press("Tab");
  await page.keyboard.press("Enter");
  await expect.poll(() => find(site, name)).toEqual([]);
});

test("the sheets of a token are accessible, fit and are translated @every", async ({
  page,
  site,
}) => {
  const faults = watchFaults(page);
  const { id } = await add(site, {
    name: unique("sheet"),
    expired_time: Math.floor(Date.now() / 1_000) + 3_600,
    model_limits_enabled: true,
    model_limits: "a-model,another-model",
    allow_ips: "127.0.0.1",
  });
  for (const open of ["new", String(id), `connect-${id}`]) {
    await page.goto(`/token?open=${open}`);
    await expect(sheetOf(page)).toBeVisible();
    await expectFitForAll(page);
    expect(faults).toEqual([]);
  }
});
