import type { Page } from "@playwright/test";
import { expect, expectFitForAll, type Site, test } from "./support.ts";

const model = "texts-model";
const question = "What is the capital of Norway, please?";

/** The key of a token of root, of this worker's product. */
let key = "";

test.beforeAll(async ({ site }) => {
  const { root } = site.api;
  await fetch(`${site.upstream}/__demo/scripts/${model}`, {
    method: "PUT",
    body: JSON.stringify({ events: 4, piece: "Oslo " }),
  });
  const options = (await root.call("GET", "/api/option/")) as { key: string; value: string }[];
  const ratios: object = JSON.parse(options.find((one) => one.key === "ModelRatio")?.value ?? "{}");
  const value = JSON.stringify({ ...ratios, [model]: 1 });
  await root.call("PUT", "/api/option/", { key: "ModelRatio", value });
  const channel = { type: 1, key: "sk-x", base_url: site.upstream, group: "default", status: 1 };
  await root.call("POST", "/api/channel/", { ...channel, name: "texts", models: model });
  const fields = { name: "texts", expired_time: -1, remain_quota: 0, unlimited_quota: true };
  const { id } = (await root.call("POST", "/api/token/", fields)) as { id: number };
  const read = (await root.call("POST", `/api/token/${id}/key`)) as { key: string };
  key = `sk-${read.key}`;
});

async function ask(site: Site): Promise<void> {
  const answer = await fetch(`${site.origin}/v1/chat/completions`, {
    method: "POST",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    body: JSON.stringify({ model, stream: true, messages: [{ role: "user", content: question }] }),
  });
  await answer.text();
}

const rowOf = (page: Page) => page.locator("[data-row]").filter({ hasText: model }).first();
const sheetOf = (page: Page) => page.getByRole("dialog", { name: "请求与响应" });

test("O-436–O-444: root turns texts on, reads one call, and turns them off", async ({
  page,
  site,
}) => {
  await ask(site);
  await page.goto(`/newLog?model_name=${model}`);
  await expect(page.getByText(/请求与响应的内容会保存/)).toHaveCount(0);
  await rowOf(page).click({ button: "right", position: { x: 200, y: 10 } });
  await expect(sheetOf(page).getByText("内容记录未开启。")).toBeVisible();
  await sheetOf(page).getByRole("link", { name: "前往设置" }).click();
  await expect(page).toHaveURL(/\/setting\?tab=operation#LogContentEnabled/);
  await page.locator('[data-option="LogContentEnabled"]').getByRole("switch").click();
  await page.locator("#log").getByRole("button", { name: "保存" }).click();
  await expect
    .poll(async () => await site.api.root.call("GET", "/api/log/texts"))
    .toMatchObject({ enabled: true });

  await ask(site);
  await page.goto(`/newLog?model_name=${model}`);
  await expect(page.getByText("请求与响应的内容会保存 7 天")).toBeVisible();
  await rowOf(page).click({ button: "right", position: { x: 200, y: 10 } });
  const sheet = sheetOf(page);
  await expect(sheet).toBeVisible();
  // A text is stored a moment after its answer.
  await expect(async () => {
    await page.reload();
    await expect(sheet.getByRole("region", { name: "响应" })).toHaveText("Oslo Oslo Oslo Oslo", {
      timeout: 1_000,
    });
  }).toPass();
  await expect(sheet.getByRole("region", { name: "请求" })).toContainText(
    `"content": "${question}"`,
  );
  expect((await sheet.boundingBox())?.width).toBe(600);
  await expect(sheet.getByRole("button", { name: "复制请求" })).toBeVisible();
  await sheet.getByRole("button", { name: "复制响应" }).click();
  await expect(sheet.getByText("已复制").first()).toBeVisible();
  await expectFitForAll(page);
  await page.setViewportSize({ width: 360, height: 740 });
  expect((await sheet.boundingBox())?.width).toBe(360);
  await page.setViewportSize({ width: 1_280, height: 800 });
  await page.keyboard.press("Escape");
  await expect(sheet).toHaveCount(0);

  await page.getByRole("button", { name: "停止保存" }).click();
  await expect(page.getByText(/请求与响应的内容会保存/)).toHaveCount(0);
  await expect
    .poll(async () => await site.api.root.call("GET", "/api/log/texts"))
    .toMatchObject({ enabled: false });
  await page.goto("/audit");
  await expect(page.getByText("查看调用内容").first()).toBeVisible();
});

test("O-436: a right click on the page of all admins opens no texts", async ({ page, site }) => {
  await ask(site);
  await page.goto(`/log?model_name=${model}`);
  await rowOf(page).click({ button: "right", position: { x: 200, y: 10 } });
  await expect(sheetOf(page)).toHaveCount(0);
  await page.goto(`/log?model_name=${model}&open=texts-1`);
  await expect(rowOf(page)).toBeVisible();
  await expect(sheetOf(page)).toHaveCount(0);
});
