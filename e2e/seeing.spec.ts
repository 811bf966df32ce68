/**
 * What is shown of many calls, in each of its states, can be used by everybody: in both languages and
 * themes, on a phone, and where scrollbars take room.
 */

import type { Locator, Page } from "@playwright/test";
import {
  expect,
  expectAccessible,
  expectFitForAll,
  expectNoSidewaysScroll,
  expectTranslated,
  type Site,
  test,
  watchFaults,
} from "./support.ts";

const good = "see-good";
const bad = "see-bad";
const slow = "see-slow";

/** How the demo upstream answers a call of each model. */
const scripts = {
  [good]: { promptTokens: 9_000, cachedTokens: 6_000, events: 5 },
  [bad]: { status: 500 },
  [slow]: { promptTokens: 20, events: 20, hold: 5 },
} as const;

const tagged = { "x-tollgate-tag-batch": "", "x-tollgate-tag-customer": "acme" };

let key = "";

test.beforeAll(async ({ site }) => {
  const { root } = site.api;
  for (const [model, script] of Object.entries(scripts)) {
    const address = `${site.upstream}/__demo/scripts/${model}`;
    await fetch(address, { method: "PUT", body: JSON.stringify(script) });
  }
  const names = Object.keys(scripts);
  const options = (await root.call("GET", "/api/option/")) as { key: string; value: string }[];
  const kept: object = JSON.parse(options.find((one) => one.key === "ModelRatio")?.value ?? "{}");
  const value = JSON.stringify({ ...kept, ...Object.fromEntries(names.map((name) => [name, 1])) });
  await root.call("PUT", "/api/option/", { key: "ModelRatio", value });
  const made = (await root.call("GET", "/api/channel/search?keyword=see-main")) as object[];
  if (made.length === 0) {
    const channel = { type: 1, key: "sk-x", base_url: site.upstream, group: "default", status: 1 };
    const models = names.join(",");
    await root.call("POST", "/api/channel/", { ...channel, name: "see-main", models, auto_ban: 0 });
  }
  const fields = { name: "see-key", expired_time: -1, remain_quota: 0, unlimited_quota: true };
  const { id } = (await root.call("POST", "/api/token/", fields)) as { id: number };
  key = `sk-${((await root.call("POST", `/api/token/${id}/key`)) as { key: string }).key.replace(/^sk-/, "")}`;
  for (const model of [good, bad, good]) await ask(site, model);
});

type Asked = { readonly stream?: boolean; readonly messages?: readonly object[] };

const hi = { role: "user", content: "hi" };

/** Makes a call of one conversation, with tags. Returns what its client gets. */
async function ask(site: Site, model: string, { messages = [hi], ...more }: Asked = {}) {
  const answer = await fetch(`${site.origin}/v1/chat/completions`, {
    method: "POST",
    headers: {
      authorization: `Bearer ${key}`,
      "content-type": "application/json",
      "x-session-id": "seen",
      ...tagged,
    },
    body: JSON.stringify({ model, messages, ...more }),
  });
  return await answer.text();
}

/**
 * While the list of a field is open, screen readers are told of the field and the list alone: the page
 * around them, with its heading and its landmarks, is hidden from them, though it is not from the mouse.
 */
const listIsOpen = ["aria-hidden-focus", "page-has-heading-one", "region"];

/** As `expectFitForAll`, for pages whose network is never idle, or with a list open. */
async function expectFit(page: Page, except: readonly string[] = []): Promise<void> {
  await expectNoSidewaysScroll(page);
  await expectTranslated(page);
  await expectAccessible(page, except);
}

const button = (page: Page, name: RegExp): Locator => page.getByRole("button", { name });

/** On a phone the filters are in a sheet. */
async function openFilters(page: Page): Promise<void> {
  const sheet = button(page, /^(筛选|Filters)/);
  if (await sheet.isVisible()) await sheet.click();
}

/** On a phone the tools of a list are in a menu. */
async function openViews(page: Page): Promise<void> {
  const name = /^(已存视图|Saved views)$/;
  if (await button(page, name).isVisible()) {
    await button(page, name).click();
    return;
  }
  await button(page, /^(列表菜单|List menu)$/).click();
  await page.getByRole("menuitem", { name }).click();
}

/** On a phone what is done with a row is in its menu. */
async function stopFirst(page: Page): Promise<void> {
  const stop = button(page, /^(停止|Stop)/);
  if ((await stop.count()) > 0) {
    await stop.first().click();
    return;
  }
  await button(page, /更多操作|More actions/)
    .first()
    .click();
  await page
    .getByRole("menuitem", { name: /^(停止|Stop)/ })
    .first()
    .click();
}

test("the log with its chart, as a table and by reasons, is accessible and fits @every", async ({
  page,
}) => {
  const faults = watchFaults(page);
  await page.goto("/log?model_name=see-");
  await expect(page.locator("[data-row]").first()).toBeVisible();
  // On a phone the rows come first.
  const chart = button(page, /^(图表|Chart)$/);
  if ((await page.locator("canvas").count()) === 0) await chart.first().click();
  await expect(page.locator("canvas")).toBeVisible();
  await expectFitForAll(page);
  for (const [name, title] of [
    [/^(表格|Table)$/, good],
    [/^(原因|Reasons)$/, bad],
  ] as const) {
    await button(page, name).click();
    await expect(page.getByRole("table").filter({ hasText: title }).first()).toBeVisible();
    await expectFitForAll(page);
  }
  await page.goto("/log?model_name=see-&by=reason&measure=failures&answer=chart");
  await expect(page.locator("canvas")).toBeVisible();
  await expectFitForAll(page);
  expect(faults).toEqual([]);
});

test("a filter with the counts of its values, open, is accessible and fits @every", async ({
  page,
}) => {
  const faults = watchFaults(page);
  for (const [name, option] of [
    [/^(标签|Tag)$/, /^batch/],
    [/^(对话|Conversation)$/, /./],
    [/^(结束方式|Ending)$/, /500/],
  ] as const) {
    await page.goto("/log?model_name=see-");
    await expect(page.locator("[data-row]").first()).toBeVisible();
    await openFilters(page);
    await page.getByRole("combobox", { name }).click();
    await expect(page.getByRole("option", { name: option }).first()).toBeVisible();
    await expectFit(page, listIsOpen);
    // Nothing that is hidden from screen readers meanwhile can be reached.
    await page.keyboard.press("Tab");
    await expect(page.getByRole("option")).toHaveCount(0);
    const isHidden = await page.evaluate(
      () => document.activeElement?.closest("[aria-hidden=true]") !== null,
    );
    expect(isHidden).toBe(false);
  }
  expect(faults).toEqual([]);
});

test("the menu of saved views, with views of one's own and of everybody, is accessible and fits @every", async ({
  page,
  site,
}) => {
  const faults = watchFaults(page);
  const search = { model_name: good };
  const view = { list: "logs", search, columns: null };
  await site.api.root.call("POST", "/api/view/", { ...view, name: "my calls", shared: false });
  await site.api.root.call("POST", "/api/view/", { ...view, name: "all calls", shared: true });
  await page.goto("/log?model_name=see-");
  await expect(page.locator("[data-row]").first()).toBeVisible();
  await openViews(page);
  await expect(page.getByText("my calls")).toBeVisible();
  await expect(page.getByText("all calls")).toBeVisible();
  await expectFitForAll(page);
  expect(faults).toEqual([]);
});

test("a conversation, and what others see of it, are accessible and fit @every", async ({
  browser,
  page,
  site,
}, { project }) => {
  const path = `/api/log/?type=2&model_name=${good}&page_size=1`;
  const { items } = (await site.api.root.call("GET", path)) as {
    items: readonly { readonly conversation_id: number }[];
  };
  await page.goto(`/conversation?id=${items[0]?.conversation_id ?? 0}`);
  await expect(page.getByRole("list", { name: /^(轮次|Turns)$/ })).toBeVisible();
  await button(page, /^(创建链接|Create a? ?link)$/).click();
  const link = await page.getByRole("textbox", { name: /^(链接|Link)$/ }).inputValue();
  await expectFitForAll(page);
  const { viewport, locale, colorScheme, hasTouch, isMobile } = project.use;
  const visitor = { cookies: [], origins: [] };
  const seen = { viewport, locale, colorScheme, hasTouch, isMobile, storageState: visitor };
  const context = await browser.newContext(
    Object.fromEntries(Object.entries(seen).filter(([, value]) => value !== undefined)),
  );
  const other = await context.newPage();
  await other.goto(link);
  await expect(other.getByRole("list", { name: /^(轮次|Turns)$/ })).toBeVisible();
  await expectFitForAll(other);
  await context.close();
});

test("running calls, and the question before one is stopped, are accessible and fit @every", async ({
  page,
  site,
}) => {
  const faults = watchFaults(page);
  const call = ask(site, slow, { stream: true });
  await page.goto(`/live?model_name=${slow}`);
  await expect(page.getByText(slow).first()).toBeVisible();
  await expectFit(page);
  await stopFirst(page);
  await expect(page.getByRole("dialog")).toBeVisible();
  await expectFit(page);
  await site.api.root.call("POST", "/api/live/stop", { model_name: slow });
  await call;
  expect(faults).toEqual([]);
});
