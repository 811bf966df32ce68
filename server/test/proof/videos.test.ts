/**
 * Videos on the product, against the demo upstream: what clients of each platform get from
 * submission to result, and what it costs.
 */

import { afterAll, beforeAll, expect, test } from "bun:test";
import OpenAI, { toFile } from "openai";
import { eventually } from "./ledger.ts";
import { openTaskScene, type TaskScene, videoPrice } from "./task-scene.ts";

const dance = "doubao-seedance-1-0-pro";
const doubaoTasks = "/doubao/api/v3/contents/generations/tasks";
const generations = "/v1/video/generations";

/** The price of a video in quota units. */
const price = videoPrice * 500_000;

let scene: TaskScene;
/** Answers to submissions whose tasks end within seconds; all are made first, so that tests wait once. */
let begun: Awaited<ReturnType<typeof beginAll>>;
beforeAll(async () => {
  scene = await openTaskScene({
    channels: [
      { type: 36, models: "suno_music" },
      { type: 50, models: "kling-v1,kling-image-v1,kling-extend,kling-lip-sync" },
      { type: 54, models: dance, streams: true },
      { type: 55, models: "sora-2", streams: true },
    ],
    priced: ["kling-v1", "kling-image-v1", "kling-extend", "kling-lip-sync", "sora-2", dance],
    factors: {
      "sora-2": { per: "second", sizes: { "1280x720": "1.5" }, modes: {} },
      [dance]: { per: "second", sizes: { "1080p": "2" }, modes: {} },
    },
  });
  begun = await beginAll();
});
afterAll(async () => await scene.stop());

const send: TaskScene["send"] = async (...asked) => await scene.send(...asked);

async function beginAll() {
  const video = { model: "sora-2", prompt: "a quick cat", seconds: "8", size: "1280x720" };
  const made = await send("POST", "/v1/videos", video);
  const short = { model_name: "kling-v1", prompt: "a quick cat", duration: "5" };
  const kling = await send("POST", "/kling/v1/videos/text2video", short);
  const content = [{ type: "text", text: "a quick dance --dur 3 --rs 1080p" }];
  const doubao = await send("POST", doubaoTasks, { model: dance, content });
  const wish = { prompt: "a quick wish", duration: 5, width: 1920, height: 1080 };
  const song = await send("POST", "/suno/submit/music", { prompt: "a quick song" });
  const generic = {
    "kling-v1": await send("POST", generations, { model: "kling-v1", ...wish }),
    "sora-2": await send("POST", generations, { ...wish, width: 1280, height: 720 }),
    [dance]: await send("POST", generations, { model: dance, ...wish }),
  };
  return { made, kling, doubao, song, generic };
}

test("videos of OpenAI's form cost their seconds and size, and come through this server", async () => {
  const { made } = begun;
  expect(made).toMatchObject({ status: 200, body: { object: "video", status: "queued" } });
  const id = String(made.body["id"]);
  expect((await scene.rowOf(id)).quota).toBe(price * 8 * 1.5);
  const read = async () => (await send("GET", `/v1/videos/${id}`)).body;
  const done = await eventually(read, (video) => video["status"] === "completed", {
    what: "the video",
  });
  expect(done).toMatchObject({ id, progress: 100, seconds: "8" });
  const link = `${scene.origin}/v1/tasks/results/${id}`;
  expect(done["video_url"]).toBe(link);
  expect((await fetch(link)).headers.get("content-type")).toBe("video/webm");
  const content = { headers: { authorization: `Bearer ${scene.key}` } };
  expect((await fetch(`${scene.origin}/v1/videos/${id}/content`, content)).status).toBe(200);
  const foreign = { headers: { authorization: `Bearer ${scene.otherKey}` } };
  expect((await fetch(`${scene.origin}/v1/videos/${id}/content`, foreign)).status).toBe(404);
  const list = await send("GET", "/v1/videos");
  expect(list.body["data"]).toContainEqual(expect.objectContaining({ id }));
  const remix = await send("POST", `/v1/videos/${id}/remix`, { prompt: "a quick cat at night" });
  expect(remix).toMatchObject({ status: 200, body: { remixed_from_video_id: id, seconds: "8" } });
  expect((await scene.rowOf(String(remix.body["id"]))).quota).toBe(price * 8 * 1.5);
  const theirs = await send("POST", `/v1/videos/${id}/remix`, { prompt: "x" }, scene.otherKey);
  expect(theirs.status).toBe(404);
  const removed = await send("DELETE", `/v1/videos/${id}`);
  expect(removed.body).toEqual({ id, object: "video.deleted", deleted: true });
  expect((await send("GET", `/v1/videos/${id}`)).body["video_url"]).toBeUndefined();
  expect((await fetch(link)).status).toBe(404);
  expect((await send("POST", "/v1/videos", { prompt: "x", seconds: "0" })).status).toBe(400);
  // Even if no channel makes the model: the request is what is wrong.
  expect((await send("POST", generations, { model: "no-such-model" })).status).toBe(400);
});

test("videos of the generic form are made by each platform, at the platform's price", async () => {
  const quotas: Readonly<Record<string, number>> = {
    "kling-v1": price,
    "sora-2": price * 5 * 1.5,
    [dance]: price * 5 * 2,
  };
  const platforms: Readonly<Record<string, string>> = {
    "kling-v1": "kling",
    "sora-2": "openai-video",
    [dance]: "doubao",
  };
  for (const [model, { status, body }] of Object.entries(begun.generic)) {
    expect([status, body["object"], body["model"]]).toEqual([200, "video", model]);
    const id = String(body["id"]);
    expect(await scene.rowOf(id)).toMatchObject({
      platform: platforms[model],
      quota: quotas[model],
      prompt: expect.stringContaining("a quick wish"),
    });
    const path = `${generations}/${id}`;
    const read = async () => (await send("GET", path)).body;
    const what = `${model}'s video`;
    const done = await eventually(read, (video) => video["status"] === "completed", { what });
    expect(done).toMatchObject({ id, task_id: id, model, progress: 100, error: null });
    const played = await fetch(String(done["video_url"]));
    expect(played.headers.get("content-type")).toBe("video/webm");
    // What upstreams call it stays here.
    expect(JSON.stringify({ ...done, video_url: "" })).not.toContain("demo-");
    expect((await send("GET", path, undefined, scene.otherKey)).status).toBe(404);
  }
  const wrong = { model: "kling-v1", prompt: "x", duration: 4 };
  expect(await send("POST", generations, wrong)).toMatchObject({
    status: 400,
    body: { error: { message: "duration must be 5 or 10" } },
  });
  // No platform of videos has the model's channel, and songs are no videos.
  const song = { model: "suno_music", prompt: "x" };
  expect((await send("POST", generations, song)).status).toBe(503);
  const other = String(begun.song.body["data"]);
  expect((await send("GET", `${generations}/${other}`)).status).toBe(404);
});

test("videos are made by OpenAI's SDK, which sends forms, with the picture that they begin with", async () => {
  const { videos } = new OpenAI({
    apiKey: scene.key,
    baseURL: `${scene.origin}/v1`,
    maxRetries: 0,
  });
  const picture = await toFile(new Uint8Array([137, 80, 78, 71]), "first.png", {
    type: "image/png",
  });
  const more = { seconds: "8", size: "1280x720", input_reference: picture } as const;
  const made = await videos.create({ model: "sora-2", prompt: "a quick form", ...more });
  expect(made).toMatchObject({ object: "video", status: "queued", seconds: "8" });
  const { quota, prompt } = await scene.rowOf(made.id);
  expect([quota, prompt]).toEqual([price * 8 * 1.5, "a quick form"]);
  expect(await videos.retrieve(made.id)).toMatchObject({ id: made.id, model: "sora-2" });
  const all = (await send("GET", "/v1/videos?limit=100")).body["data"] as { id: string }[];
  const [first] = all;
  expect(first?.id).toBe(made.id);
  // The SDK asks for one page after another.
  const paged: string[] = [];
  for await (const { id } of videos.list({ limit: 1 })) paged.push(id);
  expect(paged).toEqual(all.map(({ id }) => id));
  const oldest: string[] = [];
  for await (const { id } of videos.list({ limit: 2, order: "asc" })) oldest.push(id);
  expect(oldest).toEqual(paged.toReversed());
});

test("videos of Kling are made from submission to result", async () => {
  const made = begun.kling;
  expect(made.body).toMatchObject({ code: 0, data: { task_status: "submitted" } });
  const id = String(Object(made.body["data"])["task_id"]);
  const read = async () => (await send("GET", `/v1/videos/text2video/${id}`)).body;
  const done = await eventually(
    read,
    (answer) => Object(answer["data"])["task_status"] === "succeed",
    { what: "Kling's video" },
  );
  expect(JSON.stringify(done)).toContain(`${scene.upstream.url}/media/`);
  // What goes on with a video names it by our id, and is its owner's.
  const result = Object(Object(done["data"])["task_result"]);
  const [video] = result["videos"] as Record<string, unknown>[];
  expect(video?.["id"]).toBe(`${id}-1`);
  const followUps = [
    ["video-extend", { video_id: `${id}-1`, prompt: "more" }],
    ["video-extend", { task_id: id, prompt: "more" }],
    ["lip-sync", { input: { video_id: `${id}-1`, mode: "text2video", text: "hello" } }],
  ] as const;
  for (const [kind, body] of followUps) {
    const path = `/kling/v1/videos/${kind}`;
    expect((await send("POST", path, body)).status, kind).toBe(200);
    expect((await send("POST", path, body, scene.otherKey)).status, kind).toBe(404);
  }
  const guessed = { video_id: "video-1", prompt: "more" };
  expect((await send("POST", "/kling/v1/videos/video-extend", guessed)).status).toBe(404);
  const wrong = await send("POST", "/kling/v1/videos/text2video", { prompt: "x", duration: "7" });
  expect(wrong).toMatchObject({ status: 400, body: { message: "duration must be 5 or 10" } });
});

test("videos of Doubao cost their seconds and size, and come through this server", async () => {
  const { status, body } = begun.doubao;
  const id = String(body["id"]);
  expect([status, Object.keys(body)]).toEqual([200, ["id"]]);
  expect((await scene.rowOf(id)).quota).toBe(price * 3 * 2);
  const read = async () => (await send("GET", `${doubaoTasks}/${id}`)).body;
  const what = "Doubao's video";
  const done = await eventually(read, ({ status: now }) => now === "succeeded", { what });
  const link = `${scene.origin}/v1/tasks/results/${id}`;
  expect(done).toMatchObject({ id, model: dance, content: { video_url: link }, error: null });
  expect((await fetch(link)).headers.get("content-type")).toBe("video/webm");
  const { items } = (await send("GET", doubaoTasks)).body;
  expect(items).toContainEqual(expect.objectContaining({ id }));
  expect((await send("GET", `${doubaoTasks}/${id}`, undefined, scene.otherKey)).status).toBe(404);
});

test("what users have at an upstream besides their own tasks is named by nobody", async () => {
  const own = String((begun.song.body["data"] as string | undefined) ?? "");
  const kling = "/kling/v1/videos/text2video";
  const short = { model_name: "kling-v1", prompt: "a quick cat", duration: "5" };
  const requests: readonly (readonly [path: string, body: object])[] = [
    ["/v1/videos", { prompt: "x", input_reference: { file_id: "file-1" } }],
    ["/v1/videos", { prompt: "x", "input_reference[file_id]": "file-1" }],
    ["/v1/videos", { prompt: "x", remix_video_id: "video_1" }],
    ["/v1/videos", { prompt: "x", characters: [{ id: "char_1" }] }],
    [generations, { model: "sora-2", prompt: "x", metadata: { file_id: "file-1" } }],
    [generations, { model: "kling-v1", prompt: "x", duration: 5, metadata: { video_id: "1" } }],
    [kling, { ...short, video_id: "1" }],
    [kling, { ...short, element_list: [{ element_id: 1 }] }],
    [kling, { ...short, Video_Id: "1" }],
    ["/suno/submit/music", { prompt: "x", task_id: own, continue_clip_id: "clip-of-another" }],
    ["/suno/submit/music", { prompt: "x", persona_id: "1" }],
    ["/suno/submit/music", { prompt: "x", cover_clip_id: "1" }],
    [doubaoTasks, { model: dance, content: [{ type: "draft_task", draft_task: { id: "cgt-1" } }] }],
    [
      doubaoTasks,
      { model: dance, content: [{ type: "image_url", image_url: { url: "asset://1" } }] },
    ],
  ];
  for (const [path, body] of requests) {
    const answer = await send("POST", path, body);
    expect([path, body, answer.status]).toEqual([path, body, 400]);
    expect(JSON.stringify(answer.body)).toContain("Ids are shared");
  }
});
