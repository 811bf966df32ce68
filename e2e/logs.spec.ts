import type { Page, Request } from "@playwright/test";
import { expect, expectFitForAll, type Site, test, watchFaults } from "./support.ts";

/** How the demo upstream answers a call of each model. */
const scripts = {
  "logs-cached": { promptTokens: 1_000, cachedTokens: 400, events: 10 },
  "logs-stream": { promptTokens: 50, events: 5 },
  "logs-broken": { status: 500 },
  // The demo upstream leaves the usage out of this answer.
  "logs-silent": { usage: false, events: 5 },
} as const;

type Keys = { readonly root: string; readonly user: string };
type Row = { readonly model_name: string; readonly quota: number; readonly other: string };

/** The token keys of this worker's product. Each worker process prepares its own product. */
let keys: Keys = { root: "", user: "" };

test.beforeAll(async ({ site }) => {
  keys = await prepare(site);
  await ask(site, keys.root, "logs-cached");
  await ask(site, keys.user, "logs-stream", true);
  await ask(site, keys.root, "logs-broken");
  await ask(site, keys.user, "logs-silent");
});

/** Makes prices, channels, tokens and scripts, once for each product. */
async function prepare(site: Site): Promise<Keys> {
  const { root, user } = site.api;
  for (const [model, script] of Object.entries(scripts)) {
    const address = `${site.upstream}/__demo/scripts/${model}`;
    await fetch(address, { method: "PUT", body: JSON.stringify(script) });
  }
  const names = Object.keys(scripts);
  const prices = [
    ["ModelRatio", 1.25],
    ["CompletionRatio", 4],
    ["CacheRatio", 0.5],
  ] as const;
  const options = (await root.call("GET", "/api/option/")) as { key: string; value: string }[];
  for (const [key, ratio] of prices) {
    const kept: object = JSON.parse(options.find((option) => option.key === key)?.value ?? "{}");
    const value = { ...kept, ...Object.fromEntries(names.map((name) => [name, ratio])) };
    await root.call("PUT", "/api/option/", { key, value: JSON.stringify(value) });
  }
  const found = (await root.call("GET", "/api/channel/search?keyword=logs-main")) as object[];
  if (found.length === 0) {
    const channel = { type: 1, key: "sk-x", base_url: site.upstream, group: "default", status: 1 };
    const models = names.join(",");
    await root.call("POST", "/api/channel/", { ...channel, name: "logs-main", models });
    const spare = { name: "logs-spare", models: "logs-broken", auto_ban: 0 };
    await root.call("POST", "/api/channel/", { ...channel, ...spare });
  }
  const { id, username } = user.user;
  await root.call("PUT", "/api/user/", { id, username, quota_delta: 1_000_000 });
  return { root: await tokenOf(root), user: await tokenOf(user) };
}

async function tokenOf(api: Site["api"]["root"]): Promise<string> {
  const fields = { name: "logs-token", expired_time: -1, remain_quota: 0, unlimited_quota: true };
  const { id } = (await api.call("POST", "/api/token/", fields)) as { id: number };
  const read = (await api.call("POST", `/api/token/${id}/key`)) as string | { key: string };
  const key = typeof read === "string" ? read : read.key;
  return key.startsWith("sk-") ? key : `sk-${key}`;
}

async function ask(site: Site, key: string, model: string, stream = false): Promise<void> {
  const answer = await fetch(`${site.origin}/v1/chat/completions`, {
    method: "POST",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    body: JSON.stringify({ model, stream, messages: [{ role: "user", content: "hi" }] }),
  });
  await answer.text();
}

const rowsOf = (page: Page) => page.locator("[data-row]");
const ofModel = (page: Page, model: string) => rowsOf(page).filter({ hasText: model });

/** Records the requests to the log's API that the page makes from now on. */
function watchCalls(page: Page): Request[] {
  const calls: Request[] = [];
  page.on("request", (request) => {
    if (new URL(request.url()).pathname.startsWith("/api/log")) calls.push(request);
  });
  return calls;
}

const queryOf = (call: Request | undefined): URLSearchParams =>
  new URL(call?.url() ?? "http://none/").searchParams;

test("O-030 O-398 O-399: the log opens with today up to an hour from now; a value of a row filters by it, and Back restores the list", async ({
  page,
}) => {
  const calls = watchCalls(page);
  await page.goto("/log");
  await expect(rowsOf(page).first()).toBeVisible();

  const midnight = await page.evaluate(() => new Date().setHours(0, 0, 0, 0) / 1_000);
  const list = calls.find((call) => new URL(call.url()).pathname === "/api/log/");
  expect(Number(queryOf(list).get("start_timestamp"))).toBe(midnight);
  const ahead = Number(queryOf(list).get("end_timestamp")) - Date.now() / 1_000;
  expect(Math.abs(ahead - 3_600)).toBeLessThan(60);
  expect(new URL(page.url()).search).toBe("");
  await expect(page.getByRole("button", { name: /^时间范围.*00:00/ })).toBeVisible();

  const inRow = rowsOf(page).getByRole("button", { name: "logs-cached", exact: true });
  await inRow.first().click();
  await expect(page).toHaveURL(/model_name=logs-cached/);
  await expect(ofModel(page, "logs-stream")).toHaveCount(0);
  await page.goBack();
  await expect(ofModel(page, "logs-stream")).not.toHaveCount(0);
});

test("O-394 O-395 O-400 O-401 O-402: each filter narrows the list, stands in the address, and can be cleared", async ({
  page,
  site,
}) => {
  const cases = [
    ["令牌", "token_name", "logs-token"],
    ["分组", "group", "nobody"],
    ["用户", "username", site.accounts.user.username],
    ["渠道", "channel", "999"],
  ] as const;
  await page.goto("/log");
  await expect(rowsOf(page).first()).toBeVisible();
  for (const [label, name, value] of cases) {
    // A typed text is the beginning of a name, which a final % says.
    const answer = page.waitForResponse(
      (response) => queryOf(response.request()).get(name)?.replace(/%$/, "") === value,
    );
    const field = page.getByRole("combobox", { name: label, exact: true });
    await field.click();
    await field.fill(value);
    await field.press("Enter");
    expect((await answer).ok()).toBe(true);
    await expect(page).toHaveURL(new RegExp(`[?&]${name}=${value}`));
  }
  await expect(rowsOf(page)).toHaveCount(0);
  await page.reload();
  const chips = page.getByRole("list", { name: "已启用的筛选" }).getByRole("listitem");
  for (const [, name, value] of cases) {
    await chips.filter({ hasText: value }).getByRole("button").click();
    await expect(page).not.toHaveURL(new RegExp(`[?&]${name}=`));
  }
  await expect(rowsOf(page).first()).toBeVisible();
  const model = page.getByRole("combobox", { name: "模型", exact: true });
  await model.click();
  await model.fill("logs-str");
  await model.press("Enter");
  await expect(page).toHaveURL(/model_name=logs-str/);
  await expect(ofModel(page, "logs-cached")).toHaveCount(0);
  await expect(ofModel(page, "logs-stream")).not.toHaveCount(0);
});

test("O-404–O-408 O-428 O-432: the type of rows is chosen from a list; root sees which channels were tried, and why a call failed", async ({
  page,
}) => {
  await page.goto("/log?model_name=logs-");
  await expect(ofModel(page, "logs-silent").first()).toContainText("本地统计");
  await page.getByRole("combobox", { name: "类型" }).click();
  await expect(page.getByRole("option")).toHaveText([
    "全部类型",
    "充值",
    "消费",
    "管理",
    "系统",
    "失败",
    "迁入",
  ]);
  await page.getByRole("option", { name: "失败" }).click();
  await expect(page).toHaveURL(/type=5/);
  await expect(ofModel(page, "logs-cached")).toHaveCount(0);
  await ofModel(page, "logs-broken").first().getByRole("button", { expanded: false }).click();
  await expect(page.getByText("调用失败，未计费")).toBeVisible();
  const path = page.getByRole("region", { name: "调用信息" }).getByRole("list", {
    name: "重试路径",
  });
  await expect.poll(() => path.getByRole("listitem").count()).toBeGreaterThan(1);
});

test("O-403: root filters by a key, which never stands in an address", async ({ page, site }) => {
  const requests: Request[] = [];
  page.on("request", (request) => requests.push(request));
  await page.goto("/log");
  await page.getByRole("button", { name: "按密钥" }).click();
  await page.getByLabel("令牌密钥", { exact: true }).fill(keys.user);
  const answer = page.waitForResponse((response) => response.url().endsWith("/api/log/new/"));
  await page.keyboard.press("Enter");
  expect((await answer).request().postDataJSON()).toMatchObject({ key: keys.user });
  await expect(ofModel(page, "logs-cached")).toHaveCount(0);
  await expect(ofModel(page, "logs-stream")).not.toHaveCount(0);
  await expect(page.getByText(site.accounts.root.username, { exact: true })).toHaveCount(0);

  expect(requests.filter((request) => request.url().includes(keys.user))).toEqual([]);
  const kept = await page.evaluate(
    () => location.href + JSON.stringify([localStorage, sessionStorage, history.state]),
  );
  expect(kept).not.toContain(keys.user.slice(3));
  await page.getByRole("button", { name: "取消按密钥筛选" }).click();
  await expect(ofModel(page, "logs-cached")).not.toHaveCount(0);
});

test("O-418–O-422: a click on a user's name shows the user", async ({ page, site }) => {
  await page.goto("/log?model_name=logs-stream");
  const { username } = site.accounts.user;
  await page.getByRole("button", { name: username, exact: true }).first().click();
  const dialog = page.getByRole("dialog");
  const { id } = site.api.user.user;
  const user = (await site.api.root.call("GET", `/api/user/${id}`)) as { request_count: number };
  await expect(dialog).toContainText(username);
  await expect(dialog).toContainText("剩余额度");
  await expect(dialog).toContainText("已用额度");
  await expect(dialog).toContainText(`请求次数${user.request_count}`);
  await page.keyboard.press("Escape");
  await expect(dialog).toHaveCount(0);
  expect(new URL(page.url()).searchParams.has("open")).toBe(false);
});

test("O-391 O-392 O-393 O-434 O-435: the summary covers the filtered rows; a row unfolded by keyboard shows the formula, whose result is the charge", async ({
  page,
  site,
}) => {
  const stat = page.waitForResponse((response) => response.url().includes("/api/log/stat"));
  await page.goto("/log?model_name=logs-cached");
  const { data } = (await (await stat).json()) as {
    data: { quota: number; rpm: number; tpm: number };
  };
  const { items } = (await site.api.root.call(
    "GET",
    "/api/log/?model_name=logs-cached&type=2&page_size=100",
  )) as { items: Row[] };
  expect(data.quota).toBe(items.reduce((sum, { quota }) => sum + quota, 0));
  const summary = page.locator("dl").filter({ hasText: "总费用" });
  await expect(summary).toContainText(String(data.rpm));
  await expect(summary).toContainText(data.tpm.toLocaleString("en-US"));
  await expect(summary.locator("[data-tip], [title]").nth(1)).toBeVisible();

  await expect(rowsOf(page).first()).toBeVisible();
  await page.keyboard.press("/");
  await expect(page.getByPlaceholder("模型，例如")).toBeFocused();
  const details = rowsOf(page).first().getByRole("button").first();
  for (let step = 0; step < 60; step += 1) {
    if (await details.evaluate((element) => element === document.activeElement)) break;
    await page.keyboard.press("Tab");
  }
  await expect(details).toBeFocused();
  await page.keyboard.press("Enter");
  const billing = page.getByRole("region", { name: "计费过程" });
  // 600 input tokens in full, 400 cached at half the price, 10 output tokens at four times it.
  await expect(billing).toContainText("(600 + 400 × 0.5 + 10 × 4) × 1.25 × 1 = 1,050");
  await expect(billing).toContainText("与费用一致");
  await expect(billing).toContainText(/价格版本 \d+/);
  await expect(page.getByRole("region", { name: "调用信息" })).toContainText("127.0.0.1");
  await expect(rowsOf(page).first()).toContainText("缓存 400");
  await page.reload();
  await expect(billing).toContainText("与费用一致");
});

test("the live tail shows and marks new rows, pauses, and stops while the tab is hidden", async ({
  page,
  site,
}) => {
  await ask(site, keys.root, "logs-cached");
  await page.goto("/log?model_name=logs-cached");
  await expect(rowsOf(page).first()).toBeVisible();
  const before = await rowsOf(page).count();
  await page.getByRole("button", { name: "实时" }).click();
  await expect(page.getByText("实时更新中")).toBeVisible();
  await ask(site, keys.root, "logs-cached");
  await expect(rowsOf(page)).toHaveCount(before + 1);
  await expect(rowsOf(page).first()).toContainText("新");
  await expect(rowsOf(page).nth(1)).not.toContainText("新");

  await hide(page, true);
  await expect(page.getByText("标签页隐藏，已停止")).toBeVisible();
  const calls = watchCalls(page);
  // Waits for longer than the 3 s between two reads of a visible tab, to show that nothing is read.
  await page.waitForTimeout(4_000);
  expect(calls.map((call) => call.url())).toEqual([]);
  await hide(page, false);
  await expect(page.getByText("实时更新中")).toBeVisible();
  await page.getByRole("button", { name: "暂停" }).click();
  await expect(page.getByText("实时更新中")).toHaveCount(0);
  await page.goto("/log?live=1&start=1&end=1000");
  await expect(page.getByText("时间范围已结束，不再更新")).toBeVisible();
});

/**
 * Makes the page believe that its tab is hidden or shown, because a browser without a window cannot
 * hide a tab.
 */
async function hide(page: Page, isHidden: boolean): Promise<void> {
  await page.evaluate((hidden) => {
    const value = hidden ? "hidden" : "visible";
    Object.defineProperty(document, "visibilityState", { configurable: true, value });
    document.dispatchEvent(new Event("visibilitychange"));
  }, isHidden);
}

test("the log with an open row is accessible and fits @every", async ({ page }) => {
  const faults = watchFaults(page);
  await page.goto("/log?model_name=logs-cached");
  await rowsOf(page).first().getByRole("button", { expanded: false }).click();
  await expect(page.locator("code").filter({ hasText: "1,050" }).first()).toBeVisible();
  await expectFitForAll(page);
  expect(faults).toEqual([]);
});

test.describe("an admin", () => {
  test.use({ as: "admin" });

  test("A-024 O-416 O-417 O-432: sees everybody's rows, users and channels, but not the tried channels", async ({
    page,
    site,
  }) => {
    await page.goto("/log?model_name=logs-");
    await expect(rowsOf(page).filter({ hasText: site.accounts.root.username })).not.toHaveCount(0);
    await expect(rowsOf(page).filter({ hasText: site.accounts.user.username })).not.toHaveCount(0);
    await expect(page.getByRole("columnheader", { name: "渠道", exact: true })).toBeVisible();
    await expect(page.getByRole("columnheader", { name: "用户 / IP" })).toBeVisible();
    await expect(page.getByRole("button", { name: "按密钥" })).toHaveCount(0);
    await expect(page.getByRole("list", { name: "重试路径" })).toHaveCount(0);
  });
});

test.describe("a user", () => {
  test.use({ as: "user" });

  test("A-013 O-413 O-445 O-446 O-447 O-481: sees own rows, without users and channels", async ({
    page,
    site,
  }) => {
    const calls = watchCalls(page);
    await page.goto(`/log?username=${site.accounts.root.username}&channel=1`);
    await expect(ofModel(page, "logs-stream").first()).toBeVisible();
    await expect(ofModel(page, "logs-cached")).toHaveCount(0);
    const heads = (await page.getByRole("columnheader").allInnerTexts()).join("|");
    expect(heads).toContain("客户端 IP");
    expect(heads).not.toMatch(/渠道|用户|重试/);
    await rowsOf(page).first().getByRole("button", { expanded: false }).click();
    await expect(page.getByText("与费用一致")).toBeVisible();
    const paths = new Set(calls.map((call) => new URL(call.url()).pathname));
    const foreign = [...paths].filter(
      (path) => !/^\/api\/log\/((self|charge)\/|texts$)/.test(path),
    );
    expect(foreign).toEqual([]);
    expect(calls.some((call) => queryOf(call).has("username"))).toBe(false);
  });
});
