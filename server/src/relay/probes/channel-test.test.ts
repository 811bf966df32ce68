import { afterEach, expect, test } from "bun:test";
import { openAddressBook } from "#network/address-book.ts";
import { testChannel as tryChannel } from "./channel-test.ts";
import type { ChannelView } from "#relay/snapshot.ts";
import { testChannel, testSnapshot } from "#relay/testing/relay.ts";
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
