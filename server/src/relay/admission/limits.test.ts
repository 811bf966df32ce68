import { afterEach, expect, test } from "bun:test";
import { jsonAnswer, startUpstream } from "#network/testing/upstream.ts";
import type { RelayOptions, TokenView } from "#ports/snapshot.ts";
import { openTestRelay, testChannel, testKey } from "#relay/testing/relay.ts";

const stops: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const stop of stops.splice(0)) await stop();
});

const chat = { model: "m", messages: [{ role: "user", content: "hi" }] };
const answer = JSON.stringify({
  choices: [{ index: 0, message: { role: "assistant", content: "Hello!" } }],
  usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 },
});

const noLimit = { windowMs: 60_000, total: 0, successes: 0 };

/** Opens a relay with these limits. Returns a function that makes a call to the relay. */
async function open(
  requestLimit: RelayOptions["requestLimit"],
  rateLimit: TokenView["rateLimit"] = null,
) {
  const upstream = await startUpstream((socket) => socket.write(jsonAnswer(answer)));
  const channels = [testChannel({ baseUrl: upstream.url })];
  const relay = openTestRelay({ channels, token: { rateLimit }, options: { requestLimit } });
  stops.push(upstream.stop, relay.stop);
  return async (body: object) => {
    const response = await fetch(`${relay.url}/v1/chat/completions`, {
      method: "POST",
      headers: { authorization: `Bearer ${testKey}`, "content-type": "application/json" },
      body: JSON.stringify(body),
    });
    return { status: response.status, text: await response.text(), headers: response.headers };
  };
}

test("a user's limit of calls counts failed calls, too", async () => {
  const post = await open({ windowMs: 180_000, total: 2, successes: 0 });
  await post({});
  await post(chat);
  const refused = await post(chat);

  expect(refused.status).toBe(429);
  expect(refused.text).toContain("您已达到总请求数限制：3分钟内最多请求2次，包括失败次数");
  expect(Number(refused.headers.get("retry-after"))).toBeGreaterThan(0);
});

test("a user's limit of successful calls does not count failed ones", async () => {
  const post = await open({ windowMs: 120_000, total: 0, successes: 2 });

  for (let count = 0; count < 5; count += 1) expect((await post({})).status).toBe(400);
  expect((await post(chat)).status).toBe(200);
  expect((await post({})).status).toBe(400);
  expect((await post(chat)).status).toBe(200);
  const refused = await post(chat);
  expect(refused.status).toBe(429);
  expect(refused.text).toContain("您已达到请求数限制：2分钟内最多请求2次");
  expect(Number(refused.headers.get("retry-after"))).toBeGreaterThan(0);
});

test("O-287: calls over a token's rate limit get 429 with the token's own text", async () => {
  const rule = { name: "relay-token", windowMs: 30_000, max: 1 };
  const post = await open(noLimit, { rule, key: "70", message: "Slow down, Ada." });

  expect((await post(chat)).status).toBe(200);
  const refused = await post(chat);
  expect(refused.status).toBe(429);
  expect(refused.text).toContain("Slow down, Ada.");
  expect(Number(refused.headers.get("retry-after"))).toBeGreaterThan(0);
});

test("O-287: without a text of its own, a token's rate limit says how many calls it allows", async () => {
  const rule = { name: "relay-token", windowMs: 30_000, max: 1 };
  const post = await open(noLimit, { rule, key: "70", message: "" });

  await post(chat);
  expect((await post(chat)).text).toContain("该令牌 30 秒内最多请求 1 次，请稍后再试");
});
