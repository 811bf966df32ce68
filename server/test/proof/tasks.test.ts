/**
 * Pictures and songs on the product, against the demo upstream: what clients of each platform get
 * from submission to result, what it costs, and what nobody gets who should not.
 */

import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { addChannel, addToken } from "#test/console.ts";
import { runCommand } from "#test/gateway.ts";
import { eventually } from "./ledger.ts";
import { channelKey, openTaskScene, type Row, type TaskScene } from "./task-scene.ts";

const drawings = "mj_imagine,mj_upscale,mj_blend,mj_inpaint,mj_upload,swap_face";
const modes = { fast: "2", relax: "0.5" };

let scene: TaskScene;
/** The gateway's ids of tasks that end within seconds; all are begun first, so that tests wait once. */
let begun: Awaited<ReturnType<typeof beginAll>>;
beforeAll(async () => {
  scene = await openTaskScene({
    channels: [
      { type: 2, models: drawings },
      { type: 36, models: "suno_music,suno_lyrics" },
    ],
    factors: { mj_imagine: { per: "call", sizes: {}, modes } },
  });
  begun = await beginAll();
});
afterAll(async () => await scene.stop());

const send: TaskScene["send"] = async (...asked) => await scene.send(...asked);

const imagine = async (prompt: string, path = "/mj/submit/imagine", by = scene.key) =>
  await send("POST", path, { prompt }, by);

async function beginAll() {
  const cat = await imagine("a quick cat");
  const failing = await imagine("fail quick please");
  const song = await send("POST", "/suno/submit/music", { prompt: "a quick song" });
  return { cat, failing, song };
}

async function ended(id: string): Promise<Record<string, unknown>> {
  const read = async () => (await send("GET", `/mj/task/${id}/fetch`)).body;
  const isOver = (task: Record<string, unknown>): boolean =>
    task["status"] === "SUCCESS" || task["status"] === "FAILURE";
  return await eventually(read, isOver, { what: `the end of ${id}` });
}

const balance = async (): Promise<number> =>
  (await scene.root.call<{ quota: number }>("GET", "/api/user/self")).quota;

describe("pictures of Midjourney (O-482 … O-500)", () => {
  test("are submitted, charged by speed, shown through this server and followed up", async () => {
    const submitted = begun.cat;
    expect(submitted).toMatchObject({
      status: 200,
      body: { code: 1, description: "Submit success" },
    });
    const id = String(submitted.body["result"]);
    expect(id).toMatch(/^T[0-9A-Za-z]{32}$/);
    expect((await scene.rowOf(String(submitted.body["result"]))).quota).toBe(50_000);
    type Log = { readonly content: string };
    const { items } = await scene.root.call<{ items: Log[] }>("GET", "/api/log/?page_size=100");
    const content = `模型固定价格 0.1，分组倍率 1，操作 IMAGINE，ID ${id}`;
    expect(items).toContainEqual(expect.objectContaining({ content, quota: 50_000, type: 2 }));
    const task = await ended(id);
    expect(task).toMatchObject({ id, status: "SUCCESS", progress: "100%", prompt: "a quick cat" });
    expect(JSON.stringify(task)).not.toContain("demo-");
    expect(task["imageUrl"]).toBe(`${scene.origin}/mj/image/${id}`);
    const picture = await fetch(String(task["imageUrl"]));
    expect([picture.status, picture.headers.get("content-type")]).toEqual([200, "image/bmp"]);
    expect((await picture.arrayBuffer()).byteLength).toBeGreaterThan(10_000);

    const seed = await send("GET", `/mj/task/${id}/image-seed`);
    expect(seed.body).toMatchObject({ code: 1, result: "1234567890" });
    const followUp = await send("POST", "/mj/submit/simple-change", { content: `${id} U2` });
    expect(followUp.body).toMatchObject({ code: 1 });
    const inherited = { action: "UPSCALE", prompt: "a quick cat" };
    expect(await scene.rowOf(String(followUp.body["result"]))).toMatchObject(inherited);
    const many = await send("POST", "/mj/task/list-by-condition", { ids: [id, "T0"] });
    expect(many.body).toMatchObject([{ id }]);
  });

  test("O-288: cost what their speed says, from the path, the prompt or the token", async () => {
    const fast = await imagine("a quick cat", "/fast/mj/submit/imagine");
    expect((await scene.rowOf(String(fast.body["result"]))).quota).toBe(100_000);
    const word = await imagine("a quick cat --relax");
    expect((await scene.rowOf(String(word.body["result"]))).quota).toBe(25_000);
    const relaxed = await addToken(scene.root, { mj_mode: "relax" });
    const byToken = await imagine("a quick cat", "/mj/submit/imagine", relaxed.key);
    expect((await scene.rowOf(String(byToken.body["result"]))).quota).toBe(25_000);
  });

  test("O-289: have the address of the token's picture proxy, whether or not this server forwards pictures", async () => {
    const id = String(begun.cat.body["result"]);
    await ended(id);
    const proxied = async (method: "prefix" | "replace") =>
      await addToken(scene.root, {
        mj_proxy_method: method,
        mj_proxy_address: "https://pictures.example/",
      });
    const before = await proxied("prefix");
    const instead = await proxied("replace");
    const addressFor = async ({ key }: { readonly key: string }) =>
      (await send("GET", `/mj/task/${id}/fetch`, undefined, key)).body["imageUrl"];
    const own = `${scene.origin}/mj/image/${id}`;
    expect(await addressFor(before)).toBe(`https://pictures.example/${own}`);
    expect(await addressFor(instead)).toBe(`https://pictures.example/mj/image/${id}`);
    const forward = async (value: string) =>
      await scene.root.call("PUT", "/api/option/", { key: "MjForwardUrlEnabled", value });
    await forward("false");
    try {
      const there = `https://pictures.example/${scene.upstream.url}/media/`;
      expect(await addressFor(before)).toStartWith(there);
      expect(await addressFor(instead)).toStartWith("https://pictures.example/media/");
    } finally {
      await forward("true");
    }
  });

  test("are followed by uploads, which have ended at once and say where their pictures are", async () => {
    const body = { base64Array: ["data:image/png;base64,iVBORw0KGgo="] };
    const uploaded = await send("POST", "/mj/submit/upload-discord-images", body);
    expect(uploaded).toMatchObject({ status: 200, body: { code: 1 } });
    const id = String(Object(uploaded.body["properties"])["taskId"]);
    const link = `${scene.origin}/mj/image/${id}`;
    expect(uploaded.body["result"]).toEqual([link]);
    expect((await fetch(link)).status).toBe(200);
    const row = { status: "SUCCESS", progress: "100%", quota: 25_000, refunded: 0 };
    expect(await scene.rowOf(id)).toMatchObject(row);
  });

  test("that fail are refunded once, and the row says so", async () => {
    const { body } = begun.failing;
    expect(await ended(String(body["result"]))).toMatchObject({
      status: "FAILURE",
      failReason: "Scripted failure",
    });
    expect(await scene.rowOf(String(body["result"]))).toMatchObject({
      quota: 50_000,
      refunded: 50_000,
    });
  });

  test("that the upstream refuses or never answers cost nothing", async () => {
    const before = await balance();
    expect(await imagine("banned words")).toMatchObject({ status: 400, body: { code: 24 } });
    const said = "The upstream gave no whole answer";
    expect(await imagine("silent night")).toMatchObject({
      status: 502,
      body: { description: expect.stringContaining(said) },
    });
    expect(await imagine("")).toMatchObject({
      status: 400,
      body: { description: "prompt_is_required" },
    });
    const [silent, banned] = await scene.root.call<Row[]>("GET", "/api/mj/");
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
    const stolen = await imagine("twin quick", "/mj/submit/imagine", scene.otherKey);
    expect(stolen.status).toBe(502);
    expect(JSON.stringify(stolen.body)).not.toContain(String(first.body["result"]));
  });
});

describe("what nobody may do", () => {
  test("a task of somebody else is not found, whatever is asked", async () => {
    const id = String(begun.cat.body["result"]);
    const fetched = await send("GET", `/mj/task/${id}/fetch`, undefined, scene.otherKey);
    expect(fetched).toMatchObject({ status: 400, body: { description: "task_no_found" } });
    const none = await send("POST", "/mj/task/list-by-condition", { ids: [id] }, scene.otherKey);
    expect(JSON.stringify(none.body)).toBe("[]");
    const followed = { content: `${id} U1` };
    const refused = await send("POST", "/mj/submit/simple-change", followed, scene.otherKey);
    expect(refused).toMatchObject({ status: 400, body: { description: "task_not_found" } });
    expect((await send("GET", `/mj/task/${id}/image-seed`, undefined, scene.otherKey)).status).toBe(
      400,
    );
  });

  test("a callback counts only with the secret of the task's channel", async () => {
    const { body } = await imagine("endless cat");
    const id = String(body["result"]);
    const row = await scene.rowOf(id);
    const notice = { id: "guessed", status: "FAILURE", failReason: "x", progress: "100%" };
    const tell = async (query: string, headers: Record<string, string> = {}) =>
      (
        await fetch(`${scene.origin}/mj/notify${query}`, {
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
    expect((await scene.rowOf(id))["status"]).not.toBe("FAILURE");
  });

  test("no client reads the address at which a channel's upstream tells of tasks", async () => {
    const id = String(begun.cat.body["result"]);
    const task = await ended(id);
    const rows = await scene.root.call<Row[]>("GET", `/api/mj/?mj_id=${id}`);
    // The demo upstream repeats that address in what it says, as real ones do.
    expect(task["properties"]).toEqual({ finalPrompt: "a quick cat", notifyHook: "" });
    expect(JSON.stringify([begun.cat.body, task, rows])).not.toContain("sign=");
  });

  test("the picture proxy gives pictures of tasks and nothing else", async () => {
    const paths = ["T".padEnd(33, "0"), "https%3A%2F%2Fexample.com", "..%2F..%2Fapi%2Fstatus"];
    for (const path of paths) {
      expect((await fetch(`${scene.origin}/mj/image/${path}`)).status, path).toBe(404);
    }
    const { body } = await imagine("endless cat");
    expect((await fetch(`${scene.origin}/mj/image/${String(body["result"])}`)).status).toBe(404);
    expect((await send("GET", "/mj/task/x/fetch", undefined, "sk-none")).status).toBe(401);
  });

  test("a token without the model gets no task", async () => {
    const limited = await addToken(scene.root, {
      model_limits_enabled: true,
      model_limits: "sora-2",
    });
    expect((await imagine("a cat", "/mj/submit/imagine", limited.key)).status).toBe(403);
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
    const [clip] = Object(done["data"])["data"] as Record<string, unknown>[];
    expect(clip?.["id"]).toBe(`${id}-1`);
    const more = { prompt: "go on, quick", continue_clip_id: `${id}-1` };
    expect((await send("POST", "/suno/submit/music", more)).status).toBe(200);
    const none = { ...more, continue_clip_id: `${id}-2` };
    expect((await send("POST", "/suno/submit/music", none)).status).toBe(400);
    const foreign = await send("POST", "/suno/submit/music", more, scene.otherKey);
    expect(foreign).toMatchObject({ status: 400, body: { code: "task_not_exist" } });
    const ids = [id, String(lyrics.body["data"]), "T0"];
    const many = await send("POST", "/suno/fetch", { ids });
    expect((many.body["data"] as unknown[]).length).toBe(2);
    expect(await scene.rowOf(id)).toMatchObject({ platform: "suno", quota: 50_000, refunded: 0 });
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
      const refused = { status: 400, body: { code: "invalid_request", message } };
      expect(await send("POST", path, body)).toMatchObject(refused);
    }
    const own = await scene.alice.call<Row[]>("GET", "/api/task/self");
    expect(own).toEqual([]);
  });
});

test("O-517: page, channel and times narrow the lists", async () => {
  const all = await scene.root.call<Row[]>("GET", "/api/mj/?page_size=100");
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
    const rows = await scene.root.call<Row[]>("GET", `/api/mj/?${query}`);
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
    const rows = await scene.root.call<Row[]>("GET", `/api/task/?${query}`);
    expect(rows.length > 0, query).toBe(some);
  }
});

test("lists of all tasks name user and channel, and say when each was submitted", async () => {
  const [drawing] = await scene.root.call<Row[]>("GET", "/api/mj/?page_size=1");
  const [task] = await scene.root.call<Row[]>("GET", "/api/task/?page_size=1");
  for (const row of [drawing, task]) {
    expect(row).toMatchObject({ username: "root", channel_name: expect.stringMatching(/\w/) });
  }
  expect(task?.["created_at"]).toBe(task?.["submit_time"]);
});

test("O-290: drawings use channels tagged backup only with a token that may", async () => {
  await addChannel(scene.root, {
    type: 2,
    models: "mj_shorten",
    tag: "backup",
    key: channelKey,
    base_url: scene.upstream.url,
  });
  const shorten = async (key: string) =>
    await send("POST", "/mj/submit/shorten", { prompt: "a quick cat" }, key);
  expect(await shorten(scene.key)).toMatchObject({ status: 503, body: { code: 4 } });
  const backed = await addToken(scene.root, { mj_backup_pool: true });
  expect(await shorten(backed.key)).toMatchObject({ status: 200, body: { code: 1 } });
});

test("a channel whose server has no account is disabled until a person enables it", async () => {
  const name = "nobody";
  await addChannel(scene.root, {
    name,
    type: 2,
    models: "mj_describe",
    key: channelKey,
    base_url: scene.upstream.url,
  });
  const refused = await send("POST", "/mj/submit/describe", { base64: "x", prompt: "nobody" });
  expect(refused).toMatchObject({ status: 400, body: { code: 3 } });
  const read = async () =>
    (await scene.root.call<Row[]>("GET", `/api/channel/search?keyword=${name}`))[0];
  const channel = await eventually(read, (row) => row?.["status"] !== 1, { what: "the channel" });
  expect(channel).toMatchObject({
    status: 2,
    other_info: expect.stringContaining("No available account instance"),
  });
});

test("the ledger is proved after all of this, and a killed gateway goes on with its tasks", async () => {
  const { body } = await imagine("a quick cat");
  const id = String(body["result"]);
  await scene.restart();
  expect(await ended(id)).toMatchObject({ status: "SUCCESS" });
  await scene.kill();
  const audit = await runCommand(scene.home, ["audit"]);
  expect(audit).toMatchObject({ code: 0 });
});
