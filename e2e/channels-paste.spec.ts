import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { channelsOf, rowOf } from "./channels.ts";
import { expect, test } from "./support.ts";

test.use({ as: "admin" });

const completion = JSON.stringify({
  choices: [{ index: 0, message: { role: "assistant", content: "ok" }, finish_reason: "stop" }],
  usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 },
});
const refusal = JSON.stringify({
  error: { message: "This key was revoked", type: "auth", code: "revoked" },
});

/** Starts an upstream that refuses keys ending in `revoked`. */
async function startUpstream() {
  const server = createServer((request, response) => {
    const isRevoked = request.headers.authorization?.endsWith("revoked") === true;
    request.resume().on("end", () => {
      response.writeHead(isRevoked ? 401 : 200, { "content-type": "application/json" });
      response.end(isRevoked ? refusal : completion);
    });
  });
  await new Promise<void>((ready) => void server.listen(0, "127.0.0.1", ready));
  // Safe cast: the server listens on a port, not on a pipe.
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}`, stop: () => server.close() };
}

test("an operator pastes 30 keys, tests all, reads which fail and why, tags them, drops the bad ones", async ({
  page,
  site,
}) => {
  const upstream = await startUpstream();
  const channels = channelsOf(site, "pasted");
  const keys = Array.from({ length: 30 }, (_, index) => {
    const end = index % 10 === 3 ? "revoked" : "sound";
    return `sk-pasted-${String(index).padStart(4, "0")}-${end}`;
  });

  await test.step("the preview says what becomes of the paste before anything is saved", async () => {
    await page.goto("/channel");
    await page.getByRole("button", { name: "添加渠道" }).click();
    const sheet = page.getByRole("dialog", { name: "添加渠道" });
    await sheet.getByRole("combobox", { name: /^类型/ }).fill("openai");
    await page.keyboard.press("Enter");
    await sheet.getByRole("textbox", { name: "名称", exact: false }).first().fill("pasted");
    await sheet.getByLabel("API 地址").fill(upstream.url);
    await sheet.getByRole("switch", { name: "多个密钥" }).click();
    await sheet
      .getByLabel("密钥", { exact: false })
      .first()
      .fill(["", ...keys, keys[4], ""].join("\n"));
    await expect(sheet.getByText("将创建 30 个渠道：")).toBeVisible();
    await expect(sheet.getByText("已忽略 1 个空行。")).toBeVisible();
    await expect(sheet.getByText("第 32 行与第 6 行相同")).toBeVisible();
    await sheet.getByRole("button", { name: "清除所有模型" }).click();
    await sheet.getByLabel("自定义模型名称").fill("demo-fast");
    await page.keyboard.press("Enter");
    await sheet.getByRole("button", { name: "添加渠道" }).click();
    await expect(page.getByText("已创建 30 个渠道")).toBeVisible();
    await expect(sheet).toHaveCount(0);
    expect(await channels.list()).toHaveLength(30);
  });

  await test.step("the same keys once more are named with the channels that have them", async () => {
    await page.getByRole("button", { name: "添加渠道" }).click();
    const sheet = page.getByRole("dialog", { name: "添加渠道" });
    await sheet.getByRole("switch", { name: "多个密钥" }).click();
    await sheet
      .getByLabel("密钥", { exact: false })
      .first()
      .fill(["sk-pasted-new", keys[4], keys[5]].join("\n"));
    await expect(sheet.getByText("其他渠道已有其中 2 个密钥")).toBeVisible();
    await page.keyboard.press("Escape");
    await page.getByRole("button", { name: "放弃" }).click();
    await expect(sheet).toHaveCount(0);
  });

  await test.step("all are tested in the background, and one message at the end leads to the failed", async () => {
    await page.getByRole("button", { name: "批量维护" }).click();
    await page.getByRole("menuitem", { name: "测试所有渠道" }).click();
    await expect(page.getByText(/测试完成：成功 \d+ 个，失败 \d+ 个/)).toBeVisible({
      timeout: 60_000,
    });
    await page.getByRole("button", { name: "查看失败的渠道" }).click();
    await expect(page).toHaveURL(/test=failed/);
    await page.goto("/channel?keyword=pasted&test=failed");
    const row = rowOf(page, "pasted");
    await expect(row.getByText("测试失败")).toBeVisible();
    await expect(row.getByText(/上游拒绝了该密钥 \(401\)：This key was revoked/)).toBeVisible();
    await page.reload();
    await expect(page.getByText("测试失败", { exact: true })).toHaveCount(3 + 1);
  });

  await test.step("the failed ones are tagged, and the bad ones dropped", async () => {
    const bar = page.getByRole("region");
    await page.getByRole("checkbox", { name: "选择本页全部" }).check();
    await bar.getByRole("button", { name: "设置标签" }).click();
    const dialog = page.getByRole("dialog", { name: "为 3 个渠道设置标签" });
    await dialog.getByRole("textbox").fill("revoked");
    await dialog.getByRole("button", { name: "设置标签" }).click();
    await expect(page.getByText("已为 3 个渠道设置标签")).toBeVisible();
    expect((await channels.list()).filter(({ tag }) => tag === "revoked")).toHaveLength(3);
    await page.getByRole("checkbox", { name: "选择本页全部" }).check();
    await bar.getByRole("button", { name: "删除" }).click();
    const question = page.getByRole("alertdialog");
    await question.getByRole("textbox").fill("3");
    await question.getByRole("button", { name: "删除" }).click();
    await expect(page.getByText("已删除 3 个渠道")).toBeVisible();
    expect(await channels.list()).toHaveLength(27);
  });
  upstream.stop();
});

test.describe("root", () => {
  test.use({ as: "root" });

  test("O-083 O-086 O-089 O-091 O-165 O-166: root finds and tests the channels that have a key", async ({
    page,
    site,
  }) => {
    const channels = channelsOf(site, "bykey");
    await channels.create({
      name: "bykey one",
      models: "demo-fast",
      key: "sk-bykey-0123456789-one",
    });
    await channels.create({
      name: "bykey two",
      models: "demo-fast",
      key: "sk-bykey-0123456789-two",
    });
    await page.goto("/newChannel?keyword=bykey");
    const key = page.getByLabel("完整密钥（须先选模型）");
    await key.fill(" sk-bykey-0123456789-one ");
    await page.getByRole("button", { name: "查询" }).click();
    await expect(page.getByText("KEY查询时请输入模型")).toBeVisible();
    await page.getByRole("button", { name: "测试匹配的渠道" }).click();
    await expect(page.getByText("请先搜索KEY和模型")).toBeVisible();
    await page.goto("/newChannel?keyword=bykey&model=demo-fast");
    await expect(rowOf(page, "bykey two")).toBeVisible();
    await key.fill(" sk-bykey-0123456789-one ");
    await page.getByRole("button", { name: "查询" }).click();
    await expect(rowOf(page, "bykey two")).toHaveCount(0);
    await expect(rowOf(page, "bykey one")).toBeVisible();
    await expect(page).not.toHaveURL(/sk-/);
    await page.getByRole("button", { name: "测试匹配的渠道" }).click();
    await expect(rowOf(page, "bykey one").getByText(/\d ms/)).toBeVisible();
    await page.getByRole("button", { name: "重置" }).click();
    await expect(page).not.toHaveURL(/keyword/);
    const tested = (await channels.list()).map(({ name, test_time }) => [name, test_time > 0]);
    expect(Object.fromEntries(tested)).toEqual({ "bykey one": true, "bykey two": false });
  });

  test("O-022 O-245 O-248 O-249 O-258 O-259: statistics name each channel with calls, cost and success", async ({
    page,
  }) => {
    await page.goto("/channelStatistics");
    await expect(page.getByRole("heading", { name: "渠道统计" })).toBeVisible();
    await page.getByRole("switch", { name: "合并模型" }).click();
    await expect(page).toHaveURL(/merge=true/);
    await page.getByRole("button", { name: "查询" }).click();
    await page.goto("/channelStatistics?model_name=no-such-model");
    await expect(page.getByText(/没有/).first()).toBeVisible();
  });
});
