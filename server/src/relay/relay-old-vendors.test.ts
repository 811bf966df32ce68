/** Calls of vendors whose formats are older than OpenAI's, and of Xunfei, whose errors are. */

import { afterEach, expect, test } from "bun:test";
import { createHmac } from "node:crypto";
import { startUpstream } from "#network/testing/upstream.ts";
import { aiProxyLibrary } from "#providers/ai-proxy-library.ts";
import { palm } from "#providers/palm.ts";
import type { Provider } from "#providers/provider.ts";
import { xunfei } from "#providers/xunfei.ts";
import { zhipu } from "#providers/zhipu.ts";
import { openTestRelay, testChannel, testKey } from "./testing/relay.ts";

const stops: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const stop of stops.splice(0)) await stop();
});

type Given = {
  readonly provider: Provider;
  readonly answer: string;
  readonly key?: string;
  readonly other?: string;
  readonly model?: string;
  readonly status?: number;
};

const messages = [
  { role: "system", content: "Be brief." },
  { role: "user", content: "Hi" },
];

/** Asks as a client of OpenAI's format does; `m` is the model that has a price. */
async function ask(given: Given, body: object = {}) {
  const { answer, key = "k", model = "m", other = "", provider, status = 200 } = given;
  const type = answer.startsWith("{") ? "application/json" : "text/event-stream";
  const length = Buffer.byteLength(answer);
  const head = `HTTP/1.1 ${status} Said\r\ncontent-type: ${type}\r\ncontent-length: ${length}\r\n\r\n`;
  const upstream = await startUpstream((socket) => socket.end(head + answer));
  const modelMapping = new Map([["m", model]]);
  const channel = testChannel({
    baseUrl: upstream.url,
    provider,
    keys: [key],
    other,
    modelMapping,
  });
  const relay = openTestRelay({ channels: [channel] });
  stops.push(relay.stop, upstream.stop);
  const response = await fetch(`${relay.url}/v1/chat/completions`, {
    method: "POST",
    headers: { authorization: `Bearer ${testKey}`, "content-type": "application/json" },
    body: JSON.stringify({ model: "m", messages, ...body }),
  });
  const text = await response.text();
  const [request = ""] = upstream.requests;
  return {
    status: response.status,
    text,
    /** The text of the answer, streamed or whole. */
    said: [...text.matchAll(/"content":"([^"]*)"/g)].map(([, piece]) => piece).join(""),
    head: request.split("\r\n\r\n")[0] ?? "",
    sent: JSON.parse(request.split("\r\n\r\n")[1] || "{}"),
    charges: relay.money.settled.map(({ charge }) => charge),
    sources: relay.money.settled.map(({ log }) => log.usageSource),
  };
}

const events = (parts: readonly object[]): string =>
  parts.map((part) => `data:${JSON.stringify(part)}\n\n`).join("");

/** 10 tokens of input at 2 units and 5 of output at 8. */
const charge = 60;
const usage = { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 };

const sparkHead = { code: 0, message: "Success", sid: "cha1", id: "cha1", created: 1 };
const sparkStream =
  events([
    { ...sparkHead, choices: [{ index: 0, delta: { role: "assistant", content: "Hel" } }] },
    { ...sparkHead, choices: [{ index: 0, delta: { role: "assistant", content: "lo" } }], usage },
  ]) + "data:[DONE]\n\n";
const sparkMessage = { role: "assistant", content: "Hello" };
const sparkWhole = JSON.stringify({
  ...sparkHead,
  choices: [{ index: 0, message: sparkMessage }],
  usage,
});

test("Xunfei's Spark is asked over HTTP with either kind of key, and charged what it reports", async () => {
  for (const [key, sent] of [
    ["password", "password"],
    ["appid|secret|key", "key:secret"],
  ] as const) {
    for (const [answer, stream] of [[sparkWhole, false] as const, [sparkStream, true] as const]) {
      const got = await ask({ provider: xunfei, answer, key, model: "generalv3.5" }, { stream });

      expect([got.status, got.said, got.charges]).toEqual([200, "Hello", [charge]]);
      expect(got.head).toStartWith("POST /v1/chat/completions HTTP");
      expect(got.head).toMatch(new RegExp(`authorization: Bearer ${sent}(\r\n|$)`));
      expect(got.sent).toMatchObject({ model: "generalv3.5", messages });
    }
  }
  const thinking = await ask({ provider: xunfei, answer: sparkWhole, model: "x1" });
  expect(thinking.head).toStartWith("POST /v2/chat/completions HTTP");
});

test("O-141: a version in Spark's channel is that of the address, one of its WebSocket is not", async () => {
  for (const [other, model, path] of [
    ["v2", "generalv3.5", "/v2/chat/completions"],
    ["v3.5", "generalv3.5", "/v1/chat/completions"],
    ["v1", "x1", "/v1/chat/completions"],
  ] as const) {
    const got = await ask({ provider: xunfei, answer: sparkWhole, model, other });
    expect([got.status, got.head.split(" ")[1]]).toEqual([200, path]);
  }
  expect(xunfei.otherForm).toContain("Version");
});

test("what Xunfei refuses inside a 200 is a failed call, whole and streamed, and costs nothing", async () => {
  const refused = { code: 10_163, message: "invalid domain", sid: "cha1" };
  for (const [answer, stream] of [
    [JSON.stringify(refused), false] as const,
    [events([refused]), true] as const,
  ]) {
    const { charges, status } = await ask({ provider: xunfei, answer }, { stream });

    expect([status, charges]).toEqual([502, []]);
  }
});

const glmWhole = JSON.stringify({
  code: 200,
  msg: "ok",
  success: true,
  data: {
    request_id: "r",
    task_status: "SUCCESS",
    choices: [{ role: "assistant", content: JSON.stringify("Hello") }],
    usage,
  },
});
const glmMeta = JSON.stringify({ task_status: "SUCCESS", request_id: "r", usage });
const glmStream =
  "event:add\nid:r\ndata:Hel\n\nevent:add\nid:r\ndata:lo\n\n" +
  `event:finish\nid:r\ndata:\nmeta:${glmMeta}\n\n`;

test("Zhipu's first models are asked in version 3 of its API, with a signed token", async () => {
  for (const [answer, stream] of [[glmWhole, false] as const, [glmStream, true] as const]) {
    const got = await ask(
      { provider: zhipu, answer, key: "id.secret", model: "chatglm_turbo" },
      { stream, temperature: 1 },
    );

    expect([got.status, got.said, got.charges]).toEqual([200, "Hello", [charge]]);
    const method = stream ? "sse-invoke" : "invoke";
    expect(got.head).toStartWith(`POST /api/paas/v3/model-api/chatglm_turbo/${method} HTTP`);
    const token = /authorization: (\S+)/.exec(got.head)?.[1] ?? "";
    const [head = "", claims = "", signature] = token.split(".");
    expect(signature).toBe(
      createHmac("sha256", "secret").update(`${head}.${claims}`).digest("base64url"),
    );
    const read = (part: string): unknown => JSON.parse(Buffer.from(part, "base64url").toString());
    expect(read(head)).toEqual({ alg: "HS256", sign_type: "SIGN" });
    expect(read(claims)).toMatchObject({ api_key: "id" });
    expect(got.sent).toEqual({
      prompt: [{ role: "user", content: "Be brief.\nHi" }],
      temperature: 0.99,
      ...(stream ? { incremental: true } : {}),
    });
  }
});

test("Zhipu's later models are asked in version 4 with the same key", async () => {
  const choices = [{ index: 0, message: sparkMessage, finish_reason: "stop" }];
  const answer = JSON.stringify({ id: "1", choices, usage });
  const got = await ask({ provider: zhipu, answer, key: "id.secret", model: "glm-4-flash" });

  expect([got.status, got.said, got.charges]).toEqual([200, "Hello", [charge]]);
  expect(got.head).toStartWith("POST /api/paas/v4/chat/completions HTTP");
  expect(got.head).toMatch(/authorization: Bearer [\w-]+\.[\w-]+\.[\w-]+/);
});

test("what Zhipu refuses or stops, and a malformed key, are failed calls", async () => {
  const refused = JSON.stringify({
    code: 1_002,
    msg: "Authorization Token illegal",
    success: false,
  });
  const stopped = "event:interrupted\nid:r\ndata:sensitive words\n\n";
  const model = "chatglm_pro";
  for (const [given, stream] of [
    [{ answer: refused, key: "id.secret" }, false] as const,
    [{ answer: stopped, key: "id.secret" }, true] as const,
    [{ answer: glmWhole, key: "no-dot" }, false] as const,
  ]) {
    const got = await ask({ provider: zhipu, model, ...given }, { stream });
    expect([got.status >= 400, got.charges]).toEqual([true, []]);
  }
});

const palmWhole = JSON.stringify(
  { candidates: [{ author: "1", content: "Hello" }], messages: [{ author: "0", content: "Hi" }] },
  null,
  2,
);

test("PaLM's answer reaches clients whole and streamed, charged by the gateway's count", async () => {
  for (const stream of [false, true]) {
    const got = await ask(
      { provider: palm, answer: palmWhole, model: "chat-bison-001" },
      { stream },
    );

    expect([got.status, got.said, got.sources]).toEqual([200, "Hello", ["local"]]);
    expect(got.charges[0]).toBeGreaterThan(0);
    expect(got.head).toStartWith("POST /v1beta2/models/chat-bison-001:generateMessage HTTP");
    expect(got.head).toContain("x-goog-api-key: k");
    expect(got.sent).toEqual({
      prompt: { context: "Be brief.", messages: [{ author: "0", content: "Hi" }] },
    });
    expect(got.text.includes("chat.completion.chunk")).toBe(stream);
  }
});

test("PaLM's filter is a refused answer, and its silence a failed call", async () => {
  const filtered = await ask({ provider: palm, answer: '{"filters":[{"reason":"SAFETY"}]}' });
  const silent = await ask({ provider: palm, answer: "{}" });

  expect(filtered.text).toContain('"finish_reason":"content_filter"');
  expect([silent.status, silent.charges]).toEqual([502, []]);
});

const documents = [{ title: "Manual", url: "https://example.com/manual" }];
const libraryWhole = JSON.stringify({ success: true, errCode: 0, answer: "Hello", documents });
const libraryStream = events([
  { content: "Hel", finish: false, model: "m" },
  { content: "lo", finish: true, model: "m", documents },
]);

test("a knowledge base of AI Proxy is asked by the id of the channel, and names its sources", async () => {
  const charged: unknown[] = [];
  for (const [answer, stream] of [[libraryWhole, false] as const, [libraryStream, true] as const]) {
    const got = await ask({ provider: aiProxyLibrary, answer, other: "42" }, { stream });

    expect([got.status, got.said, got.sources]).toEqual([200, "Hello", ["local"]]);
    charged.push(...got.charges);
    expect(got.text).toContain("https://example.com/manual");
    expect(got.head).toStartWith("POST /api/library/ask HTTP");
    expect(got.head).toContain("authorization: Bearer k");
    expect(got.sent).toEqual({
      model: "m",
      query: "SYSTEM: Be brief.\n\nUSER: Hi",
      stream,
      libraryId: "42",
    });
  }
  // It never reports its tokens, so they are counted, the same way for both.
  expect(charged[0]).toBeGreaterThan(0);
  expect(charged).toEqual([charged[0], charged[0]]);
  const refused = JSON.stringify({ success: false, errCode: 401, message: "no such key" });
  const failed = await ask({ provider: aiProxyLibrary, answer: refused });
  expect([failed.status >= 400, failed.charges]).toEqual([true, []]);
});

test("tools and pictures are refused where the model could not see them", async () => {
  const tools = [{ type: "function", function: { name: "f" } }];
  const image_url = { url: "data:image/png;base64,AA==" };
  const picture = [{ role: "user", content: [{ type: "image_url", image_url }] }];
  for (const given of [
    { provider: palm, answer: palmWhole },
    { provider: zhipu, answer: glmWhole, key: "id.secret", model: "chatglm_std" },
    { provider: aiProxyLibrary, answer: libraryWhole },
  ]) {
    for (const body of [{ tools }, { messages: picture }]) {
      const got = await ask(given, body);
      expect([given.provider.id, got.status, got.head, got.charges]).toEqual([
        given.provider.id,
        400,
        "",
        [],
      ]);
    }
  }
});
