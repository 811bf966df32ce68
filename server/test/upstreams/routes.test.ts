/** What the official SDKs do not show of the APIs other than chat completions. */

import { afterAll, expect, test } from "bun:test";
import { startDemoUpstream } from "@tollgate/demo/demo-upstream.ts";
import { startUpstreams } from "./start.ts";
import type { DemoScript } from "@tollgate/demo/script.ts";
import { callRaw, readChunked, readMessage } from "./client.ts";
import { zhipuToken } from "./signatures.ts";
import { demoSecret } from "./providers/provider.ts";

const upstream = startUpstreams();
afterAll(() => upstream.stop());

const messages = [{ role: "user", content: "hello" }];
const granted: unknown = await fetch(`${upstream.url}/oauth/2.0/token`, {
  method: "POST",
  body: `grant_type=client_credentials&client_id=id&client_secret=${demoSecret}`,
}).then((answer) => answer.json());
const baiduToken = String(Object(granted).access_token);

/** One streamed call of each API, and how its last event begins. */
const apis = {
  responses: {
    path: "/v1/responses",
    body: { model: "m", input: "hello", stream: true },
    header: ["authorization", "Bearer k"],
    last: `event: response.completed\ndata: {"type":"response.completed"`,
    error: `event: error\ndata: {"type":"error","code":"overloaded"}`,
  },
  messages: {
    path: "/v1/messages",
    body: { model: "m", messages, stream: true },
    header: ["x-api-key", "k"],
    last: `event: message_stop\ndata: {"type":"message_stop"}`,
    error: `event: error\ndata: {"type":"error","error":{"code":"overloaded"}}`,
  },
  gemini: {
    path: "/v1beta/models/m:streamGenerateContent?alt=sse",
    body: { contents: [{ role: "user", parts: [{ text: "hello" }] }] },
    header: ["x-goog-api-key", "k"],
    last: `data: {"candidates":[{"content":{"parts":[{"text":""}],"role":"model"},"finishReason"`,
    error: `data: {"error":{"code":"overloaded"}}`,
  },
  "cohere-v2": {
    path: "/v2/chat",
    body: { model: "m", messages, stream: true },
    header: ["authorization", "Bearer k"],
    last: `event: message-end\ndata: {"type":"message-end","delta":{"finish_reason":"COMPLETE"`,
    error: `event: message-end\ndata: {"type":"message-end","delta":{"finish_reason":"ERROR",`,
  },
  "cohere-v1": {
    path: "/v1/chat",
    body: { model: "m", message: "hello", stream: true },
    header: ["authorization", "Bearer k"],
    last: `{"is_finished":true,"event_type":"stream-end","finish_reason":"COMPLETE"`,
    error: `{"message":`,
  },
  ollama: {
    path: "/api/chat",
    body: { model: "m", messages },
    header: ["authorization", "Bearer k"],
    last: `{"model":"m","created_at":"`,
    error: `{"error":`,
  },
  dashscope: {
    path: "/api/v1/services/aigc/text-generation/generation",
    body: { model: "m", input: { messages }, parameters: { incremental_output: true } },
    header: ["x-dashscope-sse", "enable"],
    last: `event: result\ndata: {"output":{"choices":[{"message":{"role":"assistant","content":""},`,
    error: `event: error\ndata: {"code":"InternalError",`,
  },
  coze: {
    path: "/v3/chat",
    body: {
      bot_id: "m",
      user_id: "u",
      stream: true,
      auto_save_history: false,
      additional_messages: [{ role: "user", content: "hello", content_type: "text" }],
    },
    header: ["authorization", "Bearer k"],
    last: `event: done\ndata: "[DONE]"`,
    error: `event: error\ndata: {"code":5000,"msg":`,
  },
  dify: {
    path: "/v1/chat-messages",
    body: { inputs: {}, query: "hello", response_mode: "streaming", user: "u" },
    header: ["authorization", "Bearer app-m"],
    last: `data: {"event":"message_end",`,
    error: `data: {"event":"error","task_id":`,
  },
  "baidu-wenxin": {
    path: `/rpc/2.0/ai_custom/v1/wenxinworkshop/chat/m?access_token=${baiduToken}`,
    body: { messages, stream: true },
    header: ["accept", "text/event-stream"],
    last: `data: {"id":"as-`,
    error: `data: {"error_code":336100,"error_msg":`,
  },
  "zhipu-v3": {
    path: "/api/paas/v3/model-api/m/sse-invoke",
    body: { prompt: messages, incremental: true },
    header: ["authorization", zhipuToken()],
    last: `event:finish\nid:`,
    error: `event:error\nid:scripted\ndata:`,
  },
} as const;

type Api = keyof typeof apis;

async function ask(api: Api, script: DemoScript): Promise<string[]> {
  const { path, body, header } = apis[api];
  const text = JSON.stringify(script);
  await fetch(`${upstream.url}/__demo/scripts/m`, { method: "PUT", body: text });
  const answer = await fetch(upstream.url + path, {
    method: "POST",
    headers: [[...header], ...(api === "dashscope" ? [["authorization", "Bearer k"]] : [])],
    body: JSON.stringify(body),
  });
  const events = await answer.text().catch(() => "");
  const isLines = answer.headers.get("content-type") === "application/x-ndjson";
  return events.split(isLines ? "\n" : "\n\n").filter((event) => event !== "");
}

for (const api of Object.keys(apis) as Api[]) {
  test(`a stream of ${api} ends with its own last event, as often as the script says`, async () => {
    const { last } = apis[api];
    const ends = async (script: DemoScript): Promise<number> =>
      (await ask(api, script)).filter(
        (event) =>
          event.startsWith(last) &&
          (api !== "ollama" || event.includes(`"done":true`)) &&
          (api !== "baidu-wenxin" || event.includes(`"is_end":true`)),
      ).length;
    expect([await ends({}), await ends({ done: false }), await ends({ done: 2 })]).toEqual([
      1, 0, 2,
    ]);
    const isDone = (event: string): boolean => event.includes("[DONE]") && api !== "coze";
    expect((await ask(api, {})).some(isDone)).toBe(false);
  });

  test(`an error in a stream of ${api} has the shape of that API`, async () => {
    const errorEvent = { after: 2, error: { code: "overloaded" } };
    expect((await ask(api, { errorEvent })).at(-1)).toStartWith(apis[api].error);
  });

  test(`a script's usage replaces the usage of ${api}`, async () => {
    const events = await ask(api, { usageText: `{"scripted":1e3}` });
    expect(events.join("\n")).toContain(`"scripted":1e3}`);
    expect((await ask(api, { usage: false })).join("\n")).not.toContain(`"output_tokens":40`);
  });
}

test("the demo's own upstream answers none of the formats that only tests need", async () => {
  const own = startDemoUpstream();
  const statuses = async (url: string): Promise<readonly number[]> =>
    await Promise.all(
      ["/v2/chat", "/api/chat", "/v3/chat", "/model/m/converse"].map(async (path) => {
        const headers = { authorization: "Bearer k" };
        const answer = await fetch(url + path, { method: "POST", headers, body: "{}" });
        return answer.status;
      }),
    );
  try {
    expect(await statuses(own.url)).toEqual([404, 404, 404, 404]);
    // Coze refuses with 200.
    expect(await statuses(upstream.url)).toEqual([400, 400, 200, 400]);
  } finally {
    await own.stop();
  }
});

test("a stream of Converse is cut inside a frame, and its failure is an exception", async () => {
  const read = async (script: DemoScript): Promise<Buffer> => {
    const text = JSON.stringify(script);
    await fetch(`${upstream.url}/__demo/scripts/m`, { method: "PUT", body: text });
    const answer = await callRaw(upstream.url, {
      path: "/model/m/converse-stream",
      body: { messages: [{ role: "user", content: [{ text: "hello" }] }] },
    });
    return Buffer.concat(readChunked(readMessage(answer.bytes).body).chunks);
  };
  /** Counts whole frames, and the bytes behind the last of them. */
  const frames = (bytes: Buffer): { readonly whole: number; readonly rest: number } => {
    let at = 0;
    let whole = 0;
    while (at + 4 <= bytes.length && at + bytes.readUInt32BE(at) <= bytes.length) {
      at += bytes.readUInt32BE(at);
      whole += 1;
    }
    return { whole, rest: bytes.length - at };
  };
  // The start, forty words, the end of their block, the reason to stop, and the counts.
  expect(frames(await read({}))).toEqual({ whole: 44, rest: 0 });
  const cut = frames(await read({ cut: { after: "mid-event", how: "fin" } }));
  expect([cut.whole, cut.rest > 0]).toEqual([21, true]);
  const failed = await read({ errorEvent: { after: 2, error: { message: "scripted" } } });
  expect(failed.toString("latin1")).toContain("internalServerException");
});

test("a function whose arguments come late has them in no piece, but whole at its end", async () => {
  const tools = [
    { type: "function", name: "f", parameters: { properties: { a: { type: "string" } } } },
  ];
  const script = JSON.stringify({ lateArguments: true });
  await fetch(`${upstream.url}/__demo/scripts/m`, { method: "PUT", body: script });
  const answer = await fetch(`${upstream.url}/v1/responses`, {
    method: "POST",
    headers: { authorization: "Bearer k" },
    body: JSON.stringify({ model: "m", input: "use the tool", stream: true, tools }),
  });
  const text = await answer.text();
  expect(text).not.toContain("arguments.delta");
  expect(text).toContain(`"arguments":"{\\"a\\":\\"demo\\"}"`);
});

test("refusals have the shape of their API, and name its own status words", async () => {
  const post = async (path: string, body: object): Promise<unknown> => {
    const answer = await fetch(upstream.url + path, { method: "POST", body: JSON.stringify(body) });
    return await answer.json();
  };
  expect(await post("/v1/messages", { model: "m", messages })).toMatchObject({
    type: "error",
    error: { type: "authentication_error" },
  });
  expect(await post("/v1beta/models/m:generateContent?key=k", {})).toMatchObject({
    error: { code: 400, status: "INVALID_ARGUMENT" },
  });
  expect(await post("/v1/responses", {})).toMatchObject({
    error: { type: "invalid_request_error" },
  });
});

test("an output limit ends an answer of each API with the word for it", async () => {
  const read = async (path: string, body: object): Promise<string> => {
    const headers = { authorization: "Bearer k" };
    const text = JSON.stringify({ model: "demo-fast", ...body });
    const answer = await fetch(upstream.url + path, { method: "POST", headers, body: text });
    return await answer.text();
  };
  expect(await read("/v1/messages", { messages, max_tokens: 3 })).toContain(
    `"stop_reason":"max_tokens"`,
  );
  expect(await read("/v1/responses", { input: "hello", max_output_tokens: 3 })).toContain(
    `"incomplete_details":{"reason":"max_output_tokens"}`,
  );
  const contents = apis.gemini.body.contents;
  const generationConfig = { maxOutputTokens: 3 };
  const path = "/v1beta/models/demo-fast:generateContent";
  expect(await read(path, { contents, generationConfig })).toContain(`"finishReason":"MAX_TOKENS"`);
});
