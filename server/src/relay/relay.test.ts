import { gzipSync } from "node:zlib";
import { afterEach, expect, test } from "bun:test";
import { eventually } from "#base/testing/waiting.ts";
import { openai } from "#providers/openai.ts";
import { v1Paths } from "#providers/openai-compatible.ts";
import type { ChannelView } from "#ports/snapshot.ts";
import {
  openTestRelay,
  testChannel,
  testKey,
  type TestRelay,
  type TestRelayOptions,
} from "./testing/relay.ts";
import { textsOf } from "./testing/log-texts.ts";
import { streamHead, wholeStream } from "./testing/stream.ts";
import { type Answerer, jsonAnswer, startUpstream } from "#network/testing/upstream.ts";

const stops: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const stop of stops.splice(0)) await stop();
});

async function upstream(answer: Answerer) {
  const started = await startUpstream(answer);
  stops.push(started.stop);
  return started;
}

function open(given: Omit<TestRelayOptions, "channels">, ...channels: ChannelView[]): TestRelay {
  const relay = openTestRelay({ ...given, channels });
  stops.push(relay.stop);
  return relay;
}

const completion = (usage: unknown): string =>
  JSON.stringify({
    id: "chatcmpl-1",
    choices: [{ index: 0, message: { role: "assistant", content: "Hello there!" } }],
    ...(usage === undefined ? {} : { usage }),
  });
const usage = { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 };
const good: Answerer = (socket) => socket.write(jsonAnswer(completion(usage)));
const failing =
  (status: string, body = '{"error":{"message":"no"}}', head = ""): Answerer =>
  (socket) =>
    socket.write(jsonAnswer(body, status).replace("\r\n", `\r\n${head}`));

const chat = { model: "m", messages: [{ role: "user", content: "hi" }] };

async function post(
  relay: TestRelay,
  body: object | string | Uint8Array<ArrayBuffer> = chat,
  { path = "/v1/chat/completions", ...headers }: Record<string, string> = {},
) {
  const response = await fetch(relay.url + path, {
    method: "POST",
    headers: { authorization: `Bearer ${testKey}`, "content-type": "application/json", ...headers },
    body: body instanceof Uint8Array || typeof body === "string" ? body : JSON.stringify(body),
  });
  const text = await response.text();
  return { status: response.status, headers: response.headers, text, error: errorOf(text) };
}

function errorOf(text: string): { message: string; type: string; code: string } | undefined {
  try {
    return JSON.parse(text).error;
  } catch {
    return undefined;
  }
}

test("request and answer pass byte for byte, and the upstream's usage is charged", async () => {
  const { requests, url } = await upstream(good);
  const relay = open({}, testChannel({ baseUrl: url }));
  const sent =
    '{ "model" :"m","messages":[{"role":"user","content":"\\u4f60"}],"seed":1e2,"x":[ ]}';
  const answer = await post(relay, sent);

  expect(requests[0]?.split("\r\n\r\n")[1]).toBe(sent);
  expect(answer).toMatchObject({ status: 200, text: completion(usage) });
  // 10 input tokens at 2 quota units and 5 output tokens at 8.
  expect(relay.money.settled.map(({ charge }) => charge)).toEqual([60]);
  expect(relay.money.balance).toBe(1_000_000_000 - 60);
  expect(relay.money.held).toBe(0);
});

test("the log row has user, model, channel and price", async () => {
  const { url } = await upstream(good);
  const relay = open({}, testChannel({ id: 5, baseUrl: url }));
  const { headers } = await post(relay);
  const log = relay.money.settled[0]?.log;

  expect(log).toMatchObject({
    requestId: headers.get("x-request-id"),
    userId: 7,
    username: "ada",
    tokenId: 70,
    tokenName: "laptop",
    tried: [5],
    modelName: "m",
    group: "default",
    isStream: false,
    usageSource: "upstream",
    priceVersion: 3,
    losses: [],
  });
  const { content, other } = textsOf(log);
  expect(content).toBe("模型倍率 2，补全倍率 4，分组倍率 1");
  expect(other).toMatchObject({
    model_ratio: 2,
    completion_ratio: 4,
    group_ratio: 1,
    model_price: -1,
    cache_tokens: 0,
    cache_ratio: 0.5,
    group: "default",
    admin_info: { use_channel: ["5"] },
  });
});

test("the upstream gets only the client headers it needs", async () => {
  const { requests, url } = await upstream(good);
  const relay = open({}, testChannel({ baseUrl: url }));
  await post(relay, chat, {
    cookie: "session=1",
    "x-forwarded-for": "1.2.3.4",
    "x-api-key": testKey,
    "openai-beta": "assistants=v2",
    "idempotency-key": "k-1",
    "user-agent": "client/1",
  });
  const head = requests[0]?.split("\r\n\r\n")[0] ?? "";

  expect(head.split("\r\n").slice(1).toSorted()).toEqual([
    "accept-encoding: identity",
    "accept: application/json",
    "authorization: Bearer sk-upstream-secret-1",
    "content-length: 57",
    "content-type: application/json",
    `host: ${url.slice(7)}`,
    "idempotency-key: k-1",
    "openai-beta: assistants=v2",
    "user-agent: tollgate",
  ]);
});

test("a mapped model is renamed for the upstream only, and charged by the client's name", async () => {
  const { requests, url } = await upstream(good);
  const mapping = new Map([["m", "vendor/m-2026"]]);
  const relay = open({}, testChannel({ baseUrl: url, modelMapping: mapping }));
  await post(relay);

  expect(requests[0]).toContain('{"model":"vendor/m-2026","messages"');
  const log = relay.money.settled[0]?.log;
  expect(log?.modelName).toBe("m");
  expect(textsOf(log).other).toMatchObject({
    is_model_mapped: true,
    upstream_model_name: "vendor/m-2026",
  });
});

test("a parameter override sets fields of the body, but not whether it streams", async () => {
  const { requests, url } = await upstream(good);
  const paramOverride = { temperature: 0, stream: true, extra: { a: 1 }, __proto__: null };
  const relay = open({}, testChannel({ baseUrl: url, paramOverride }));
  await post(relay, { ...chat, temperature: 1 });

  expect(JSON.parse(requests[0]?.split("\r\n\r\n")[1] ?? "")).toEqual({
    ...chat,
    temperature: 0,
    extra: { a: 1 },
  });
});

test("old paths name the model, and embeddings cost their input only", async () => {
  const body =
    '{"object":"list","data":[{"embedding":[1]}],"usage":{"prompt_tokens":8,"total_tokens":8}}';
  const { requests, url } = await upstream((socket) => socket.write(jsonAnswer(body)));
  const relay = open({}, testChannel({ baseUrl: url }));
  const path = "/v1/engines/m/embeddings";
  const answer = await post(relay, { input: "hello", stream: true }, { path });

  expect(answer).toMatchObject({ status: 200, text: body });
  expect(requests[0]).toStartWith("POST /v1/embeddings HTTP/1.1");
  expect(requests[0]).toContain('"model":"m"');
  expect(relay.money.settled[0]?.charge).toBe(16);
});

test("P-M4: implausible usage is replaced by the gateway's own count", async () => {
  for (const [given, source] of [
    [undefined, "local"],
    [{ prompt_tokens: 0, completion_tokens: 0, total_tokens: 0 }, "local"],
    [{ prompt_tokens: -5, completion_tokens: 5 }, "suspect"],
    [{ prompt_tokens: 1e18, completion_tokens: 5 }, "suspect"],
    [{ prompt_tokens: 1, completion_tokens: 1_000_000 }, "suspect"],
    [{ prompt_tokens: "ten", completion_tokens: 5 }, "suspect"],
    [
      { prompt_tokens: 5, completion_tokens: 5, prompt_tokens_details: { cached_tokens: 50 } },
      "suspect",
    ],
  ] as const) {
    const { url } = await upstream((socket) => socket.write(jsonAnswer(completion(given))));
    const relay = open({}, testChannel({ baseUrl: url }));
    await post(relay);
    const { charge, log } = relay.money.settled[0] ?? {};
    // The tests' tokenizer counts 5 characters a token. The prompt is "user" and "hi" with the
    // tokens around a message; the output has 12 characters.
    expect([given, log?.usageSource, log?.usage.input, log?.usage.output]).toEqual([
      given,
      source,
      8,
      3,
    ]);
    expect(charge).toBe(8 * 2 + 3 * 8);
  }
});

// Resellers remove the details of reasoning from usage objects: the operator pays for 8,000 tokens,
// but without this rule would charge for 80.
test("output that was not seen is charged up to the call's own limit, and the row says so", async () => {
  const usage = { prompt_tokens: 9, completion_tokens: 8_000, total_tokens: 8_009 };
  const { url } = await upstream((socket) => socket.write(jsonAnswer(completion(usage))));
  const charged = async (channel: Partial<ChannelView>, maxTokens: number) => {
    const relay = open({ balance: 10_000_000 }, testChannel({ baseUrl: url, ...channel }));
    await post(relay, {
      model: "m",
      messages: [{ role: "user", content: "hi" }],
      max_tokens: maxTokens,
    });
    const { charge, log } = relay.money.settled[0] ?? {};
    return [charge, log?.usageSource, textsOf(log).other["hidden_output"]];
  };

  expect(await charged({}, 8_000)).toEqual([9 * 2 + 8_000 * 8, "upstream", true]);
  expect(await charged({}, 7_999)).toEqual([8 * 2 + 3 * 8, "suspect", undefined]);
  expect(await charged({ usageTrust: "visible" }, 8_000)).toEqual([
    8 * 2 + 3 * 8,
    "suspect",
    undefined,
  ]);
});

test("an empty answer whose usage is all zeros costs nothing", async () => {
  const usage = { prompt_tokens: 0, completion_tokens: 0, total_tokens: 0 };
  const choices = [{ index: 0, message: { role: "assistant", content: "" } }];
  const { url } = await upstream((socket) =>
    socket.write(jsonAnswer(JSON.stringify({ object: "chat.completion", choices, usage }))),
  );
  const relay = open({}, testChannel({ baseUrl: url }));

  expect(await post(relay)).toMatchObject({ status: 200 });
  expect(relay.money.settled.map(({ charge }) => charge)).toEqual([0]);
});

test("compressed bodies are unpacked, within limits of size and ratio", async () => {
  const { requests, url } = await upstream(good);
  const relay = open({ options: { bodyBytesMax: 50_000 } }, testChannel({ baseUrl: url }));
  const packed = new Uint8Array(gzipSync(JSON.stringify(chat)));
  expect(await post(relay, packed, { "content-encoding": "gzip" })).toMatchObject({ status: 200 });
  expect(requests[0]).toEndWith(JSON.stringify(chat));

  const bomb = new Uint8Array(gzipSync(Buffer.alloc(10_000_000, 32)));
  for (const [body, headers, status] of [
    [bomb, { "content-encoding": "gzip" }, 413],
    [packed.slice(0, 20), { "content-encoding": "gzip" }, 400],
    [packed, { "content-encoding": "gzip, gzip" }, 415],
    [packed, { "content-encoding": "zstd" }, 415],
    [" ".repeat(50_001), {}, 413],
    ["{", {}, 400],
    ['{"model":"m","model":"m","messages":[1]}', {}, 400],
    ["model=m", { "content-type": "application/x-www-form-urlencoded" }, 415],
  ] as const) {
    expect((await post(relay, body, headers)).status).toBe(status);
  }
  expect(requests).toHaveLength(1);
  expect(relay.money.held).toBe(0);
});

test("P-M3: numbers out of range are refused before anything is held or sent", async () => {
  const { requests, url } = await upstream(good);
  const relay = open({}, testChannel({ baseUrl: url }));
  for (const fields of [{ n: 0 }, { n: 129 }, { max_tokens: -1 }, { max_tokens: 2_000_001 }]) {
    const { error, status } = await post(relay, { ...chat, ...fields });
    expect([status, error?.code]).toEqual([400, "invalid_text_request"]);
  }
  expect(requests).toHaveLength(0);
  expect(relay.money).toMatchObject({ held: 0, released: 0 });
});

test("a call beyond the quota is refused with both figures, and an exhausted token is marked", async () => {
  const { url } = await upstream(good);
  const channel = testChannel({ baseUrl: url });
  const poor = await post(open({ balance: 10 }, channel));
  expect([poor.status, poor.error?.code]).toEqual([403, "insufficient_user_quota"]);
  expect(poor.error?.message).toMatch(/剩余额度: 10, 需要预扣费额度: \d+/);
  const owing = open({}, channel);
  owing.money.debt = 40;
  expect(await post(owing)).toMatchObject({ status: 403, error: { code: "user_in_debt" } });

  const limited = open({ token: { unlimitedQuota: false } }, channel);
  limited.money.tokenRemain = 24;
  expect((await post(limited)).error?.code).toBe("pre_consume_token_quota_failed");
  expect(limited.marked).toEqual([]);
  limited.money.tokenRemain = 0;
  const spent = await post(limited);
  expect([spent.status, spent.error?.message]).toEqual([
    401,
    expect.stringContaining("[abc***xyz] 该令牌额度已用尽"),
  ]);
  expect(limited.marked).toEqual([{ tokenId: 70, status: 4 }]);
  limited.money.tokenRemain = 23; // The shortest request has 12 tokens at 2.
  expect((await post(limited)).error?.message).toContain("剩余额度: 23, 最小预扣费额度: 24");

  const capped = await post(open({ options: { quotaPerCallMax: 100 } }, channel));
  expect([capped.status, capped.error?.code]).toEqual([403, "quota_per_call_exceeded"]);
  const unpriced = testChannel({ baseUrl: url, models: new Set(["free"]) });
  const guess = await post(open({}, unpriced), { ...chat, model: "free" });
  expect([guess.status, guess.error?.code]).toEqual([403, "model_price_error"]);
});

test("A-163: the hold of a call without an output limit follows the option", async () => {
  const { url } = await upstream(good);
  const asked = [];
  for (const outputTokensHeld of [100, 200]) {
    const relay = open({ options: { outputTokensHeld } }, testChannel({ baseUrl: url }));
    relay.money.balance = 0;
    const refused = await post(relay);
    asked.push(Number(/需要预扣费额度: (\d+)/.exec(refused.error?.message ?? "")?.[1]));
  }
  // The second relay holds 100 output tokens more than the first, at 8 quota units each.
  expect((asked[1] ?? 0) - (asked[0] ?? 0)).toBe(800);
});

test("A-167: a prompt with a sensitive word is refused, and nothing is held or sent", async () => {
  const { requests, url } = await upstream(good);
  const findWord = (text: string) => text.includes("forbidden");
  const relay = open({ options: { findWord } }, testChannel({ baseUrl: url }));
  const prompt = { ...chat, messages: [{ role: "user", content: "a forbidden word" }] };

  const refused = await post(relay, prompt);
  expect([refused.status, refused.error?.code]).toEqual([400, "sensitive_words_detected"]);
  expect([requests.length, relay.money.held]).toEqual([0, 0]);
  expect(refused.error?.message).not.toContain("forbidden");
  expect((await post(relay)).status).toBe(200);
});

test("an answer waits for its bill; if that cannot be committed in time the client gets an error and is billed later", async () => {
  const { url } = await upstream(good);
  const relay = open({}, testChannel({ baseUrl: url }));
  relay.money.committing = false;
  const answering = post(relay);
  await eventually(() => relay.money.uncommitted() === 1);
  relay.skipMs += 11_000;
  const answer = await answering;
  expect([answer.status, answer.error?.code]).toEqual([503, "billing_unavailable"]);

  relay.money.committing = true;
  await eventually(() => relay.money.settled.length === 1);
  expect(relay.money.settled.map(({ charge }) => charge)).toEqual([60]);
  expect(relay.money.held).toBe(0);
});

test("a bug in the gateway costs the client its answer and no money", async () => {
  const { url } = await upstream((socket, request, count) => {
    if (request.includes('"stream":true')) socket.end(streamHead + wholeStream);
    else good(socket, request, count);
  });
  const readUsage = () => {
    throw new Error("a bug at 10.0.0.1");
  };
  const spoken = { paths: v1Paths, asksForUsage: true, readUsage };
  const provider = { ...openai, formats: { "openai-chat": spoken } };
  for (const stream of [false, true]) {
    const relay = open({}, testChannel({ baseUrl: url, provider }));
    const answer = await post(relay, { ...chat, stream });
    expect(answer.status).toBe(500);
    expect(answer.text).toContain('{"error":');
    expect(answer.text).not.toMatch(/10\.0\.0\.1|DONE/);
    expect(relay.money).toMatchObject({ held: 0, released: 1, settled: [] });
    expect(relay.relay.open()).toBe(0);
    expect(relay.logged.join()).toContain("a bug at 10.0.0.1");
  }
});

test("a failed call is free: nothing stays held, and its log row says what failed", async () => {
  const { url } = await upstream(failing("500 Oops"));
  const relay = open({ options: { retryTimes: 0 } }, testChannel({ baseUrl: url }));
  const answer = await post(relay);

  expect([answer.status, answer.error?.type]).toEqual([500, "upstream_error"]);
  expect(relay.money).toMatchObject({ held: 0, released: 1, balance: 1_000_000_000 });
  expect(relay.failures).toHaveLength(1);
  expect(textsOf(relay.failures[0]).other).toMatchObject({
    status_code: 500,
    frt: -1_000,
    admin_info: { use_channel: ["1"] },
  });
});
