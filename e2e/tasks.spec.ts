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

/** How wide a player's picture is, in pixels; 0: there is none yet. */
function widthOf(element: Element): number {
  return element instanceof HTMLVideoElement ? element.videoWidth : 0;
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

/** What a client sends to get a video of each platform, and of each by the generic path. */
const videos = [
  {
    platform: "OpenAI Video",
    path: "/v1/videos",
    body: { model: "sora-2", prompt: "a quick film" },
  },
  {
    platform: "Kling",
    path: "/kling/v1/videos/text2video",
    body: { model_name: "kling-v1", prompt: "a quick ride" },
  },
  {
    platform: "Doubao",
    path: "/v1/video/generations",
    body: { model: "doubao-seedance-1-0-pro", prompt: "a quick dance" },
  },
];

const failing = { model: "sora-2", prompt: "fail quick film" };

test("O-504 O-505 O-586 O-590: a video of each platform goes from its submission to its player, and a failed one shows charge and refund", async ({
  page,
  site,
}) => {
  await begin(site, "/v1/video/generations", failing);
  // The last is the first row; a closed player's button says its name above, where no row is next.
  for (const { path, body } of videos.toReversed()) await begin(site, path, body);
  await page.goto("/task");
  const rows = page.getByRole("row");
  for (const { platform, body } of videos) {
    const row = rows.filter({ hasText: body.prompt }).filter({ hasText: platform });
    await expect(row).toContainText("成功");
    await expect(row).toContainText("$0.1");
    await row.getByRole("button", { name: `播放 ${body.prompt}` }).click();
    const dialog = page.getByRole("dialog");
    const player = dialog.locator("video");
    await expect.poll(async () => await player.evaluate(widthOf)).toBe(160);
    await page.keyboard.press("Escape");
    await expect(dialog).toHaveCount(0);
  }
  const failed = rows.filter({ hasText: failing.prompt });
  await expect(failed).toContainText("失败");
  await expect(failed).toContainText("Scripted failure");
  await expect(failed).toContainText("已退款");
});

test("O-501 O-582: songs are listed and played, and the list is filtered by platform", async ({
  page,
  site,
}) => {
  await begin(site, "/suno/submit/music", { prompt: "a quick song" });
  await begin(site, "/v1/videos", { model: "sora-2", prompt: "a quick view" });
  await page.goto("/task");
  await expect(page.getByRole("list", { name: "可用的任务" })).toContainText(
    "去水印 · 没有平台提供",
  );
  const song = page.getByRole("row").filter({ hasText: "a quick song" });
  await expect(song).toContainText("Suno");
  await expect(song).toContainText("成功");
  await song.getByRole("button", { name: "播放 a quick song" }).click();
  const player = page.getByRole("dialog").locator("audio");
  // The sound comes through this server, whole enough to know how long it is.
  await expect.poll(async () => await player.evaluate(durationOf)).toBeCloseTo(3, 1);
  await page.keyboard.press("Escape");
  await expect(page.getByRole("dialog")).toHaveCount(0);
  await page.goto("/task?platform=openai-video");
  await expect(page.getByRole("row").filter({ hasText: "a quick view" })).toContainText("成功");
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
