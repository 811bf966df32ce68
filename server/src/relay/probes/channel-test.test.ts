import { afterEach, expect, test } from "bun:test";
import { openAddressBook } from "#network/address-book.ts";
import { gemini } from "#providers/gemini.ts";
import { testChannel as tryChannel } from "./channel-test.ts";
import type { ChannelView } from "#ports/snapshot.ts";
import { testChannel, testSnapshot } from "#relay/testing/relay.ts";
import { sparkAnswer, sparkKey, sparkProvider, startSpark } from "#relay/testing/xunfei.ts";
import { type Answerer, jsonAnswer, startUpstream } from "#network/testing/upstream.ts";
import { openTicker } from "#network/ticker.ts";
import { openTransport } from "#network/transport.ts";

const stops: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const stop of stops.splice(0)) await stop();
});

const ticker = openTicker(() => performance.now());
const addresses = openAddressBook({
  allows: () => true,
  resolve: async () => [],
  nowMs: ticker.nowMs,
});
const { options } = testSnapshot({ channels: [] });
const deps = {
  transport: openTransport({ addresses, ticker }),
  options,
  now: Date.now,
  nowMs: ticker.nowMs,
};

async function open(answer: Answerer, given: Partial<ChannelView> = {}) {
  const upstream = await startUpstream(answer);
  stops.push(upstream.stop);
  return { channel: testChannel({ baseUrl: upstream.url, ...given }), upstream };
}

const good = '{"choices":[{"index":0,"message":{"content":"hi"}}]}';
const bodyOf = (request = ""): unknown => JSON.parse(request.split("\r\n\r\n")[1] ?? "{}");

test("a channel is tested with the smallest request for its model", async () => {
  const { channel, upstream } = await open((socket) => socket.write(jsonAnswer(good)), {
    testModel: "configured",
    modelMapping: new Map([["mapped", "upstream-name"]]),
    paramOverride: { temperature: 0 },
  });
  const asked = [null, "mapped", "o3-mini", "claude-thinking", "gemini-pro", "bge-m3"];
  for (const model of asked) {
    const result = await tryChannel(deps, channel, model);
    expect(result).toMatchObject({ ok: true, model: model ?? "configured" });
  }
  const messages = [{ role: "user", content: "hi" }];
  const chat = { messages, temperature: 0 };

  expect(upstream.requests.map(bodyOf)).toEqual([
    { model: "configured", ...chat, max_tokens: 10 },
    { model: "upstream-name", ...chat, max_tokens: 10 },
    { model: "o3-mini", ...chat, max_completion_tokens: 10 },
    { model: "claude-thinking", ...chat, max_tokens: 50 },
    { model: "gemini-pro", ...chat, max_tokens: 300 },
    { model: "bge-m3", input: ["hello world"], temperature: 0 },
  ]);
  expect(upstream.requests[5]).toStartWith("POST /v1/embeddings ");
});

test("a failed test says why, without the key, and whether that disables the channel", async () => {
  const error = '{"error":{"message":"bad key sk-upstream-secret-1","code":"invalid_api_key"}}';
  for (const [answer, message, field, disables] of [
    [jsonAnswer(error, "401 Unauthorized"), "上游拒绝了该密钥 (401)：bad key ***", "key", true],
    [jsonAnswer("{}", "500 Oops"), "上游出错 (500)", null, false],
    [jsonAnswer("<html>"), /不是有效的 API 应答/, "base_url", false],
    ["", /^上游没有应答就断开了连接$/, null, false],
    ["nonsense\r\n\r\n", /^上游的应答不是有效的 HTTP/, "base_url", false],
  ] as const) {
    const { channel } = await open((socket) => socket.end(answer));
    const result = await tryChannel(deps, channel, null);
    if (result.ok) throw new Error("it passed");
    expect(result.words.message).toMatch(message);
    expect(result.words.field).toBe(field);
    expect(result.disableReason !== null).toBe(disables);
  }
});

const events = (...datas: readonly string[]): string =>
  `HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nconnection: close\r\n\r\n${datas
    .map((data) => `data: ${data}\n\n`)
    .join("")}`;
const piece = '{"choices":[{"index":0,"delta":{"content":"hi"},"finish_reason":null}]}';
const last = '{"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}';

test("O-075: a test can ask for a stream, which must be one and complete", async () => {
  const error = '{"error":{"message":"out of service","code":"down"}}';
  for (const [answer, message] of [
    [events(piece, last, "[DONE]"), null],
    [events(piece), "上游在应答结束前断开了连接"],
    [events(error), "上游返回了错误：out of service"],
    [jsonAnswer(good), "上游没有以流的形式应答"],
    [jsonAnswer("{}", "500 Oops"), "上游出错 (500)"],
  ] as const) {
    const { channel, upstream } = await open((socket) => socket.end(answer));
    const result = await tryChannel(deps, channel, "gpt-4o", true);
    expect(result.ok ? null : result.words.message).toBe(message);
    expect(bodyOf(upstream.requests[0])).toMatchObject({ model: "gpt-4o", stream: true });
  }
  const { channel, upstream } = await open((socket) => socket.write(jsonAnswer(good)));
  expect(await tryChannel(deps, channel, "bge-m3", true)).toMatchObject({ ok: true });
  expect(bodyOf(upstream.requests[0])).not.toHaveProperty("stream");
});

test("an upstream that streams what was asked for as a whole serves calls, and passes", async () => {
  const good = await open((socket) => socket.end(events(piece, last, "[DONE]")));
  expect(await tryChannel(deps, good.channel, "gpt-4o")).toMatchObject({ ok: true });
  const { channel } = await open((socket) => socket.end(events(piece)));
  expect(await tryChannel(deps, channel, "gpt-4o")).toMatchObject({ ok: false });
});

test("O-075: a stream is asked for as the upstream's own format says it", async () => {
  const whole = '{"candidates":[{"content":{"parts":[{"text":"hi"}]},"finishReason":"STOP"}]}';
  const { channel, upstream } = await open((socket) => socket.end(events(whole)), {
    provider: gemini,
  });
  expect(await tryChannel(deps, channel, "gemini-pro", true)).toMatchObject({ ok: true });
  expect(upstream.requests[0]).toContain("/models/gemini-pro:streamGenerateContent?alt=sse ");
  expect(bodyOf(upstream.requests[0])).not.toHaveProperty("stream");
});

test("a channel of Spark is tested over its WebSocket, whole and as a stream", async () => {
  const upstream = await startSpark((call) => call.say(sparkAnswer));
  stops.push(upstream.stop);
  const given = { provider: sparkProvider, keys: [sparkKey], baseUrl: upstream.url };
  const model = "generalv3.5";
  for (const isStream of [false, true]) {
    const result = await tryChannel(deps, testChannel(given), model, isStream);
    expect(result).toMatchObject({ ok: true, model });
  }
  expect(upstream.calls.map(({ path }) => path)).toEqual(["/v3.5/chat", "/v3.5/chat"]);
});
