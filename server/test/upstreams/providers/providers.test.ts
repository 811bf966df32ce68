/** What the demo upstream demands of calls in the formats of single providers. */

import { afterAll, expect, test } from "bun:test";
import { startUpstreams } from "#test/upstreams/start.ts";
import type { JsonObject } from "@tollgate/demo/json.ts";
import { eventually } from "#test/upstreams/client.ts";
import { sparkQuery, tencentHeaders, zhipuToken } from "#test/upstreams/signatures.ts";
import { aiproxyLibrary } from "./aiproxy-library.ts";
import { baiduWenxin } from "./baidu-wenxin.ts";
import { coze } from "./coze.ts";
import { dify, difyWorkflow } from "./dify.ts";
import { palm } from "./palm.ts";
import { tencentHunyuan } from "./tencent-hunyuan.ts";
import { xunfeiSpark } from "./xunfei-spark.ts";
import { zhipuV3 } from "./zhipu-v3.ts";

const providers = {
  "aiproxy-library": aiproxyLibrary,
  "baidu-wenxin": baiduWenxin,
  coze,
  dify,
  "dify-workflow": difyWorkflow,
  palm,
  "tencent-hunyuan": tencentHunyuan,
  "xunfei-spark": xunfeiSpark,
  "zhipu-v3": zhipuV3,
} as const;
type ProviderName = keyof typeof providers;

const upstream = startUpstreams();
afterAll(() => upstream.stop());
const { host } = new URL(upstream.url);

const user = { role: "user", content: "hello" };
const model = { role: "assistant", content: "hi" };
const said = { Role: "user", Content: "hello" };
const told = { Role: "assistant", Content: "hi" };
const asked = { role: "user", content: "hello", content_type: "text" };
const tool = { Type: "function", Function: { Name: "f", Parameters: "{}" } };
const sparkBody = (text: readonly JsonObject[], chat: JsonObject = {}): JsonObject => ({
  header: { app_id: "app" },
  parameter: { chat: { domain: "demo-fast", ...chat } },
  payload: { message: { text } },
});

/** Bodies that a provider takes, and bodies that it does not, each wrong in one way. */
const bodies: Readonly<
  Record<
    ProviderName,
    { readonly good: readonly JsonObject[]; readonly bad: readonly JsonObject[] }
  >
> = {
  "aiproxy-library": {
    good: [{ model: "m", query: "hello", libraryId: "1", stream: true }],
    bad: [
      { model: "m", query: "hello", stream: true },
      { model: "m", query: "", libraryId: "1" },
      { model: "m", query: "hello", libraryId: "1", messages: [user] },
    ],
  },
  "baidu-wenxin": {
    good: [{ messages: [user] }, { messages: [user, model, user], temperature: 1, stream: true }],
    bad: [
      {},
      { messages: [user, model] },
      { messages: [user, user, user] },
      { messages: [{ role: "system", content: "x" }] },
      { messages: [{ role: "user", content: "" }] },
      { messages: [user], temperature: 0 },
      { messages: [user], max_tokens: 9 },
    ],
  },
  coze: {
    good: [{ bot_id: "b", user_id: "u", stream: true, additional_messages: [asked] }],
    bad: [
      { user_id: "u", additional_messages: [asked] },
      { bot_id: "b", user_id: "u", additional_messages: [{ ...asked, role: "system" }] },
      { bot_id: "b", user_id: "u", additional_messages: [asked, { ...asked, role: "assistant" }] },
      { bot_id: "b", user_id: "u", additional_messages: [{ role: "user", content: "x" }] },
      { bot_id: "b", user_id: "u", auto_save_history: false, additional_messages: [asked] },
      { bot_id: "b", user_id: "u", temperature: 1, additional_messages: [asked] },
    ],
  },
  dify: {
    good: [{ inputs: {}, query: "hello", response_mode: "blocking", user: "u" }],
    bad: [
      { inputs: {}, query: "hello", response_mode: "blocking" },
      { inputs: {}, query: "hello", response_mode: "polling", user: "u" },
      { inputs: {}, query: "", response_mode: "blocking", user: "u" },
      { inputs: {}, query: "hello", response_mode: "blocking", user: "u", temperature: 1 },
    ],
  },
  "dify-workflow": {
    good: [{ inputs: { query: "hello" }, response_mode: "blocking", user: "u" }],
    bad: [{ inputs: {}, response_mode: "blocking", user: "u" }],
  },
  palm: {
    good: [{ prompt: { context: "x", messages: [{ author: "0", content: "hello" }] } }],
    bad: [
      { messages: [user] },
      { prompt: { messages: [{ author: "1", content: "hello" }] } },
      { prompt: { messages: [{ author: "0", content: "x" }] }, temperature: 1.5 },
      { prompt: { messages: [{ author: "0", content: "x" }] }, maxOutputTokens: 5 },
    ],
  },
  "tencent-hunyuan": {
    good: [
      { Model: "m", Messages: [{ Role: "system", Content: "x" }, said, told, said] },
      { Model: "m", Messages: [said], Tools: [tool], ToolChoice: "auto" },
    ],
    bad: [
      { model: "m", messages: [user] },
      { Model: "m", Messages: [said, said] },
      { Model: "m", Messages: [said, { Role: "system", Content: "x" }, said] },
      { Model: "m", Messages: [said, told] },
      { Model: "m", Messages: [{ Role: "user", Content: "" }] },
      { Model: "m", Messages: [said], MaxTokens: 5 },
      { Model: "m", Messages: [said], Tools: [{ ...tool, Function: { Name: "f" } }] },
    ],
  },
  "xunfei-spark": {
    good: [sparkBody([user]), sparkBody([{ role: "system", content: "x" }, user, model, user])],
    bad: [
      { ...sparkBody([user]), header: {} },
      sparkBody([user, model]),
      sparkBody([user, { role: "system", content: "x" }, user]),
      sparkBody([{ role: "user", content: "" }]),
      sparkBody([user], { temperature: 2 }),
      sparkBody([user], { top_p: 0.5 }),
    ],
  },
  "zhipu-v3": {
    good: [{ prompt: [user, model, user], temperature: 0.5 }],
    bad: [
      { messages: [user] },
      { prompt: [user, model] },
      { prompt: [user, user, user] },
      { prompt: [user], temperature: 1 },
      { prompt: [user], max_tokens: 5 },
    ],
  },
};

// Safe cast: the keys of a record of providers.
for (const name of Object.keys(bodies) as ProviderName[]) {
  test(`a body that breaks a rule of ${name} is refused with the reason`, () => {
    const { good, bad } = bodies[name];
    const path = name === "dify" ? "/v1/chat-messages" : "/demo/chat";
    const read = (body: JsonObject) => {
      return typeof providers[name].read(body, {
        key: "app-m",
        model: "m",
        path,
        header: () => undefined,
      });
    };
    expect(good.map(read)).toEqual(good.map(() => "object"));
    expect(bad.map(read)).toEqual(bad.map(() => "string"));
  });
}

async function post(path: string, body: object | string, headers: Record<string, string> = {}) {
  const text = typeof body === "string" ? body : JSON.stringify(body);
  const answer = await fetch(upstream.url + path, { method: "POST", headers, body: text });
  const told: unknown = await answer.json();
  return [answer.status, told] as const;
}

test("a refusal has the shape and the status of its provider", async () => {
  const wenxin = "/rpc/2.0/ai_custom/v1/wenxinworkshop/chat/demo-fast";
  expect(await post(`${wenxin}?access_token=24.forged.id`, {})).toMatchObject([
    200,
    { error_code: 110 },
  ]);
  expect(await post("/v3/chat", {})).toMatchObject([200, { code: 4_100 }]);
  expect(await post("/v3/chat", {}, { authorization: "Bearer k" })).toMatchObject([
    200,
    { code: 4_000, msg: expect.stringContaining("bot_id") },
  ]);
  expect(await post("/v1/chat-messages", {})).toMatchObject([
    401,
    { code: "unauthorized", status: 401 },
  ]);
  expect(await post("/v1beta2/models/m:generateMessage?key=k", {})).toMatchObject([
    400,
    { error: { status: "INVALID_ARGUMENT" } },
  ]);
  expect(await post("/", {})).toMatchObject([
    200,
    { Response: { Error: { Code: "AuthFailure.SignatureFailure" } } },
  ]);
  expect(await post("/api/paas/v3/model-api/m/invoke", {})).toMatchObject([
    401,
    { code: 1_002, success: false },
  ]);
  expect(await post("/api/library/ask", {})).toMatchObject([401, { success: false, errCode: 401 }]);
});

test("a signature counts for its body, its secret and its time alone", async () => {
  const body = JSON.stringify({ Model: "demo-fast", Messages: [said] });
  const sound = await post("/", body, tencentHeaders(host, body));
  expect(sound).toMatchObject([200, { Response: { Choices: [{ FinishReason: "stop" }] } }]);
  for (const headers of [
    tencentHeaders(host, `${body} `),
    tencentHeaders(host, body, { secret: "another" }),
    tencentHeaders(host, body, { agoSeconds: 400 }),
    { ...tencentHeaders(host, body), "x-tc-action": "ChatTranslations" },
  ]) {
    expect(await post("/", body, headers)).toMatchObject([200, { Response: { Error: {} } }]);
  }

  const glm = "/api/paas/v3/model-api/demo-fast/invoke";
  const ask = (authorization: string) => post(glm, { prompt: [user] }, { authorization });
  expect(await ask(zhipuToken())).toMatchObject([200, { success: true }]);
  for (const token of [
    zhipuToken({ secret: "another" }),
    zhipuToken({ lifeMs: -1 }),
    `Bearer ${zhipuToken()}`,
  ]) {
    expect(await ask(token)).toMatchObject([401, { code: 1_002 }]);
  }
});

test("Baidu gives a token for the right secret alone", async () => {
  const form = (secret: string): string =>
    `grant_type=client_credentials&client_id=id&client_secret=${secret}`;
  const [refused, error] = await post("/oauth/2.0/token", form("another"));
  const [given] = await post("/oauth/2.0/token", form("demo-secret"));
  expect([refused, error, given]).toMatchObject([401, { error: "invalid_client" }, 200]);
});

/** Opens a WebSocket of Spark's. Its messages are read as they come. */
function openSpark(query: string, body: object, path = "/demo/chat") {
  const socket = new WebSocket(`${upstream.url.replace("http", "ws")}${path}?${query}`);
  const heard: { header: { code: number; status: number } }[] = [];
  let isClosed = false;
  socket.addEventListener("open", () => socket.send(JSON.stringify(body)));
  socket.addEventListener("message", ({ data }) => void heard.push(JSON.parse(String(data))));
  socket.addEventListener("close", () => (isClosed = true));
  return { heard, isClosed: () => isClosed, close: () => socket.close() };
}

test("Spark answers the first message of a signed address in messages, and then ends", async () => {
  const spark = openSpark(sparkQuery(host, "/demo/chat"), sparkBody([user]));
  await eventually(spark.isClosed);
  expect(spark.heard.map(({ header }) => header.status)).toEqual([0, ...Array(39).fill(1), 2]);

  const domain = openSpark(sparkQuery(host, "/v3.5/chat"), sparkBody([user]), "/v3.5/chat");
  await eventually(domain.isClosed);
  expect(domain.heard).toMatchObject([{ header: { code: 10_004, status: 2 } }]);

  for (const query of [sparkQuery(host, "/v1.1/chat"), sparkQuery("other.example", "/demo/chat")]) {
    const refused = openSpark(query, sparkBody([user]));
    await eventually(refused.isClosed);
    expect(refused.heard).toEqual([]);
  }
});

test("who leaves Spark in the middle of its answer has aborted the call", async () => {
  const script = JSON.stringify({ neverEnd: true, eventDelayMs: 1 });
  await fetch(`${upstream.url}/__demo/scripts/endless`, { method: "PUT", body: script });
  const body = sparkBody([user], { domain: "endless" });
  const spark = openSpark(sparkQuery(host, "/demo/chat"), body);
  await eventually(() => spark.heard.length > 3);
  spark.close();
  await eventually(() => upstream.account().calls.at(-1)?.aborted === true);
});
