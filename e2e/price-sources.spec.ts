import {
  expect,
  expectAccessible,
  expectNoSidewaysScroll,
  expectTranslated,
  test,
} from "./support.ts";
import { ask } from "./token-steps.ts";

/** A list as models.dev publishes it: a price that rises a little, one that rises much, a wrong one. */
const list = JSON.stringify({
  openai: {
    models: {
      "gpt-of-list": { id: "gpt-of-list", cost: { input: 2.6, output: 10 } },
      "gpt-of-list-mini": { id: "gpt-of-list-mini", cost: { input: 3, output: 0.6 } },
      "gpt-wrong": { id: "gpt-wrong", cost: { input: -1 } },
    },
  },
});

type Book = readonly {
  readonly model: string;
  readonly prices: { readonly tokens?: { readonly input?: string } };
}[];

test("a published list is synced, tried on past calls, and saved line by line", async ({
  page,
  site,
}) => {
  const { root } = site.api;
  const priceOf = (model: string, input: string, output: string) => ({
    model,
    prices: { tokens: { input, output } },
  });
  const books = [priceOf("gpt-of-list", "2.5", "10"), priceOf("gpt-of-list-mini", "0.15", "0.6")];
  await root.call("PUT", "/api/prices/", { books });
  const inputOf = async (model: string) => {
    const book = (await root.call("GET", "/api/prices/book")) as Book;
    return book.find((row) => row.model === model)?.prices.tokens?.input;
  };
  await page.goto("/prices/sources");
  await page.getByRole("button", { name: "添加来源" }).first().click();
  const sheet = page.getByRole("dialog");
  await sheet.getByRole("textbox", { name: "名称" }).fill("public list");
  await sheet.getByRole("switch", { name: "不改动手动设置的价格" }).click();
  await expectAccessible(page);
  await expectTranslated(page);
  await sheet.getByRole("button", { name: "保存" }).click();
  await expect(sheet).toHaveCount(0);
  const row = page.getByRole("row", { name: /public list/ });
  await expect(row).toContainText("models.dev");

  await row.getByRole("button", { name: "粘贴列表" }).click();
  await sheet.getByRole("textbox", { name: "列表" }).fill("<html>");
  await sheet.getByRole("button", { name: "比较" }).click();
  await expect(sheet.getByText("不是该来源的价格列表").first()).toBeVisible();
  await sheet.getByRole("textbox", { name: "列表" }).fill(list);
  await sheet.getByRole("button", { name: "比较" }).click();

  await expect(sheet.getByText("列表中有 1 行被拒绝")).toBeVisible();
  await expect(sheet.getByText("涨幅超过上限")).toBeVisible();
  const small = sheet.getByRole("checkbox", { name: /^gpt-of-list 输入/ });
  const large = sheet.getByRole("checkbox", { name: /^gpt-of-list-mini 输入/ });
  await expect(small).toBeChecked();
  await expect(large).not.toBeChecked();
  await expectAccessible(page);
  await expectTranslated(page);
  await sheet.getByRole("button", { name: "试算" }).click();
  const tried = sheet.getByRole("region", { name: "用过去的调用试算价格" });
  await tried.getByRole("button", { name: "试算" }).click();
  await expect(tried.getByRole("status")).toBeVisible();
  expect(await inputOf("gpt-of-list")).toBe("2.5");

  // By the keyboard alone: the chosen line is saved, the other one is refused.
  await sheet.getByRole("button", { name: "接受 1 项" }).focus();
  await page.keyboard.press("Enter");
  await expect(sheet.getByText("已接受")).toBeVisible();
  expect(await inputOf("gpt-of-list")).toBe("2.6");
  expect(await inputOf("gpt-of-list-mini")).toBe("0.15");
  await large.focus();
  await page.keyboard.press("Space");
  await sheet.getByRole("button", { name: "拒绝 1 项" }).click();
  await expect(sheet).toHaveCount(0);
  expect(await inputOf("gpt-of-list-mini")).toBe("0.15");

  await page.setViewportSize({ width: 390, height: 844 });
  await expectNoSidewaysScroll(page);
  const [made] = (await root.call("GET", "/api/prices/sources")) as readonly { id: number }[];
  await root.call("DELETE", `/api/prices/sources/${made?.id}`);
});

test("a bill of an upstream is laid beside the ledger", async ({ page, site }) => {
  expect(await ask(site, site.key)).toBe(200);
  await page.goto("/bill");
  await page.getByRole("button", { name: "对比" }).click();
  await expect(page.getByText("请选择用量文件").first()).toBeVisible();
  const day = new Date().toISOString().slice(0, 10);
  const choose = async (text: string) =>
    await page.locator("[data-bill-file]").setInputFiles({
      name: "usage.csv",
      mimeType: "text/csv",
      buffer: Buffer.from(text),
    });
  await choose("nothing\n1\n");
  await page.getByRole("button", { name: "对比" }).click();
  await expect(page.getByText("缺少列").first()).toBeVisible();
  await choose(`date,model,input_tokens,output_tokens\n${day},model-of-no-call,100,10\n`);
  await page.getByRole("button", { name: "对比" }).click();
  const sums = page.getByRole("region", { name: /按日、模型和密钥汇总/ });
  await expect(sums).toContainText("model-of-no-call");
  await expect(sums).toContainText("+110");
  const download = page.waitForEvent("download");
  await page.getByRole("button", { name: "下载 CSV" }).click();
  expect((await download).suggestedFilename()).toBe("bill-comparison.csv");
  await expectAccessible(page);
  await expectTranslated(page);
  await page.setViewportSize({ width: 390, height: 844 });
  await expectNoSidewaysScroll(page);

  // A call that the bill lacks: its id is longer than a phone is wide beside its name.
  const times = [-600_000, 60_000].map((ms) => new Date(Date.now() + ms).toISOString());
  const lines = times.map((time, at) => `gen-${at},${time},0.1,1,1,openai/model-of-no-call`);
  const head =
    "generation_id,created_at,cost_total,tokens_prompt,tokens_completion,model_permaslug";
  await page.getByRole("combobox").first().click();
  await page.getByRole("option", { name: /OpenRouter/ }).click();
  await choose([head, ...lines].join("\n"));
  await page.getByRole("button", { name: "对比" }).click();
  const findings = page.getByRole("region", { name: "解释差异的调用" });
  await expect(findings).toContainText("账单没有");
  expect(await findings.evaluate((part) => part.scrollWidth > part.clientWidth + 1)).toBe(false);
});
