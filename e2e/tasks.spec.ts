import { expect, expectAccessible, type Site, test } from "./support.ts";

/** Begins a task as a client program does. */
async function begin({ origin, key }: Pick<Site, "key" | "origin">, path: string, body: object) {
  const response = await fetch(origin + path, {
    method: "POST",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    body: JSON.stringify(body),
  });
  return await response.json();
}

/** How long a player's file is, in seconds; 0: it is not known yet. */
function durationOf(element: Element): number {
  return element instanceof HTMLMediaElement ? element.duration || 0 : 0;
}

test("O-482 O-488 O-494: a drawing moves to its end by itself, is enlarged, and a failed one shows its refund", async ({
  page,
  site,
}) => {
  await begin(site, "/mj/submit/imagine", { prompt: "a quick cat in the rain" });
  await begin(site, "/mj/submit/imagine", { prompt: "fail quick cat" });
  await page.goto("/midjourney");
  await expect(page.getByRole("heading", { level: 1 })).toHaveText("绘图");
  const rows = page.getByRole("row");
  const drawn = rows.filter({ hasText: "a quick cat in the rain" });
  await expect(drawn).toContainText("成功");
  await expect(drawn).toContainText("已提交");
  await drawn.getByRole("button", { name: "放大 a quick cat in the rain" }).click();
  const dialog = page.getByRole("dialog");
  await expect(dialog.getByRole("img", { name: "a quick cat in the rain" })).toBeVisible();
  await page.keyboard.press("Escape");
  await expect(dialog).toHaveCount(0);
  const failed = rows.filter({ hasText: "Scripted failure" });
  await expect(failed).toContainText("失败");
  await expect(failed).toContainText("已退款");
  await expectAccessible(page);
});

test("a drawing's progress moves without reloading the page", async ({ page, site }) => {
  await begin(site, "/mj/submit/imagine", { prompt: "an endless river" });
  await page.goto("/midjourney");
  const row = page.getByRole("row").filter({ hasText: "an endless river" });
  const progress = row.getByText(/^\d+%$/);
  await expect(progress).toBeVisible();
  const before = await progress.innerText();
  await expect(progress).not.toHaveText(before, { timeout: 30_000 });
  await expect(row).toContainText("执行中");
});

test("O-501 O-506 O-582: songs and videos are listed, told apart and filtered by platform", async ({
  page,
  site,
}) => {
  await begin(site, "/suno/submit/music", { prompt: "a quick song" });
  await begin(site, "/v1/videos", { model: "sora-2", prompt: "a quick film" });
  await begin(site, "/kling/v1/videos/text2video", {
    model_name: "kling-v1",
    prompt: "a quick ride",
  });
  await begin(site, "/doubao/api/v3/contents/generations/tasks", {
    model: "doubao-seedance-1-0-pro",
    content: [{ type: "text", text: "a quick dance" }],
  });
  await page.goto("/task");
  await expect(page.getByRole("list", { name: "可用的任务" })).toContainText(
    "去水印 · 没有平台提供",
  );
  const song = page.getByRole("row").filter({ hasText: "a quick song" });
  await expect(song).toContainText("Suno");
  await expect(song).toContainText("成功");
  const ride = page.getByRole("row").filter({ hasText: "a quick ride" });
  await expect(ride).toContainText("Kling");
  const dance = page.getByRole("row").filter({ hasText: "a quick dance" });
  await expect(dance).toContainText("Doubao");
  await expect(dance).toContainText("成功");
  await song.getByRole("button", { name: "播放 a quick song" }).click();
  const player = page.getByRole("dialog").locator("video");
  // The sound comes through this server, whole enough to know how long it is.
  await expect.poll(async () => await player.evaluate(durationOf)).toBeCloseTo(3, 1);
  await page.keyboard.press("Escape");
  await expect(page.getByRole("dialog")).toHaveCount(0);
  await page.goto("/task?platform=openai-video");
  await expect(page.getByRole("row").filter({ hasText: "a quick film" })).toContainText("成功");
  await expect(song).toHaveCount(0);
});

test.describe("a user", () => {
  test.use({ as: "user" });

  test("O-485 O-500 O-503: sees no task of others, and no filter of channels", async ({
    page,
    site,
  }) => {
    await begin(site, "/suno/submit/lyrics", { prompt: "quick words of root" });
    await page.goto("/task");
    await expect(page.getByText("还没有任务")).toBeVisible();
    await expect(page.getByText("渠道 ID")).toHaveCount(0);
    await expect(page.getByText("quick words of root")).toHaveCount(0);
  });
});
