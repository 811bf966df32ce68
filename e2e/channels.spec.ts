import type { Locator } from "@playwright/test";
import { channelsOf, choose, rowOf } from "./channels.ts";
import { expect, test } from "./support.ts";

test.use({ as: "admin" });

test("O-059 to O-061 O-066 O-067 O-084 O-168: the list is filtered by name, model and group; newest first is remembered", async ({
  page,
  site,
}) => {
  const channels = channelsOf(site, "narrow");
  await channels.create({ name: "narrow alpha", models: "m-alpha", group: "default,vip" });
  await channels.create({ name: "narrow beta", models: "m-beta" });
  await page.goto("/channel?keyword=narrow");
  await expect(rowOf(page, "narrow alpha")).toBeVisible();
  await page.getByPlaceholder("搜索 ID、名称或完整密钥").fill("  narrow beta ");
  await expect(rowOf(page, "narrow alpha")).toHaveCount(0);
  await expect(rowOf(page, "narrow beta")).toBeVisible();
  await expect(page.getByRole("switch", { name: "ID 排序" })).not.toBeChecked();
  await page.getByRole("switch", { name: "ID 排序" }).click();
  await page.goto("/channel?keyword=narrow&model=m-alpha&group=vip");
  await expect(rowOf(page, "narrow alpha")).toBeVisible();
  await expect(rowOf(page, "narrow beta")).toHaveCount(0);
  await expect(page.getByRole("switch", { name: "ID 排序" })).toBeChecked();
  expect(await page.evaluate(() => localStorage.getItem("id-sort"))).toBe("true");
});

test("O-064 O-068 O-131 to O-134 O-139 O-140 O-142 O-145: missing values are named, and nothing is sent; fields follow the type", async ({
  page,
}) => {
  let calls = 0;
  page.on("request", (request) => {
    if (request.method() === "POST" && request.url().endsWith("/api/channel/")) calls += 1;
  });
  await page.goto("/channel");
  await page.getByRole("button", { name: "添加渠道" }).click();
  const sheet = page.getByRole("dialog");
  await sheet.getByRole("button", { name: "添加渠道" }).click();
  await expect(sheet.getByText("请选择渠道类型！")).toBeVisible();
  await expect(sheet.getByText("请填写渠道名称和渠道密钥！")).toHaveCount(2);
  await expect(sheet.getByText("请至少选择一个模型！")).toBeVisible();
  expect(calls).toBe(0);

  const type = sheet.getByRole("combobox", { name: /^类型/ });
  const choosing = async (text: string) => {
    await type.fill(text);
    await page.keyboard.press("Enter");
  };
  await choosing("cloudflare");
  await expect(sheet.getByLabel("账户 ID")).toBeVisible();
  await choosing("custom");
  await expect(sheet.getByText(/完整的请求地址/)).toBeVisible();
  await expect(sheet.getByLabel("账户 ID")).toHaveCount(0);
  await choosing("fastgpt");
  await expect(sheet.getByText(/自建实例的地址/)).toBeVisible();
  await choosing("siliconcloud");
  await expect(sheet.getByText(/api\.siliconflow\.com/)).toBeVisible();
  await choosing("deepseek");
  await expect(sheet.getByPlaceholder("https://api.deepseek.com")).toBeVisible();
});

test("O-213 O-136 O-137: many keys are previewed and make one channel each, once", async ({
  page,
  site,
}) => {
  const channels = channelsOf(site, "batch");
  await page.goto("/channel?open=new");
  const sheet = page.getByRole("dialog");
  await sheet.getByRole("combobox", { name: /^类型/ }).fill("openai");
  await page.keyboard.press("Enter");
  await sheet.getByLabel(/^名称/).fill("batch made");
  await sheet.getByRole("switch", { name: "多个密钥" }).click();
  await sheet
    .locator("[data-field=key] textarea")
    .fill("sk-batch-0000000001\nsk-batch-0000000002\nsk-batch-0000000001");
  await expect(sheet.getByText("将创建 2 个渠道：")).toBeVisible();
  await expect(sheet.getByText("第 3 行与第 1 行相同")).toBeVisible();
  await sheet.getByRole("button", { name: "添加渠道" }).dblclick();
  await expect(page.getByText("已创建 2 个渠道")).toBeVisible();
  expect(await channels.list()).toHaveLength(2);
  await expect(page.getByRole("dialog", { name: "添加渠道" })).toHaveCount(0);
});

test("O-155 O-156: custom models are added, and known ones named; a record changed elsewhere is overwritten only after a question", async ({
  page,
  site,
}) => {
  const id = await channelsOf(site, "custom").create({ name: "custom models", models: "a" });
  await page.goto(`/channel?open=${id}`);
  const input = page.getByRole("textbox", { name: "自定义模型名称" });
  await input.fill("b,c");
  await input.press("Enter");
  await expect(page.getByText("共 3 个模型")).toBeVisible();
  await input.fill("a");
  await page.getByRole("button", { name: "填入", exact: true }).click();
  await expect(page.getByText("某些模型已存在！")).toBeVisible();

  const sheet = page.getByRole("dialog").filter({ has: page.locator("header") });
  await sheet.getByLabel(/^名称/).fill("mine");
  await site.api.root.call("PUT", "/api/channel/", { id, name: "theirs" });
  await sheet.getByRole("button", { name: "保存", exact: true }).click();
  await expect(page.getByRole("alertdialog")).toBeVisible();
  expect(await channelsOf(site, "theirs").list()).toMatchObject([{ id, name: "theirs" }]);
});

test("a channel that was deleted elsewhere closes its form with a word", async ({ page, site }) => {
  const id = await channelsOf(site, "gone").create({ name: "gone one" });
  await page.goto(`/channel?keyword=gone&open=${id}`);
  const sheet = page.getByRole("dialog").filter({ has: page.locator("header") });
  await sheet.getByLabel(/^名称/).fill("gone, renamed");
  await site.api.root.call("DELETE", `/api/channel/${id}`);
  await sheet.getByRole("button", { name: "保存", exact: true }).click();
  await expect(page.getByText("渠道“gone one”已被删除，修改未保存")).toBeVisible();
  await expect(sheet).toHaveCount(0);
  await expect(page).not.toHaveURL(/open=/);
});

test("O-078 O-135 O-154 O-218: an edit without a key is saved, broken JSON is not", async ({
  page,
  site,
}) => {
  const channels = channelsOf(site, "edit");
  const id = await channels.create({ name: "edit me" });
  await page.goto("/channel?keyword=edit");
  await rowOf(page, "edit me").getByRole("button", { name: /编辑/ }).click();
  const sheet = page.getByRole("dialog");
  await sheet.getByLabel(/^名称/).fill("edited");
  const mapping = sheet.locator("[data-field=model_mapping]");
  await mapping.getByRole("button", { name: "JSON" }).click();
  await mapping.getByRole("textbox").fill("{");
  await sheet.getByRole("button", { name: "保存", exact: true }).click();
  await expect(sheet.getByText("模型映射必须是合法的 JSON 格式！")).toBeVisible();
  await mapping.getByRole("textbox").fill('{"demo-alias":"demo-fast"}');
  await mapping.getByRole("button", { name: "表格" }).click();
  await expect(mapping.getByRole("textbox", { name: /上游模型/ })).toHaveValue("demo-fast");
  await sheet.getByRole("button", { name: "保存", exact: true }).click();
  await expect(rowOf(page, "edited")).toBeVisible();
  expect(await channels.list()).toMatchObject([{ id, name: "edited", key_count: 1 }]);
});

test("models are read from the upstream and the differences chosen; a trial saves nothing", async ({
  page,
  site,
}) => {
  const channels = channelsOf(site, "fetch");
  const id = await channels.create({ name: "fetch one", models: "demo-fast,lost-model" });
  await page.goto(`/channel?open=${id}`);
  await page.getByRole("button", { name: "保存前测试" }).click();
  await expect(page.getByText(/demo-fast 测试成功/)).toBeVisible();
  await page.getByRole("button", { name: "从上游获取模型列表" }).click();
  const diff = page.getByRole("dialog", { name: "上游的模型" });
  await diff.getByRole("checkbox", { name: "demo-chat" }).click();
  await diff.getByRole("checkbox", { name: "lost-model" }).click();
  await diff.getByRole("button", { name: "应用（添加 1 个，移除 1 个）" }).click();
  await page.getByRole("button", { name: "保存", exact: true }).click();
  await expect(page.getByText("渠道 fetch one 已保存")).toBeVisible();
  expect(await channels.list()).toMatchObject([{ models: "demo-fast,demo-chat", test_time: 0 }]);
});

test("a wrong key or base URL is told at its field, in the upstream's words and without the key", async ({
  page,
  site,
}) => {
  const id = await channelsOf(site, "wrong").create({ name: "wrong one", models: "demo-fast" });
  await page.goto(`/channel?open=${id}`);
  const key = page.getByLabel("密钥", { exact: true });
  const baseUrl = page.getByLabel("API 地址", { exact: true });
  const reason = "上游拒绝了该密钥 (401)：Incorrect API key provided: ***";

  await key.fill("sk-demo-bad");
  await page.getByRole("button", { name: "从上游获取模型列表" }).click();
  await expect(key).toBeFocused();
  await expect(key).toHaveAccessibleDescription(
    /上游拒绝了该密钥 \(401\)：Incorrect API key provided: \*\*\*/,
  );
  await expect(page.getByText(reason)).toHaveCount(1);
  await expect(page.getByText("sk-demo-bad")).toHaveCount(0);
  await key.fill("sk-demo-good");
  await expect(page.getByText(reason)).toHaveCount(0);

  await baseUrl.fill("http://127.0.0.1:1");
  await page.getByRole("button", { name: "保存前测试" }).click();
  await expect(baseUrl).toBeFocused();
  await expect(baseUrl).toHaveAccessibleDescription(/上游拒绝连接/);
  await expect(page.getByText("测试失败，原因见标出的字段。")).toBeVisible();
});

/** The colour behind a row. */
async function backgroundOf(row: Locator): Promise<string> {
  return await row.evaluate((element) => getComputedStyle(element).backgroundColor);
}

test("a row's actions: test, switch, edit in place, copy and remove", async ({ page, site }) => {
  const channels = channelsOf(site, "offered");
  const id = await channels.create({ name: "offered one", tag: "t" });
  await page.goto("/channel?keyword=offered");
  const row = rowOf(page, "offered one");

  await test.step("O-074 O-075 O-187 O-656 O-657: tests show their result, in the row and in words", async () => {
    await row.getByRole("button", { name: /^测试/ }).click();
    await expect(page.getByText(`ID ${id} ,通道 offered one 测试成功，耗时`)).toBeVisible();
    await expect(row.getByText(/\d ms/)).toBeVisible();
    await choose(page, "offered one", "按模型测试…");
    const dialog = page.getByRole("dialog").filter({ has: page.locator("header") });
    await dialog.getByRole("button", { name: "测试 demo-error" }).click();
    await expect(dialog.getByText(/上游出错 \(500\)/)).toBeVisible();
    await dialog.getByRole("button", { name: "测试 demo-fast" }).click();
    await expect(dialog.getByText(/\d ms/)).toBeVisible();
    await page.keyboard.press("Escape");
    await expect(page).not.toHaveURL(/open=/);
  });

  await test.step("O-076 O-077 O-196 O-197 O-130: a switch in the row is the channel's status", async () => {
    // Away from the row, which is shaded under the mouse as well.
    await page.mouse.move(0, 0);
    const plain = await backgroundOf(row);
    await row.getByRole("switch").click();
    await expect(row.getByText("已禁用")).toBeVisible();
    await expect.poll(async () => (await channels.list())[0]?.status).toBe(2);
    await page.mouse.move(0, 0);
    await expect.poll(async () => await backgroundOf(row)).not.toBe(plain);
    await choose(page, "offered one", "启用");
    await expect(row.getByText("已启用")).toBeVisible();
    await expect.poll(async () => (await channels.list())[0]?.status).toBe(1);
  });

  await test.step("O-081 O-082 O-150 to O-153: priority and weight are edited in the row", async () => {
    const priority = row.getByRole("textbox", { name: /优先级/ });
    const weight = row.getByRole("textbox", { name: /权重/ });
    const stored = async () => {
      const [channel] = await channels.list();
      return [channel?.priority, channel?.weight];
    };
    const enter = async (field: Locator, text: string, key = "Enter") => {
      await field.fill(text);
      await field.press(key);
    };
    await enter(priority, "-999");
    await expect.poll(stored).toEqual([-999, 0]);
    await enter(priority, "-1000");
    await expect(priority).toHaveValue("-999");
    await enter(priority, "5", "Escape");
    await expect(priority).toHaveValue("-999");
    await enter(weight, "7");
    await expect.poll(stored).toEqual([-999, 7]);
    await enter(weight, "");
    await expect(weight).toHaveValue("7");
    await enter(weight, "-5");
    await expect.poll(stored).toEqual([-999, 0]);
  });

  await test.step("O-079 O-214 O-216: a copy has another name and the same key", async () => {
    await choose(page, "offered one", "复制");
    await expect(rowOf(page, "offered one_复制")).toBeVisible();
    expect(await channels.list()).toMatchObject([
      { name: "offered one_复制", key_count: 1, tag: "t", used_quota: 0 },
      { name: "offered one" },
    ]);
  });

  await test.step("O-080 O-199: deleting asks, and the row is gone", async () => {
    await choose(page, "offered one_复制", "删除");
    await page.getByRole("alertdialog").getByRole("button", { name: "取消" }).click();
    await expect(rowOf(page, "offered one_复制")).toBeVisible();
    await choose(page, "offered one_复制", "删除");
    await page.getByRole("alertdialog").getByRole("button", { name: "删除" }).click();
    await expect(rowOf(page, "offered one_复制")).toHaveCount(0);
    expect(await channels.list()).toMatchObject([{ id, name: "offered one" }]);
  });
});
