import type { Page } from "@playwright/test";
import type { Api } from "./product.ts";
import { addSpender } from "./playground-scene.ts";
import {
  expect,
  expectFitForAll,
  expectNoSidewaysScroll,
  type Site,
  test,
  watchFaults,
} from "./support.ts";

const longName = "dash-accounts-fireworks-qwen3-235b-a22b-2507";

/** Models with a price of their own: three answer, one channel of the third refuses the key. */
const models = ["dash-dear", "dash-cheap", "dash-dead", longName] as const;

async function prepare(site: Site): Promise<void> {
  const { root } = site.api;
  const script = (tokens: number) => JSON.stringify({ promptTokens: tokens, events: 5 });
  for (const [place, model] of models.entries()) {
    const address = `${site.upstream}/__demo/scripts/${model}`;
    await fetch(address, { method: "PUT", body: script(place === 0 ? 90_000 : 100) });
  }
  const options = (await root.call("GET", "/api/option/")) as { key: string; value: string }[];
  const ratios = JSON.parse(options.find(({ key }) => key === "ModelRatio")?.value ?? "{}");
  const value = { ...ratios, ...Object.fromEntries(models.map((model) => [model, 1])) };
  await root.call("PUT", "/api/option/", { key: "ModelRatio", value: JSON.stringify(value) });
  // The product outlives its journeys, so an earlier one may have prepared it already.
  const made = (await root.call("GET", "/api/channel/search?keyword=dash-")) as object[];
  if (made.length > 0) return;
  const channel = { type: 1, base_url: site.upstream, group: "default", status: 1 };
  const alive = { name: "dash-alive", key: "sk-x", models: `dash-dear,dash-cheap,${longName}` };
  await root.call("POST", "/api/channel/", { ...channel, ...alive });
  // The demo upstream refuses this key.
  const dying = { name: "dash-dying", key: "sk-demo-bad", models: "dash-dead" };
  await root.call("POST", "/api/channel/", { ...channel, ...dying });
}

async function spender(site: Site, name: string): Promise<{ api: Api; key: string }> {
  const api = await addSpender(site, name, 5_000_000);
  const fields = { name: "dash-key", expired_time: -1, remain_quota: 0, unlimited_quota: true };
  const { id } = (await api.call("POST", "/api/token/", fields)) as { id: number };
  const { key } = (await api.call("POST", `/api/token/${id}/key`)) as { key: string };
  return { api, key: `sk-${key.replace(/^sk-/, "")}` };
}

async function ask(site: Site, key: string, model: string): Promise<number> {
  const answer = await fetch(`${site.origin}/v1/chat/completions`, {
    method: "POST",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    body: JSON.stringify({ model, messages: [{ role: "user", content: "hi" }] }),
  });
  await answer.text();
  return answer.status;
}

const cardOf = (page: Page, title: string) =>
  page.getByRole("heading", { name: title, exact: true }).locator("xpath=../../..");

test("a user finds the day's most expensive call from the dashboard in three clicks, and reads how it was charged", async ({
  enter,
  page,
  site,
}) => {
  await prepare(site);
  const { api, key } = await spender(site, "dashuser");
  for (const model of ["dash-cheap", "dash-dear", "dash-cheap"]) {
    expect(await ask(site, key, model)).toBe(200);
  }
  const faults = watchFaults(page);
  await enter(api);
  await page.goto("/detail");
  await expect(page.getByRole("button", { name: "近 3 天" })).toHaveAttribute(
    "aria-pressed",
    "true",
  );
  await expect(page.locator("canvas").first()).toBeVisible();
  await expectFitForAll(page);

  // First click: the day. Second click: the call. Its row is unfolded, with the formula.
  await page.getByRole("button", { name: "今天" }).click();
  const dearest = cardOf(page, "最贵的调用").getByRole("listitem").first();
  await expect(dearest).toContainText("dash-dear");
  await dearest.getByRole("link").click();
  await expect(page).toHaveURL(/\/log\?.*expanded=\d+/);
  const row = page.locator("[data-row]").filter({ hasText: "dash-dear" });
  await expect(row).toHaveCount(1);
  // 90,000 input and 5 output tokens at one unit each.
  await expect(page.getByText(/90,005/).first()).toBeVisible();
  await expect(page.getByText(/90,000/).first()).toBeVisible();
  expect(faults).toEqual([]);
});

test("O-571 O-575: the table's figures lead to log rows whose sum is the same", async ({
  enter,
  page,
  site,
}) => {
  await prepare(site);
  const { api, key } = await spender(site, "dashtable");
  for (const model of ["dash-cheap", "dash-dear"]) expect(await ask(site, key, model)).toBe(200);
  await enter(api);
  await page.goto("/detail?span=today&by=day&view=table");
  const table = page.getByRole("region", { name: "模型费用分布" });
  const cheap = table.getByRole("row").nth(1).getByRole("link").last();
  const shown = await cheap.innerText();
  await expectFitForAll(page);
  await cheap.focus();
  await page.keyboard.press("Enter");
  await expect(page).toHaveURL(/\/log\?.*model_name=%3Ddash-cheap/);
  await expect(page.locator("[data-row]")).toHaveCount(1);
  await expect(page.getByText(shown).first()).toBeVisible();
});

test("on a phone the names in the rankings stand in full @phone", async ({ enter, page, site }) => {
  await prepare(site);
  const { api, key } = await spender(site, "dashphone");
  expect(await ask(site, key, longName)).toBe(200);
  await enter(api);
  await page.goto("/detail");
  const name = cardOf(page, "模型费用排行").getByText(longName);
  await expect(name).toBeVisible();
  expect(await name.evaluate((part) => part.scrollWidth <= part.clientWidth)).toBe(true);
  await expectFitForAll(page);
  // The same name among the models of the account.
  await page.goto("/setting");
  const unfold = page.getByRole("button", { name: /^展开/ });
  if (await unfold.isVisible()) await unfold.click();
  await page.getByText(longName).first().scrollIntoViewIfNeeded();
  await expectNoSidewaysScroll(page);
});

test("a channel dies, and the morning's page explains it", async ({ page, site }) => {
  await prepare(site);
  const { root } = site.api;
  const { key } = await spender(site, "dashnight");
  const set = async (value: string) =>
    await root.call("PUT", "/api/option/", { key: "AutomaticDisableChannelEnabled", value });
  await set("true");
  try {
    expect(await ask(site, key, "dash-dead")).not.toBe(200);
    await page.goto("/detail");
    const lines = cardOf(page, "线路监控（近 24 小时）");
    const line = lines.getByRole("listitem").filter({ hasText: "dash-dying" }).first();
    await expect(async () => {
      await page.reload();
      await expect(line).toContainText("被自动禁用", { timeout: 2_000 });
    }).toPass();
    await expect(line).toContainText(/401|密钥/);
    await line.getByRole("link", { name: "dash-dying" }).click();
    await expect(page).toHaveURL(/\/channel\?.*open=\d+/);
    await expect(page.getByRole("dialog")).toBeVisible();
  } finally {
    await set("false");
  }
});
