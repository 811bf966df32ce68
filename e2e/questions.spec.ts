/**
 * Questions over many calls, each answered from the start page in at most four presses and without
 * typing an id.
 */

import type { Locator, Page } from "@playwright/test";
import { addSpender } from "./playground-scene.ts";
import {
  expect,
  expectAccessible,
  expectNoSidewaysScroll,
  type Site,
  test,
  watchFaults,
} from "./support.ts";

const dear = "ask-dear";
const cheap = "ask-cheap";
const broken = "ask-broken";
const cached = "ask-cached";
const slow = "ask-slow";

/** How often an agent calls one tool: more often than one that does not run in a circle. */
const loops = 14;

/** How the demo upstream answers a call of each model. */
const scripts = {
  [dear]: { promptTokens: 90_000, events: 10 },
  [cheap]: { promptTokens: 10, events: 2 },
  [broken]: { status: 500 },
  [cached]: { promptTokens: 10_000, cachedTokens: 7_500, events: 2 },
  [slow]: { promptTokens: 10, events: 20, hold: 10 },
} as const;

const pressesMax = 4;

let spender = "";
let spenderKey = "";

test.beforeAll(async ({ site }) => {
  const { root } = site.api;
  for (const [model, script] of Object.entries(scripts)) {
    const address = `${site.upstream}/__demo/scripts/${model}`;
    await fetch(address, { method: "PUT", body: JSON.stringify(script) });
  }
  const names = Object.keys(scripts);
  const options = (await root.call("GET", "/api/option/")) as { key: string; value: string }[];
  const kept: object = JSON.parse(options.find(({ key }) => key === "ModelRatio")?.value ?? "{}");
  const value = JSON.stringify({ ...kept, ...Object.fromEntries(names.map((name) => [name, 1])) });
  await root.call("PUT", "/api/option/", { key: "ModelRatio", value });
  const made = (await root.call("GET", "/api/channel/search?keyword=ask-main")) as object[];
  if (made.length === 0) {
    const channel = { type: 1, key: "sk-x", base_url: site.upstream, group: "default", status: 1 };
    const models = names.join(",");
    await root.call("POST", "/api/channel/", { ...channel, name: "ask-main", models, auto_ban: 0 });
  }
  spender = `ask-${Date.now() % 1_000_000}`;
  const api = await addSpender(site, spender, 5_000_000);
  const fields = { name: "ask-key", expired_time: -1, remain_quota: 0, unlimited_quota: true };
  const { id } = (await api.call("POST", "/api/token/", fields)) as { id: number };
  const { key } = (await api.call("POST", `/api/token/${id}/key`)) as { key: string };
  spenderKey = `sk-${key.replace(/^sk-/, "")}`;
  for (const model of [cheap, dear, cheap, broken]) await ask(site, spenderKey, model);
  for (const model of [cheap, dear]) await ask(site, await otherKey(site), model, batch);
  await ask(site, await otherKey(site), cached);
  await loop(site, await otherKey(site));
});

const batch = { headers: { "x-tollgate-tag-batch": "" } };

/** A key of another user: the questions about the first one count that user's calls. */
async function otherKey(site: Site): Promise<string> {
  const api = await addSpender(site, `too-${Date.now() % 10_000_000}`, 5_000_000);
  const fields = { name: "ask-other", expired_time: -1, remain_quota: 0, unlimited_quota: true };
  const { id } = (await api.call("POST", "/api/token/", fields)) as { id: number };
  const { key } = (await api.call("POST", `/api/token/${id}/key`)) as { key: string };
  return `sk-${key.replace(/^sk-/, "")}`;
}

/** An agent that calls the same tool over and over. */
async function loop(site: Site, key: string): Promise<void> {
  const call = { id: "c", type: "function", function: { name: "ask-again", arguments: "{}" } };
  const tools = [{ type: "function", function: { name: "ask-again", parameters: {} } }];
  const messages: object[] = [{ role: "user", content: "hi" }];
  for (let turn = 0; turn <= loops; turn += 1) {
    await ask(site, key, cheap, { headers: { "x-session-id": "a loop" }, messages, tools });
    messages.push({ role: "assistant", content: null, tool_calls: [call] });
    messages.push({ role: "tool", tool_call_id: "c", content: "the same" });
  }
}

type Asked = {
  readonly headers?: Readonly<Record<string, string>>;
  readonly messages?: readonly object[];
  readonly tools?: readonly object[];
  readonly stream?: boolean;
};

async function ask(site: Site, key: string, model: string, given: Asked = {}): Promise<string> {
  const { headers = {}, messages = [{ role: "user", content: "hi" }], ...more } = given;
  const answer = await fetch(`${site.origin}/v1/chat/completions`, {
    method: "POST",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json", ...headers },
    body: JSON.stringify({ model, messages, ...more }),
  });
  return await answer.text();
}

/** Opens the start page. Returns a function that presses something, at most four times. */
async function begin(page: Page): Promise<(what: Locator) => Promise<void>> {
  await page.goto("/start");
  await expect(page.getByRole("heading", { level: 1 })).toBeVisible();
  let presses = 0;
  return async (what) => {
    presses += 1;
    expect(presses, "the presses of a question").toBeLessThanOrEqual(pressesMax);
    await what.click();
  };
}

const menu = (page: Page, path: string): Locator => page.locator(`nav a[href$="${path}"]`).first();
const rows = (page: Page): Locator => page.locator("[data-row]");

test("which call was the dearest?", async ({ page }) => {
  const press = await begin(page);
  await press(menu(page, "/log"));
  await press(page.getByRole("columnheader", { name: "费用" }).getByRole("button"));
  await expect(page).toHaveURL(/sort=-?quota/);
  if (!page.url().includes("sort=-quota")) {
    await press(page.getByRole("columnheader", { name: "费用" }).getByRole("button"));
  }
  await expect(rows(page).first()).toContainText(dear);
});

test("which user costs most?", async ({ page }) => {
  const press = await begin(page);
  await press(menu(page, "/log"));
  await press(page.getByRole("combobox", { name: "划分方式" }));
  await press(page.getByRole("option", { name: "用户" }));
  await press(page.getByRole("button", { name: "表格" }));
  const table = page.getByRole("region", { name: "调用随时间的变化" });
  await expect(table.getByRole("columnheader").filter({ hasText: spender })).toBeVisible();
});

test("what fails, and why? The reasons name how many calls and one of them", async ({ page }) => {
  const faults = watchFaults(page);
  const press = await begin(page);
  await press(menu(page, "/log"));
  await press(page.getByRole("button", { name: "原因" }));
  const reasons = page.getByRole("region", { name: "按原因统计的失败和中断" });
  const reason = reasons.getByRole("row").filter({ hasText: broken }).first();
  await expect(reason).toBeVisible();
  await expectAccessible(page);
  await press(reason.getByRole("button").first());
  await expect(page).toHaveURL(/ending=failed/);
  await expect(rows(page).first()).toContainText(broken);
  expect(faults).toEqual([]);
});

test("which channel fails, and why? Each reason names the channels with most of its calls", async ({
  page,
}) => {
  const press = await begin(page);
  await press(menu(page, "/log"));
  await press(page.getByRole("button", { name: "原因" }));
  const reasons = page.getByRole("region", { name: "按原因统计的失败和中断" });
  const reason = reasons.getByRole("row").filter({ hasText: broken }).first();
  await press(reason.getByRole("button", { name: "ask-main" }));
  await expect(page).toHaveURL(/channel=\d+/);
  await expect(page).toHaveURL(/ending=failed/);
  await expect(rows(page).first()).toContainText(broken);
});

test("what failed for one user? The filter lists users with their calls", async ({ page }) => {
  const press = await begin(page);
  await press(menu(page, "/log"));
  await press(page.getByRole("button", { name: "原因" }));
  await press(page.getByRole("combobox", { name: "用户" }));
  await press(page.getByRole("option", { name: new RegExp(`${spender}.*4 次调用`) }));
  const reasons = page.getByRole("region", { name: "按原因统计的失败和中断" });
  await expect(reasons.getByRole("row")).toHaveCount(2);
});

test("which key costs most in some hours? Dragging over the chart sets the time", async ({
  page,
}) => {
  const press = await begin(page);
  await press(menu(page, "/log"));
  await press(page.getByRole("combobox", { name: "划分方式" }));
  await press(page.getByRole("option", { name: "令牌" }));
  const chart = page.getByRole("img", { name: /调用随时间的变化/ });
  await expect(chart.locator("canvas")).toBeVisible();
  // The chart may still move while what stands above it is read.
  await expect(async () => {
    const box = await chart.boundingBox();
    if (box === null) throw new Error("the chart has no place");
    await page.mouse.move(box.x + box.width * 0.4, box.y + box.height / 2);
    await page.mouse.down();
    await page.mouse.move(box.x + box.width * 0.7, box.y + box.height / 2, { steps: 5 });
    await page.mouse.up();
    await expect(page).toHaveURL(/start=\d+/, { timeout: 2_000 });
  }).toPass();
  await expect(page).toHaveURL(/end=\d+/);
});

test("what did the calls with the tag “batch” cost, by model?", async ({ page }) => {
  const press = await begin(page);
  await press(menu(page, "/log"));
  await press(page.getByRole("combobox", { name: "标签" }));
  await press(page.getByRole("option", { name: /^batch/ }));
  await expect(page).toHaveURL(/tag=batch/);
  await expect(rows(page).filter({ hasText: dear })).not.toHaveCount(0);
  await expect(rows(page).filter({ hasText: cheap })).not.toHaveCount(0);
  await press(page.getByRole("button", { name: "表格" }));
  const table = page.getByRole("region", { name: "调用随时间的变化" });
  await expect(table.getByRole("columnheader").filter({ hasText: dear })).toBeVisible();
  await expect(table.getByRole("columnheader").filter({ hasText: cheap })).toBeVisible();
  await expectAccessible(page);
});

test("which agent ran in a circle? Conversations are listed with the tool that they repeat", async ({
  page,
}) => {
  const press = await begin(page);
  await press(menu(page, "/log"));
  await press(page.getByRole("combobox", { name: "对话" }));
  await press(page.getByRole("option", { name: new RegExp(`ask-again × ${loops}`) }).first());
  await expect(page).toHaveURL(/conversation_id=\d+/);
  await expect(rows(page)).toHaveCount(loops + 1);
});

test("what did caches have of a model's input before and after a day?", async ({ page }) => {
  const press = await begin(page);
  await press(menu(page, "/detail"));
  await press(page.getByRole("button", { name: "近 7 天" }));
  const caches = page.getByRole("region", { name: "按天" });
  await press(page.getByRole("group", { name: "分组方式" }).getByRole("button", { name: "按天" }));
  await expect(caches.getByRole("columnheader").filter({ hasText: cached })).toBeVisible();
  await expect(caches.getByRole("row").last()).toContainText("75%");
});

test("which calls run for long? The longest is stopped from its row", async ({ page, site }) => {
  const key = await otherKey(site);
  const call = ask(site, key, slow, { stream: true });
  const press = await begin(page);
  await press(menu(page, "/live"));
  const row = page.getByRole("row").filter({ hasText: slow });
  await expect(row).toHaveCount(1);
  await press(row.getByRole("button", { name: /^停止/ }).first());
  await press(page.getByRole("dialog").getByRole("button", { name: "停止" }));
  expect(await call).toContain("call_stopped");
});

test("why is my balance lower than yesterday?", async ({ page, site, enter }) => {
  const api = await addSpender(site, `why-${Date.now() % 1_000_000}`, 1_000_000);
  await enter(api);
  const press = await begin(page);
  await press(page.locator('a[href*="/topup"]').filter({ hasText: "$" }).first());
  const story = page.getByRole("table", { name: /为什么是/ });
  await expect(story).toBeVisible();
  await expect(story.getByRole("row").last()).toContainText("$2.00");
  // Nothing stands higher than the balance now: its bar has all the room beside names and amounts.
  const [table, bar] = await Promise.all([
    story.boundingBox(),
    story.getByRole("row").last().locator("td[aria-hidden] span").boundingBox(),
  ]);
  expect(bar?.width ?? 0).toBeGreaterThan((table?.width ?? Infinity) / 2);
  const name = await story.getByRole("rowheader").last().boundingBox();
  expect(name?.width ?? 0).toBeGreaterThan(150);
  await expect(page.getByText(/余额能用多久：数据太少/)).toBeVisible();
  await expectAccessible(page);
  await expectNoSidewaysScroll(page);
});

test("a saved view has the chart as well, and is there on another device", async ({
  page,
  browser,
  site,
}) => {
  await page.goto("/log?by=channel&measure=failures");
  await page.getByRole("button", { name: "已存视图" }).click();
  await page.getByRole("textbox", { name: "视图名称" }).fill("错误");
  await page.getByRole("button", { name: "保存当前视图" }).click();
  await expect(page.getByRole("heading", { name: "我的视图" })).toBeVisible();
  const other = await browser.newContext({
    baseURL: site.origin,
    storageState: await page.context().storageState(),
  });
  const second = await other.newPage();
  await second.goto("/log");
  await second.getByRole("button", { name: "已存视图" }).click();
  await second.getByRole("button", { name: "错误", exact: true }).last().click();
  await expect(second).toHaveURL(/measure=failures/);
  await other.close();
});

test("the rows are exported as lines of JSON, all that the list has", async ({ page }) => {
  await page.goto(`/log?model_name=${cheap}&size=100`);
  await expect(rows(page).first()).toContainText(cheap);
  const count = await rows(page).count();
  const download = page.waitForEvent("download");
  await page.getByRole("button", { name: "导出为 JSON 行" }).click();
  const file = await (await download).createReadStream();
  let text = "";
  for await (const part of file) text += String(part);
  const lines = text
    .trim()
    .split("\n")
    .map((line): unknown => JSON.parse(line));
  expect(lines).toHaveLength(count);
});
