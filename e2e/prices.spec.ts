import {
  expect,
  expectAccessible,
  expectNoSidewaysScroll,
  expectTranslated,
  test,
} from "./support.ts";

test("a model without a price shows on its channel, is priced in one step, and many are changed at once", async ({
  page,
  site,
}) => {
  const { root } = site.api;
  const models = "claude-of-prices,gemini-of-prices";
  await root.call("POST", "/api/channel/", {
    type: 1,
    name: "unpriced models",
    key: "sk-prices",
    base_url: site.upstream,
    models,
    group: "default",
  });
  await page.goto("/channel");
  const channel = page.getByRole("row", { name: /unpriced models/ });
  await expect(channel).toContainText("2 个未定价");

  await page.goto("/prices?show=unpriced");
  const list = page.getByRole("table", { name: "模型与价格" });
  const claude = list.getByRole("row", { name: /claude-of-prices/ });
  await expect(claude).toContainText("未定价");
  await expectAccessible(page);
  await expectTranslated(page);
  await claude.getByRole("button", { name: "编辑" }).click();
  const sheet = page.getByRole("dialog");
  await sheet.getByRole("textbox", { name: "输入价格" }).fill("3");
  await sheet.getByRole("textbox", { name: "输出价格" }).fill("15");
  // The sheet shows the cost of 1,000 input and 500 output tokens, computed by the formula that
  // charges calls.
  await expect(sheet.getByText("$0.0105").first()).toBeVisible();
  await sheet.getByRole("button", { name: "保存" }).click();
  await expect(sheet).toHaveCount(0);
  await expect(claude).toHaveCount(0);
  expect(await priceOf("claude-of-prices")).toEqual([1.5, 5]);

  // Imports a price as a table: nothing is saved while a line is wrong. Then halves the prices of
  // both models.
  await page.getByRole("button", { name: "更多操作" }).first().click();
  await page.getByRole("menuitem", { name: "导入价格" }).click();
  const table = sheet.getByRole("textbox", { name: "表格" });
  await table.fill("gemini-of-prices\t$1\t$8\nnonsense");
  await expect(sheet.getByText("第 2 行")).toBeVisible();
  await sheet.getByRole("button", { name: "导入", exact: true }).click();
  await expect(sheet.getByText("未导入：1 行有误").first()).toBeVisible();
  expect(await priceOf("gemini-of-prices")).toEqual([undefined, undefined]);
  await table.fill("gemini-of-prices\t$1\t$8");
  await sheet.getByRole("textbox", { name: "原因" }).fill("first prices");
  await sheet.getByRole("button", { name: "导入", exact: true }).click();
  await expect(sheet).toHaveCount(0);
  await page.getByRole("button", { name: /^全部/ }).click();
  await page.getByPlaceholder("搜索模型或厂商").fill("of-prices");
  await expect(list.getByRole("row", { name: /gemini-of-prices/ })).toContainText("文件");
  for (const name of [/claude-of-prices/, /gemini-of-prices/]) {
    await list.getByRole("row", { name }).getByRole("checkbox").check();
  }
  await page.getByRole("button", { name: "修改价格" }).click();
  await expect(sheet.getByText("$3.00 → $1.50")).toBeVisible();
  // What the prices would have done is tried before they are saved; the models have no calls yet.
  await sheet.getByRole("button", { name: "试算" }).click();
  const tried = sheet.getByRole("region", { name: "用过去的调用试算价格" });
  await tried.getByRole("button", { name: "30 天" }).click();
  await tried.getByRole("button", { name: "试算" }).click();
  await expect(tried.getByRole("status")).toBeVisible();
  await expectAccessible(page);
  await expectTranslated(page);
  await sheet.getByRole("button", { name: "保存" }).click();
  await expect(sheet).toHaveCount(0);
  expect(await priceOf("claude-of-prices")).toEqual([0.75, 5]);
  expect(await priceOf("gemini-of-prices")).toEqual([0.25, 8]);

  // A price is in force only when it is saved; the save says why.
  await list
    .getByRole("row", { name: /gemini-of-prices/ })
    .getByRole("button", { name: "删除价格" })
    .click();
  await expect(page.getByText("1 个价格未保存")).toBeVisible();
  expect(await priceOf("gemini-of-prices")).toEqual([0.25, 8]);
  await page.getByRole("textbox", { name: "原因" }).fill("a mistake");
  await page.getByRole("button", { name: "保存", exact: true }).click();
  await expect(page.getByText("1 个价格未保存")).toHaveCount(0);
  expect(await priceOf("gemini-of-prices")).toEqual([undefined, undefined]);

  // The versions say who, when and why; going back to the one before makes a new one.
  await page.getByRole("link", { name: "价格版本" }).click();
  const versions = page.getByRole("table", { name: "价格版本" });
  const mistake = versions.getByRole("row", { name: /a mistake/ });
  await expect(mistake).toContainText("root");
  await expect(mistake).toContainText("生效中");
  await mistake.getByRole("button", { name: "查看变更" }).click();
  await expect(sheet.getByText("gemini-of-prices")).toBeVisible();
  await expect(sheet.getByText("$0.50 → –")).toBeVisible();
  await expectAccessible(page);
  await expectTranslated(page);
  await sheet.getByRole("button", { name: "关闭" }).last().click();
  await versions.getByRole("row").nth(2).getByRole("button", { name: "恢复到此版本" }).click();
  await expect(sheet.getByText("– → $0.50")).toBeVisible();
  await sheet.getByRole("textbox", { name: "原因" }).fill("taken back");
  await sheet.getByRole("button", { name: "恢复到此版本" }).click();
  await expect(sheet).toHaveCount(0);
  await expect(versions.getByRole("row", { name: /taken back/ })).toContainText("生效中");
  expect(await priceOf("gemini-of-prices")).toEqual([0.25, 8]);

  await page.goto("/channel");
  await expect(channel).toBeVisible();
  await expect(channel).not.toContainText("未定价");

  // Removes the channel again: later journeys on this product call any model that the console
  // offers, and this one has no price.
  const made = (await root.call("GET", "/api/channel/search?keyword=unpriced models")) as readonly {
    readonly id: number;
  }[];
  expect(made).toHaveLength(1);
  await root.call("DELETE", `/api/channel/${made[0]?.id}`);

  /** Reads the model ratio and the completion ratio as they are stored. */
  async function priceOf(model: string): Promise<(number | undefined)[]> {
    const listed = (await root.call("GET", "/api/option/")) as { key: string; value: string }[];
    return ["ModelRatio", "CompletionRatio"].map((name) => {
      const text = listed.find(({ key }) => key === name)?.value ?? "{}";
      return (JSON.parse(text) as Record<string, number>)[model];
    });
  }
});

test("a new channel's models are priced from the catalogue before it is saved, and the first call is charged so @every", async ({
  page,
  site,
}) => {
  const { root } = site.api;
  const model = "codex-mini";
  await fetch(`${site.upstream}/__demo/scripts/${model}`, {
    method: "PUT",
    body: JSON.stringify({ promptTokens: 1_000, events: 100 }),
  });
  await root.call("PUT", "/api/prices/", {
    books: [model, "nobody-knows-it", "runs-at-home"].map((name) => ({
      model: name,
      prices: null,
    })),
  });
  const isEnglish = (await page.evaluate(() => navigator.language)).startsWith("en");
  const w = isEnglish ? english : chinese;
  await page.goto("/channel");
  await page.getByRole("button", { name: w.add }).first().click();
  const sheet = page.getByRole("dialog", { name: w.add });
  await sheet.getByRole("combobox", { name: w.type }).fill("openai");
  await page.keyboard.press("Enter");
  await sheet.getByRole("button", { name: w.clear }).click();
  const names = sheet.getByRole("textbox", { name: w.custom });
  await names.fill(`${model},nobody-knows-it`);
  await names.press("Enter");

  // Before the channel is saved: what matches exactly by one press, and what stays unpriced is said.
  const proposals = sheet.getByRole("region", { name: w.proposals });
  await expect(proposals).toContainText(w.open);
  await expect(proposals).toContainText(/20\d\d-\d\d-\d\d/);
  await expect(proposals).toContainText("$1.50 → $6.00");
  await expect(proposals).toContainText(w.unknown);
  await expectAccessible(page);
  await expectTranslated(page);
  const take = proposals.getByRole("button", { name: w.takeExact });
  await take.focus();
  await page.keyboard.press("Enter");
  await expect(proposals.getByText(model, { exact: true })).toHaveCount(0);
  await expect(proposals).toContainText("nobody-knows-it");
  await expect(proposals.getByRole("status")).toContainText(w.taken);

  // Nothing is saved with a form that is closed, and nothing is left of it in the next one.
  expect(await ratioOf(model)).toBeUndefined();
  await page.keyboard.press("Escape");
  await page.getByRole("button", { name: w.discard }).click();
  await expect(sheet).toHaveCount(0);
  expect(await ratioOf(model)).toBeUndefined();
  await page.getByRole("button", { name: w.add }).first().click();
  await sheet.getByRole("combobox", { name: w.type }).fill("openai");
  await page.keyboard.press("Enter");
  await sheet.getByRole("button", { name: w.clear }).click();
  await names.fill(`${model},nobody-knows-it`);
  await names.press("Enter");
  await expect(proposals.getByRole("status")).toHaveCount(0);
  await proposals.getByRole("button", { name: w.takeExact }).click();

  // The server of the test is a local one, so what it offers may be free.
  await sheet.getByLabel(w.address).fill(site.upstream);
  await names.fill("runs-at-home");
  await names.press("Enter");
  await proposals.getByRole("button", { name: w.free, exact: true }).click();
  await expect(sheet.getByText(w.allPriced)).toBeVisible();
  await expectNoSidewaysScroll(page);
  const name = `journey ${isEnglish ? "en" : "zh"} ${page.viewportSize()?.width}`;
  await sheet.getByLabel(w.name).first().fill(name);
  await sheet.getByLabel(w.key).first().fill("sk-journey");
  await sheet.getByRole("button", { name: w.add }).click();
  await expect(sheet).toHaveCount(0);

  const made = (await root.call("POST", "/api/token/", {
    name,
    remain_quota: 500_000,
    expired_time: -1,
    unlimited_quota: false,
  })) as { readonly key: string };
  const answer = await fetch(`${site.origin}/v1/chat/completions`, {
    method: "POST",
    headers: { authorization: `Bearer ${made.key}`, "content-type": "application/json" },
    body: JSON.stringify({ model, messages: [{ role: "user", content: "hi" }] }),
  });
  expect(answer.status, await answer.text()).toBe(200);
  await page.goto(`/log?model_name=${model}`);
  // 1,000 × $1.50 + 100 × $6.00 for a million tokens each.
  await expect(page.getByText("$0.0021").first()).toBeVisible();

  const list = (await root.call("GET", `/api/channel/search?keyword=${name}`)) as readonly {
    readonly id: number;
  }[];
  for (const { id } of list) await root.call("DELETE", `/api/channel/${id}`);

  async function ratioOf(name: string): Promise<unknown> {
    const listed = (await root.call("GET", "/api/option/")) as { key: string; value: string }[];
    const text = listed.find(({ key }) => key === "ModelRatio")?.value ?? "{}";
    return (JSON.parse(text) as Record<string, unknown>)[name];
  }
});

const chinese = {
  add: "添加渠道",
  type: /^类型/,
  clear: "清除所有模型",
  custom: "自定义模型名称",
  proposals: "价格建议",
  open: "2 个模型未定价",
  unknown: "目录中没有",
  takeExact: "采用全部完全匹配（1 个）",
  taken: "已采用 1 个模型的价格",
  discard: "放弃",
  address: "API 地址",
  free: "免费",
  allPriced: "所有模型都有价格。",
  name: /^名称/,
  key: /^密钥/,
} as const;

const english = {
  add: "Add channel",
  type: /^Type/,
  clear: "Clear",
  custom: "Custom model names",
  proposals: "Proposed prices",
  open: "Without a price: 2 models",
  unknown: "Not in the catalogue",
  takeExact: "Take all exact matches (1)",
  taken: "Prices that are saved with the channel: 1",
  discard: "Discard",
  address: "Base URL",
  free: "Free",
  allPriced: "Every model has a price.",
  name: /^Name/,
  key: /^Key/,
} as const;
