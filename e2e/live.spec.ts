import { addSpender } from "./playground-scene.ts";
import { expect, expectAccessible, expectNoSidewaysScroll, type Site, test } from "./support.ts";

const model = "live-slow";

/** Adds a model whose answers wait in the middle, and a user who pays for them. */
async function prepare(site: Site): Promise<string> {
  const { root } = site.api;
  await fetch(`${site.upstream}/__demo/scripts/${model}`, {
    method: "PUT",
    body: JSON.stringify({ promptTokens: 20, events: 20, hold: 5 }),
  });
  const options = (await root.call("GET", "/api/option/")) as { key: string; value: string }[];
  const ratios = JSON.parse(options.find(({ key }) => key === "ModelRatio")?.value ?? "{}");
  const value = JSON.stringify({ ...ratios, [model]: 1 });
  await root.call("PUT", "/api/option/", { key: "ModelRatio", value });
  const made = (await root.call("GET", "/api/channel/search?keyword=live-slow")) as object[];
  if (made.length === 0) {
    const channel = { type: 1, base_url: site.upstream, group: "default", status: 1 };
    await root.call("POST", "/api/channel/", {
      ...channel,
      name: model,
      key: "sk-x",
      models: model,
    });
  }
  const api = await addSpender(site, `live-${Date.now() % 1_000_000}`, 5_000_000);
  const fields = { name: "live-key", expired_time: -1, remain_quota: 0, unlimited_quota: true };
  const { id } = (await api.call("POST", "/api/token/", fields)) as { id: number };
  const { key } = (await api.call("POST", `/api/token/${id}/key`)) as { key: string };
  return `sk-${key.replace(/^sk-/, "")}`;
}

/** Begins a streamed call. Returns what its client gets in all. */
async function begin(site: Site, key: string): Promise<string> {
  const answer = await fetch(`${site.origin}/v1/chat/completions`, {
    method: "POST",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    body: JSON.stringify({ model, stream: true, messages: [{ role: "user", content: "hi" }] }),
  });
  return await answer.text();
}

test("a call is seen while it runs, and stopped with a reason, which its row names", async ({
  page,
  site,
}) => {
  const key = await prepare(site);
  await page.goto("/live");
  await expect(page.getByRole("heading", { level: 1 })).toHaveText("实时调用");
  await expect(page.getByText("目前没有运行中的调用")).toBeVisible();
  const first = begin(site, key);
  const second = begin(site, key);
  const rows = page.getByRole("row").filter({ hasText: model });
  await expect(rows).toHaveCount(2);
  await expect(rows.first()).toContainText("输出中");
  await expect(rows.first()).toContainText("唯一渠道");
  await expectAccessible(page);
  await rows.first().getByRole("button", { name: /^停止/ }).first().click();
  await page.getByRole("textbox", { name: "原因" }).fill("死循环");
  await page.getByRole("dialog").getByRole("button", { name: "停止" }).click();
  await expect(page.getByText("已停止 1 个调用")).toBeVisible();
  expect(await Promise.race([first, second])).toContain("call_stopped");
  await expect(rows).toHaveCount(1);

  await page.getByRole("button", { name: "暂停" }).click();
  await page.goto(`/log?model_name=${model}`);
  await expect(page.getByText("已由 root 停止：死循环").first()).toBeVisible();
  await site.api.root.call("POST", "/api/live/stop", { model_name: model });
  await Promise.all([first, second]);
});

test.describe("on a phone, in English, dark", () => {
  test.use({ viewport: { width: 360, height: 740 }, locale: "en-US", colorScheme: "dark" });

  test("the running calls fit, and none of a filter is said", async ({ page, site }) => {
    const key = await prepare(site);
    const call = begin(site, key);
    await page.goto("/live");
    await expect(page.getByText(model).first()).toBeVisible();
    await expectNoSidewaysScroll(page);
    await expectAccessible(page);
    await site.api.root.call("POST", "/api/live/stop", { model_name: model });
    expect(await call).toContain("call_stopped");
    await page.goto("/live?model_name=nobody");
    await expectNoSidewaysScroll(page);
  });
});

test.describe("users", () => {
  test.use({ as: "user" });

  test("see their own calls alone", async ({ page, site }) => {
    const key = await prepare(site);
    const call = begin(site, key);
    await page.goto("/live");
    await expect(page.getByText("目前没有运行中的调用")).toBeVisible();
    await site.api.root.call("POST", "/api/live/stop", { model_name: model });
    await call;
  });
});
