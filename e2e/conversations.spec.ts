import type { Locator, Page } from "@playwright/test";
import { expect, expectFitForAll, type Site, test, watchFaults } from "./support.ts";

/** The model that clients name, and its names at the upstream of each channel. */
const model = "turns-model";
const upstreams = ["turns-one", "turns-two"] as const;

/** 9,000 of 10,000 tokens of each prompt are in the cache. */
const warm = { promptTokens: 10_000, cachedTokens: 9_000, events: 5 };
const cold = { promptTokens: 10_000, cachedTokens: 0, events: 5 };

async function script(site: Site, name: string, how: object): Promise<void> {
  const address = `${site.upstream}/__demo/scripts/${name}`;
  await fetch(address, { method: "PUT", body: JSON.stringify(how) });
}

type Root = Site["api"]["root"];

async function prepare(site: Site): Promise<string> {
  const { root } = site.api;
  for (const name of upstreams) await script(site, name, warm);
  const options = (await root.call("GET", "/api/option/")) as { key: string; value: string }[];
  for (const [key, ratio] of [
    ["ModelRatio", 1.25],
    ["CacheRatio", 0.1],
  ] as const) {
    const kept: object = JSON.parse(options.find((option) => option.key === key)?.value ?? "{}");
    const value = JSON.stringify({ ...kept, [model]: ratio });
    await root.call("PUT", "/api/option/", { key, value });
  }
  const found = (await root.call("GET", "/api/channel/search?keyword=turns-")) as object[];
  for (const name of found.length > 0 ? [] : upstreams) {
    await root.call("POST", "/api/channel/", {
      type: 1,
      key: "sk-x",
      base_url: site.upstream,
      group: "default",
      status: 1,
      name,
      models: model,
      model_mapping: JSON.stringify({ [model]: name }),
      auto_ban: 0,
    });
  }
  return await tokenOf(root);
}

async function tokenOf(api: Root): Promise<string> {
  const fields = { name: "turns-token", expired_time: -1, remain_quota: 0, unlimited_quota: true };
  const { id } = (await api.call("POST", "/api/token/", fields)) as { id: number };
  const read = (await api.call("POST", `/api/token/${id}/key`)) as string | { key: string };
  const key = typeof read === "string" ? read : read.key;
  return key.startsWith("sk-") ? key : `sk-${key}`;
}

const text = "word ".repeat(10_000);

async function ask(site: Site, key: string, session: string): Promise<void> {
  const messages = [
    { role: "user", content: text },
    { role: "assistant", content: "an answer" },
    { role: "user", content: "and now?" },
  ];
  const answer = await fetch(`${site.origin}/v1/chat/completions`, {
    method: "POST",
    headers: {
      authorization: `Bearer ${key}`,
      "content-type": "application/json",
      "x-session-id": session,
    },
    body: JSON.stringify({ model, messages }),
  });
  expect(answer.status, await answer.text()).toBe(200);
}

type Row = { readonly conversation_id: number; readonly other: string };

/** A conversation whose third turn had to leave the channel that has its prompt in its cache. */
async function talk(site: Site, key: string, session: string): Promise<number> {
  const { root } = site.api;
  await ask(site, key, session);
  await ask(site, key, session);
  const path = `/api/log/?type=2&model_name=${model}&page_size=1`;
  const { items } = (await root.call("GET", path)) as { items: Row[] };
  const row = items[0];
  const home = upstreams.find((name) => row?.other.includes(name) === true) ?? upstreams[0];
  for (const name of upstreams) await script(site, name, name === home ? { status: 500 } : cold);
  await ask(site, key, session);
  for (const name of upstreams) await script(site, name, warm);
  return row?.conversation_id ?? 0;
}

let key = "";
test.beforeAll(async ({ site }) => {
  key = await prepare(site);
});

/** Counts what a person presses. */
function presser() {
  let count = 0;
  return {
    count: () => count,
    async press(target: ReturnType<Page["getByRole"]>) {
      count += 1;
      await target.click();
    },
  };
}

test("“why was this turn dear?” is answered in at most four presses from the log", async ({
  page,
  site,
}) => {
  await talk(site, key, `dear ${Date.now()}`);
  const faults = watchFaults(page);
  const { count, press } = presser();
  await page.goto("/log");
  const rows = page.locator("[data-row]").filter({ hasText: model });
  await press(rows.first().getByRole("button", { expanded: false }));
  const facts = page.getByRole("region", { name: "调用信息" });
  await expect(facts).toContainText("换位损失");
  await expect(facts).toContainText("原位置调用失败");
  await press(facts.getByRole("link", { name: "查看全部轮次" }));
  await expect(page).toHaveURL(/\/conversation\?id=/);
  const turns = page.getByRole("list", { name: "轮次" }).getByRole("listitem");
  await expect(turns).toHaveCount(3);
  await expect(turns.nth(1)).toContainText("缓存 90%");
  await expect(turns.nth(2)).toContainText("缓存 0%");
  await expect(turns.nth(2)).toContainText("换位损失");
  await expect(turns.nth(1)).not.toContainText("换位损失");
  expect(count()).toBeLessThanOrEqual(4);
  await expectFitForAll(page);
  await turns.nth(2).getByRole("link", { name: "第 3 轮" }).focus();
  await page.keyboard.press("Enter");
  await expect(page).toHaveURL(/\/log\?/);
  await expect(page.getByRole("region", { name: "调用信息" })).toContainText("换位损失");
  expect(faults).toEqual([]);
});

test("a link shows a conversation to somebody who is not signed in, without names, until it is revoked", async ({
  browser,
  page,
  site,
}) => {
  const id = await talk(site, key, `shared ${Date.now()}`);
  await page.goto(`/conversation?id=${id}`);
  await page.getByRole("button", { name: "创建链接" }).click();
  const link = await page.getByRole("textbox", { name: "链接" }).inputValue();
  expect(link).toMatch(/\/shared#[0-9A-Za-z]{40}$/);
  const context = await browser.newContext({ locale: "zh-CN" });
  const other = await context.newPage();
  await other.goto(link);
  await expect(other.getByRole("list", { name: "轮次" }).getByRole("listitem")).toHaveCount(3);
  await expect(other.locator("body")).not.toContainText("turns-token");
  await expect(other.locator("body")).not.toContainText(site.accounts.root.username);
  await expectFitForAll(other);
  await page.getByRole("button", { name: "撤销" }).click();
  await expect(page.getByRole("button", { name: "撤销" })).toHaveCount(0);
  await other.reload();
  await expect(other.getByRole("alert")).toContainText("链接不存在或已过期");
  await context.close();
});

test("the dashboard says what caches had and what moves cost, by model, key, user and channel", async ({
  page,
  site,
}) => {
  await talk(site, key, `summed ${Date.now()}`);
  await page.goto("/detail");
  const table = page.getByRole("region", { name: "模型", exact: true });
  await expect(table.getByRole("row").filter({ hasText: model })).toContainText("%");
  await page.getByRole("button", { name: "渠道", exact: true }).click();
  const channels = page.getByRole("region", { name: "渠道", exact: true });
  await expect(channels.getByRole("row").filter({ hasText: "turns-" })).not.toHaveCount(0);
});

/** Goes on by Tab until this element has the focus; whoever has no mouse reaches it so. */
async function tabTo(page: Page, target: Locator): Promise<void> {
  await expect(target).toBeVisible();
  for (let steps = 0; steps < 150; steps += 1) {
    if (await target.evaluate((element) => element === document.activeElement)) return;
    await page.keyboard.press("Tab");
  }
  throw new Error("the keyboard does not lead there");
}

test("by keyboard alone: from the log to why a turn was dear, why its channel was taken, its conversation and back", async ({
  page,
  site,
}) => {
  await talk(site, key, `keyed ${Date.now()}`);
  const faults = watchFaults(page);
  await page.goto("/log");
  const row = page.locator("[data-row]").filter({ hasText: model }).first();
  await tabTo(page, row.getByRole("button", { expanded: false }));
  await page.keyboard.press("Enter");
  const facts = page.getByRole("region", { name: "调用信息" });
  await expect(facts).toContainText("原位置调用失败");
  await expect(facts).toContainText("换位损失");
  const why = facts.getByRole("list", { name: "为何选择此渠道" }).getByRole("listitem");
  await expect(why.filter({ hasText: "已选用" })).toHaveCount(1);
  await expect(why.filter({ hasText: "已尝试并失败" })).toHaveCount(1);

  await tabTo(page, facts.getByRole("link", { name: "查看全部轮次" }));
  await page.keyboard.press("Enter");
  await expect(page).toHaveURL(/\/conversation\?id=/);
  const turns = page.getByRole("list", { name: "轮次" }).getByRole("listitem");
  await expect(turns).toHaveCount(3);
  await tabTo(page, page.getByRole("button", { name: "创建链接" }));
  await page.keyboard.press("Enter");
  await expect(page.getByRole("textbox", { name: "链接" })).toHaveValue(/\/shared#/);
  await tabTo(page, page.getByRole("button", { name: "撤销" }));
  await page.keyboard.press("Enter");
  await expect(page.getByRole("button", { name: "撤销" })).toHaveCount(0);
  await tabTo(page, turns.nth(2).getByRole("link", { name: "第 3 轮" }));
  await page.keyboard.press("Enter");
  await expect(page).toHaveURL(/\/log\?/);
  await expect(facts).toContainText("换位损失");
  await page.goBack();
  await expect(turns).toHaveCount(3);
  expect(faults).toEqual([]);
});

test("by keyboard alone: a channel's limits of each key are set, refused where they are wrong, and kept", async ({
  page,
  site,
}) => {
  const { root } = site.api;
  const found = (await root.call("GET", "/api/channel/search?keyword=turns-one")) as Channel[];
  const id = found[0]?.id ?? 0;
  await page.goto("/channel?keyword=turns-one");
  await tabTo(
    page,
    page.getByRole("row").filter({ hasText: "turns-one" }).getByRole("button", { name: /编辑/ }),
  );
  await page.keyboard.press("Enter");
  const sheet = page.getByRole("dialog", { name: "编辑渠道：turns-one" });
  await expect(sheet).toBeVisible();
  await expect(sheet).toContainText("该渠道正在使用");
  await tabTo(page, sheet.getByRole("button", { name: "高级", expanded: false }));
  await page.keyboard.press("Enter");
  const limits = [
    ["每个密钥的并发数", "40"],
    ["每个密钥每分钟请求数", "-1"],
    ["每个密钥每分钟 Token 数", "9000000"],
  ] as const;
  for (const [label, value] of limits) {
    await tabTo(page, sheet.getByLabel(label));
    await page.keyboard.type(value);
  }
  await page.keyboard.press("Control+Enter");
  await expect(sheet.getByText("上限必须是不小于 0 的整数。")).toBeVisible();
  await expect(sheet.getByLabel("每个密钥每分钟请求数")).toBeFocused();
  await page.keyboard.press("ControlOrMeta+a");
  await page.keyboard.type("600");
  await expectFitForAll(page);
  await page.keyboard.press("Control+Enter");
  await expect(sheet).toHaveCount(0);
  const kept = (await root.call("GET", `/api/channel/${id}`)) as Channel;
  expect(JSON.parse(kept.setting)).toMatchObject({
    key_limits: { calls: 40, requests: 600, tokens: 9_000_000 },
  });
});

type Channel = { readonly id: number; readonly setting: string };
