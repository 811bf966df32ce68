import { expect, expectAccessible, expectTranslated, test } from "./support.ts";

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
