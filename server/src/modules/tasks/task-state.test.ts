import { expect, test } from "bun:test";
import { findPlatform } from "#platforms/registry.ts";
import type { Platform } from "#platforms/platform.ts";
import { addressesIn, type ShowRules, showTask } from "./task-state.ts";
import type { TaskRow } from "./tasks.ts";
import { newTask } from "./testing/task-samples.ts";

const upstream = "https://upstream.example";
const id = `T${"a".repeat(32)}`;

function platformOf(name: string): Platform {
  const platform = findPlatform(name);
  if (platform === undefined) throw new Error(name);
  return platform;
}

function rowOf(platform: string, data: object, parts: Partial<TaskRow> = {}): TaskRow {
  return {
    ...newTask({ task_id: id, platform }),
    id: 1,
    upstream_id: "up-1",
    status: "SUCCESS",
    code: 1,
    progress: 100,
    prompt_en: "",
    description: "",
    fail_reason: "",
    result_url: `${upstream}/1.mp3`,
    data: JSON.stringify(data),
    start_time: 0,
    finish_time: 0,
    quota: 0,
    refunded: 0,
    loss: 0,
    log_id: 0,
    ...parts,
  };
}

const rules: ShowRules = {
  streams: true,
  serverAddress: "https://own.example",
  drawing: null,
  marksProgress: true,
};

const songs = [1, 2].map((number) => ({
  id: `clip-${number}`,
  audio_url: `${upstream}/${number}.mp3`,
  image_url: `${upstream}/${number}.png`,
}));

test("when results are streamed, no address of the upstream is shown, and each of ours gives one of them", () => {
  const row = rowOf("suno", { data: songs });
  const { link, task } = showTask(platformOf("suno"), row, rules);
  const own = `https://own.example/v1/tasks/results/${id}`;
  expect(link).toBe(own);
  expect(task.data["data"]).toEqual([
    { id: `${id}-1`, audio_url: own, image_url: `${own}/1` },
    { id: `${id}-2`, audio_url: `${own}/2`, image_url: `${own}/3` },
  ]);
  expect(addressesIn(row)).toEqual([`${upstream}/1.png`, `${upstream}/2.mp3`, `${upstream}/2.png`]);
  const direct = showTask(platformOf("suno"), row, { ...rules, streams: false });
  const told = songs.map(({ audio_url, image_url }) => ({ audio_url, image_url }));
  expect(direct.task.data["data"]).toMatchObject(told);
});

test("an address that the client wrote itself does not come through this server", () => {
  const prompt = "https://anywhere.example/x.png";
  const row = rowOf("suno", { data: [{ ...songs[0], metadata: { prompt } }] }, { prompt });
  expect(addressesIn(row)).toEqual([`${upstream}/1.png`]);
});

test("neither the upstream's ids nor the address for its callbacks are shown to clients", () => {
  const notifyHook = "https://own.example/mj/notify?channel=5&sign=abc";
  const properties = { finalPrompt: "a cat", notifyHook, taskId: "up-1" };
  const drawing = rowOf("midjourney", { properties });
  const shown = showTask(platformOf("midjourney"), drawing, rules);
  expect(shown.task.data).toEqual({
    properties: { finalPrompt: "a cat", notifyHook: "", taskId: id },
  });
  expect(shown.clean({ notifyHook })).toEqual({ notifyHook: "" });
  const videos = [{ id: "video-1" }, { id: "video-2" }];
  const kling = showTask(platformOf("kling"), rowOf("kling", { task_result: { videos } }), rules);
  expect(kling.task.data).toEqual({
    task_result: { videos: [{ id: `${id}-1` }, { id: `${id}-2` }] },
  });
});

test("the address of a picture changes while the picture does", () => {
  const running = rowOf("midjourney", {}, { status: "IN_PROGRESS", progress: 40 });
  const platform = platformOf("midjourney");
  const own = `https://own.example/mj/image/${id}`;
  expect(showTask(platform, running, rules).link).toBe(`${own}?rand=40`);
  expect(showTask(platform, running, { ...rules, marksProgress: false }).link).toBe(own);
  expect(showTask(platform, rowOf("midjourney", {}), rules).link).toBe(own);
});

test("what an upstream nests without end is left out", () => {
  let nested: unknown = "deep";
  for (let depth = 0; depth < 5_000; depth += 1) nested = [nested];
  const { task } = showTask(platformOf("suno"), rowOf("suno", { nested }), rules);
  expect(JSON.stringify(task.data)).not.toContain("deep");
});
