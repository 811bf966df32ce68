/**
 * Asynchronous tasks on the product, against the demo upstream: what clients of each platform get
 * from submission to result, what it costs, and what nobody gets who should not.
 */

import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { startDemoUpstream } from "@tollgate/demo/demo-upstream.ts";
import { type ConsoleClient, setRatio, signIn } from "#test/console.ts";
import { type Gateway, type Home, makeHome, runCommand, startGateway } from "#test/gateway.ts";
import { eventually } from "./ledger.ts";

const upstream = startDemoUpstream();
const channelKey = "sk-channel-secret";
const dance = "doubao-seedance-1-0-pro";
const doubaoTasks = "/doubao/api/v3/contents/generations/tasks";
const drawings = "mj_imagine,mj_upscale,mj_blend,mj_inpaint,mj_upload,swap_face";

let home: Home;
let gateway: Gateway;
let root: ConsoleClient;
let alice: ConsoleClient;
let key: string;
let otherKey: string;
/** The gateway's ids of tasks that end within seconds; all are begun first, so that tests wait once. */
let begun: Awaited<ReturnType<typeof beginAll>>;
beforeAll(async () => {
  home = await makeHome("sqlite");
  gateway = await startGateway(home);
  root = await signIn(gateway.origin);
  const set = async (name: string, value: string) =>
    await root.call("PUT", "/api/option/", { key: name, value });
  await set("ConsoleRequestsPerMinute", "0");
  await set("ServerAddress", gateway.origin);
  for (const model of ["kling-v1", "kling-image-v1", "sora-2", dance]) {
    await setRatio(root, "ModelPrice", model, 0.2);
  }
  const modes = { fast: "2", relax: "0.5" };
  const factors = {
    mj_imagine: { per: "call", sizes: {}, modes },
    "sora-2": { per: "second", sizes: { "1280x720": "1.5" }, modes: {} },
    [dance]: { per: "second", sizes: { "1080p": "2" }, modes: {} },
  };
  await set("TaskPriceFactors", JSON.stringify(factors));
  const channel = { key: channelKey, base_url: upstream.url, group: "default", status: 1 };
  const setting = JSON.stringify({ stream_results: true });
  await addChannel({ ...channel, name: "drawing", type: 2, models: drawings });
  await addChannel({ ...channel, name: "song", type: 36, models: "suno_music,suno_lyrics" });
  await addChannel({ ...channel, name: "kling", type: 50, models: "kling-v1,kling-image-v1" });
  await addChannel({ ...channel, name: "doubao", type: 54, models: dance, setting });
  await addChannel({ ...channel, name: "video", type: 55, models: "sora-2", setting });
  key = await addToken(root, {});
  await root.call("POST", "/api/user/", { username: "alice", password: "correct horse battery" });
  alice = await signIn(gateway.origin, { username: "alice", password: "correct horse battery" });
  await root.call("PUT", "/api/user/", {
    id: alice.userId,
    quota_delta: 50_000_000,
    reason: "test",
  });
  otherKey = await addToken(alice, {});
  begun = await beginAll();
});
afterAll(async () => {
  await gateway.kill();
  await home.remove();
  await upstream.stop();
});

async function addChannel(channel: object): Promise<void> {
  await root.call("POST", "/api/channel/", channel);
}

async function addToken(of: ConsoleClient, more: object): Promise<string> {
  const made = await of.call<{ id: number }>("POST", "/api/token/", {
    name: "laptop",
    unlimited_quota: true,
    expired_time: -1,
    remain_quota: 0,
    ...more,
  });
  const shown = await of.call<string | { key: string }>("POST", `/api/token/${made.id}/key`);
  const text = typeof shown === "string" ? shown : shown.key;
  return text.startsWith("sk-") ? text : `sk-${text}`;
}

type Answer = { readonly status: number; readonly body: Record<string, unknown> };

async function send(method: string, path: string, body?: object, by = key): Promise<Answer> {
  const response = await fetch(gateway.origin + path, {
    method,
    headers: { authorization: `Bearer ${by}`, "content-type": "application/json" },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  // Safe cast: every answer of these calls is a JSON object or list.
  return { status: response.status, body: (await response.json()) as Record<string, unknown> };
}

const imagine = async (prompt: string, path = "/mj/submit/imagine", by = key) =>
  await send("POST", path, { prompt }, by);

async function beginAll() {
  const video = { model: "sora-2", prompt: "a quick cat", seconds: "8", size: "1280x720" };
  const short = { model_name: "kling-v1", prompt: "a quick cat", duration: "5" };
  const cat = await imagine("a quick cat");
  const failing = await imagine("fail quick please");
  const song = await send("POST", "/suno/submit/music", { prompt: "a quick song" });
  const made = await send("POST", "/v1/videos", video);
  const kling = await send("POST", "/kling/v1/videos/text2video", short);
  const content = [{ type: "text", text: "a quick dance --dur 3 --rs 1080p" }];
  const doubao = await send("POST", doubaoTasks, { model: dance, content });
  return { cat, failing, song, made, kling, doubao };
}

async function ended(id: string): Promise<Record<string, unknown>> {
  const read = async () => (await send("GET", `/mj/task/${id}/fetch`)).body;
  const isOver = (task: Record<string, unknown>): boolean =>
    task["status"] === "SUCCESS" || task["status"] === "FAILURE";
  return await eventually(read, isOver, { what: `the end of ${id}` });
}

type Row = Record<string, unknown> & { readonly quota: number; readonly refunded: number };

async function rowOf(id: string): Promise<Row> {
  const path = `/api/mj/?mj_id=${id}`;
  const rows = [...(await root.call<Row[]>("GET", path))];
  const others = await root.call<Row[]>("GET", `/api/task/?task_id=${id}`);
  const [row] = [...rows, ...others];
  if (row === undefined) throw new Error(`no row of ${id}`);
  return row;
}

const balance = async (): Promise<number> =>
  (await root.call<{ quota: number }>("GET", "/api/user/self")).quota;

describe("pictures of Midjourney (O-482 … O-500)", () => {
  test("are submitted, charged by speed, shown through this server and followed up", async () => {
    const submitted = begun.cat;
    expect(submitted).toMatchObject({
      status: 200,
      body: { code: 1, description: "Submit success" },
    });
    const id = String(submitted.body["result"]);
    expect(id).toMatch(/^T[0-9A-Za-z]{32}$/);
    expect((await rowOf(String(submitted.body["result"]))).quota).toBe(50_000);
    const task = await ended(id);
    expect(task).toMatchObject({ id, status: "SUCCESS", progress: "100%", prompt: "a quick cat" });
    expect(JSON.stringify(task)).not.toContain("demo-");
    expect(task["imageUrl"]).toBe(`${gateway.origin}/mj/image/${id}`);
    const picture = await fetch(String(task["imageUrl"]));
    expect([picture.status, picture.headers.get("content-type")]).toEqual([200, "image/bmp"]);
    expect((await picture.arrayBuffer()).byteLength).toBeGreaterThan(10_000);

    const seed = await send("GET", `/mj/task/${id}/image-seed`);
    expect(seed.body).toMatchObject({ code: 1, result: "1234567890" });
    const followUp = await send("POST", "/mj/submit/simple-change", { content: `${id} U2` });
    expect(followUp.body).toMatchObject({ code: 1 });
    const many = await send("POST", "/mj/task/list-by-condition", { ids: [id, "T0"] });
    expect(many.body).toMatchObject([{ id }]);
  });

  test("cost what their speed says, from the path, the prompt or the token", async () => {
    const fast = await imagine("a quick cat", "/fast/mj/submit/imagine");
    expect((await rowOf(String(fast.body["result"]))).quota).toBe(100_000);
    const word = await imagine("a quick cat --relax");
    expect((await rowOf(String(word.body["result"]))).quota).toBe(25_000);
    const relaxed = await addToken(root, { mj_mode: "relax" });
    const byToken = await imagine("a quick cat", "/mj/submit/imagine", relaxed);
    expect((await rowOf(String(byToken.body["result"]))).quota).toBe(25_000);
  });

  test("that fail are refunded once, and the row says so", async () => {
    const { body } = begun.failing;
    expect(await ended(String(body["result"]))).toMatchObject({
      status: "FAILURE",
      failReason: "Scripted failure",
    });
    expect(await rowOf(String(body["result"]))).toMatchObject({ quota: 50_000, refunded: 50_000 });
  });

  test("that the upstream refuses or never answers cost nothing", async () => {
    const before = await balance();
    expect(await imagine("banned words")).toMatchObject({ status: 400, body: { code: 24 } });
    expect((await imagine("silent night")).status).toBe(502);
    expect(await imagine("")).toMatchObject({
      status: 400,
      body: { description: "prompt_is_required" },
    });
    const [silent, banned] = await root.call<Row[]>("GET", "/api/mj/");
    expect(silent).toMatchObject({ status: "UNKNOWN", quota: 0 });
    expect(banned).toMatchObject({ status: "FAILURE", quota: 0, code: 24 });
    expect(await balance()).toBe(before);
  });

  test("that the upstream has already cost nothing, and those of others stay theirs", async () => {
    const first = await imagine("a quick cat");
    const before = await balance();
    const twin = await imagine("twin quick");
    expect(twin.body["result"]).toBe(String(first.body["result"]));
    expect(await balance()).toBe(before);
    const stolen = await imagine("twin quick", "/mj/submit/imagine", otherKey);
    expect(stolen.status).toBe(502);
    expect(JSON.stringify(stolen.body)).not.toContain(String(first.body["result"]));
  });
});

describe("what nobody may do", () => {
  test("a task of somebody else is not found, whatever is asked", async () => {
    const id = String(begun.cat.body["result"]);
    const fetched = await send("GET", `/mj/task/${id}/fetch`, undefined, otherKey);
    expect(fetched).toMatchObject({ status: 400, body: { description: "task_no_found" } });
    const none = await send("POST", "/mj/task/list-by-condition", { ids: [id] }, otherKey);
    expect(JSON.stringify(none.body)).toBe("[]");
    const followed = { content: `${id} U1` };
    const refused = await send("POST", "/mj/submit/simple-change", followed, otherKey);
    expect(refused).toMatchObject({ status: 400, body: { description: "task_not_found" } });
    expect((await send("GET", `/mj/task/${id}/image-seed`, undefined, otherKey)).status).toBe(400);
  });

  test("a callback counts only with the secret of the task's channel", async () => {
    const { body } = await imagine("endless cat");
    const id = String(body["result"]);
    const row = await rowOf(id);
    const notice = { id: "guessed", status: "FAILURE", failReason: "x", progress: "100%" };
    const tell = async (query: string, headers: Record<string, string> = {}) =>
      (
        await fetch(`${gateway.origin}/mj/notify${query}`, {
          method: "POST",
          headers: { "content-type": "application/json", ...headers },
          body: JSON.stringify(notice),
        })
      ).status;
    const channel = `?channel=${String(row["channel_id"])}`;
    expect(await tell("")).toBe(403);
    expect(await tell(channel)).toBe(403);
    expect(await tell(`${channel}&sign=00`)).toBe(403);
    expect(await tell("?channel=99", { "mj-api-secret": channelKey })).toBe(403);
    expect(await tell(channel, { "mj-api-secret": "sk-wrong" })).toBe(403);
    // The right secret, and an id that the channel does not have.
    expect(await tell(channel, { "mj-api-secret": channelKey })).toBe(400);
    expect((await rowOf(id))["status"]).not.toBe("FAILURE");
  });

  test("the picture proxy gives pictures of tasks and nothing else", async () => {
    const paths = ["T".padEnd(33, "0"), "https%3A%2F%2Fexample.com", "..%2F..%2Fapi%2Fstatus"];
    for (const path of paths) {
      expect((await fetch(`${gateway.origin}/mj/image/${path}`)).status, path).toBe(404);
    }
    const { body } = await imagine("endless cat");
    expect((await fetch(`${gateway.origin}/mj/image/${String(body["result"])}`)).status).toBe(404);
    expect((await send("GET", "/mj/task/x/fetch", undefined, "sk-none")).status).toBe(401);
  });

  test("a token without the model gets no task", async () => {
    const limited = await addToken(root, { model_limits_enabled: true, model_limits: "sora-2" });
    expect((await imagine("a cat", "/mj/submit/imagine", limited)).status).toBe(403);
  });
});

describe("songs of Suno (O-501 … O-516)", () => {
  test("are made, fetched alone and together, and shown to their user", async () => {
    const made = begun.song;
    expect(made).toMatchObject({ status: 200, body: { code: "success" } });
    const id = String(made.body["data"]);
    const lyrics = await send("POST", "/suno/submit/LYRICS", { prompt: "quick words" });
    const read = async () => (await send("GET", `/suno/fetch/${id}`)).body;
    const done = await eventually(read, (body) => Object(body["data"])["status"] === "SUCCESS", {
      what: "the song",
    });
    expect(done).toMatchObject({
      code: "success",
      data: { task_id: id, action: "MUSIC", progress: "100%" },
    });
    const ids = [id, String(lyrics.body["data"]), "T0"];
    const many = await send("POST", "/suno/fetch", { ids });
    expect((many.body["data"] as unknown[]).length).toBe(2);
    expect(await rowOf(id)).toMatchObject({ platform: "suno", quota: 50_000, refunded: 0 });
    expect(await send("GET", "/suno/fetch/T0")).toMatchObject({
      status: 400,
      body: { code: "task_not_exist" },
    });
  });

  test("are refused with words that say what is missing", async () => {
    const codes = [
      ["/suno/submit/lyrics", {}, "prompt_empty"],
      ["/suno/submit/video", {}, "invalid_action"],
      ["/suno/submit/music", { prompt: "x", continue_clip_id: "c" }, "task id is empty"],
    ] as const;
    for (const [path, body, message] of codes) {
      expect(await send("POST", path, body)).toMatchObject({ status: 400, body: { message } });
    }
    const own = await alice.call<Row[]>("GET", "/api/task/self");
    expect(own).toEqual([]);
  });
});

test("O-517: page, channel and times narrow the lists", async () => {
  const all = await root.call<Row[]>("GET", "/api/mj/?page_size=100");
  expect(all.length).toBeGreaterThan(2);
  const channel = String(all[0]?.["channel_id"]);
  const now = Date.now();
  const counts = {
    "page_size=1&p=0": 1,
    "page_size=1&p=1": 1,
    [`page_size=100&channel_id=${channel}`]: all.length,
    "channel_id=9999": 0,
    [`start_timestamp=${now + 60_000}`]: 0,
    [`page_size=100&start_timestamp=${now - 600_000}&end_timestamp=${now + 60_000}`]: all.length,
    "end_timestamp=1000": 0,
  };
  for (const [query, count] of Object.entries(counts)) {
    const rows = await root.call<Row[]>("GET", `/api/mj/?${query}`);
    expect(rows.length, query).toBe(count);
  }
  const others = {
    "platform=suno&page_size=100": true,
    "platform=none": false,
    "status=FAILURE&platform=kling": false,
    [`start_timestamp=${Math.floor(now / 1_000) + 60}`]: false,
    "start_timestamp=NaN&end_timestamp=NaN": true,
  };
  for (const [query, some] of Object.entries(others)) {
    const rows = await root.call<Row[]>("GET", `/api/task/?${query}`);
    expect(rows.length > 0, query).toBe(some);
  }
});

describe("videos", () => {
  test("of OpenAI's form cost their seconds and size, and come through this server", async () => {
    const { made } = begun;
    expect(made).toMatchObject({ status: 200, body: { object: "video", status: "queued" } });
    const id = String(made.body["id"]);
    expect((await rowOf(id)).quota).toBe(0.2 * 500_000 * 8 * 1.5);
    const read = async () => (await send("GET", `/v1/videos/${id}`)).body;
    const done = await eventually(read, (video) => video["status"] === "completed", {
      what: "the video",
    });
    expect(done).toMatchObject({ id, progress: 100, seconds: "8" });
    const link = `${gateway.origin}/v1/tasks/results/${id}`;
    expect(done["video_url"]).toBe(link);
    expect((await fetch(link)).headers.get("content-type")).toBe("audio/wav");
    const content = { headers: { authorization: `Bearer ${key}` } };
    expect((await fetch(`${gateway.origin}/v1/videos/${id}/content`, content)).status).toBe(200);
    const foreign = { headers: { authorization: `Bearer ${otherKey}` } };
    expect((await fetch(`${gateway.origin}/v1/videos/${id}/content`, foreign)).status).toBe(404);
    const list = await send("GET", "/v1/videos");
    expect(list.body["data"]).toMatchObject([{ id }]);
    const removed = await send("DELETE", `/v1/videos/${id}`);
    expect(removed.body).toEqual({ id, object: "video.deleted", deleted: true });
    expect((await send("POST", "/v1/videos", { prompt: "x", seconds: "0" })).status).toBe(400);
  });

  test("of the generic form are the same tasks", async () => {
    const body = { model: "sora-2", prompt: "a quick cat", duration: 4 };
    const made = await send("POST", "/v1/video/generations", body);
    const fetched = await send("GET", `/v1/video/generations/${String(made.body["id"])}`);
    expect(fetched.body).toMatchObject({ id: made.body["id"], object: "video" });
  });

  test("and pictures of Kling are made from submission to result", async () => {
    const made = begun.kling;
    expect(made.body).toMatchObject({ code: 0, data: { task_status: "submitted" } });
    const id = String(Object(made.body["data"])["task_id"]);
    const read = async () => (await send("GET", `/v1/videos/text2video/${id}`)).body;
    const done = await eventually(
      read,
      (answer) => Object(answer["data"])["task_status"] === "succeed",
      { what: "Kling's video" },
    );
    expect(JSON.stringify(done)).toContain(`${upstream.url}/media/`);
    const wrong = await send("POST", "/kling/v1/videos/text2video", { prompt: "x", duration: "7" });
    expect(wrong).toMatchObject({ status: 400, body: { message: "duration must be 5 or 10" } });
  });
});

test("videos of Doubao cost their seconds and size, and come through this server", async () => {
  const { status, body } = begun.doubao;
  const id = String(body["id"]);
  expect([status, Object.keys(body)]).toEqual([200, ["id"]]);
  expect((await rowOf(id)).quota).toBe(0.2 * 500_000 * 3 * 2);
  const read = async () => (await send("GET", `${doubaoTasks}/${id}`)).body;
  const what = "Doubao's video";
  const done = await eventually(read, ({ status: now }) => now === "succeeded", { what });
  const link = `${gateway.origin}/v1/tasks/results/${id}`;
  expect(done).toMatchObject({ id, model: dance, content: { video_url: link }, error: null });
  expect((await fetch(link)).headers.get("content-type")).toBe("audio/wav");
  expect((await send("GET", doubaoTasks)).body["items"]).toMatchObject([{ id }]);
  expect((await send("GET", `${doubaoTasks}/${id}`, undefined, otherKey)).status).toBe(404);
});

test("the ledger is proved after all of this, and a killed gateway goes on with its tasks", async () => {
  const { body } = await imagine("a quick cat");
  const id = String(body["result"]);
  await gateway.kill();
  gateway = await startGateway(home);
  expect(await ended(id)).toMatchObject({ status: "SUCCESS" });
  await gateway.kill();
  const audit = await runCommand(home, ["audit"]);
  expect(audit).toMatchObject({ code: 0 });
});
