/**
 * T25: providers charge other prices in other service tiers. The answer says which tier has served
 * a call, and the call is charged for it.
 */

import { describe, expect, test } from "bun:test";
import { chargedTexts } from "#canonical/call-texts.ts";
import { jsonAnswer, startUpstream } from "#network/testing/upstream.ts";
import { anthropic } from "#providers/anthropic.ts";
import { gemini } from "#providers/gemini.ts";
import { openai } from "#providers/openai.ts";
import type { Provider } from "#providers/provider.ts";
import { openTestRelay, testChannel, testKey } from "./testing/relay.ts";
import { streamHead } from "./testing/stream.ts";

const model = "tiered";

/** How a format asks and answers; `said` is what the answer says of the tier. */
type Talk = {
  readonly provider: Provider;
  readonly path: (stream: boolean) => string;
  readonly request: object;
  readonly answer: (said: object) => object;
  readonly events: (said: object) => readonly object[];
};

const messages = [{ role: "user", content: "hi" }];
const text = "Hello there!";

const chat: Talk = {
  provider: openai,
  path: () => "/v1/chat/completions",
  request: { model, messages, max_tokens: 100 },
  answer: (said) => ({
    id: "c",
    model,
    ...said,
    choices: [{ index: 0, message: { role: "assistant", content: text }, finish_reason: "stop" }],
    usage: { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 },
  }),
  events: (said) => [
    { id: "c", model, ...said, choices: [{ index: 0, delta: { content: "Hello" } }] },
    { id: "c", model, ...said, choices: [{ index: 0, delta: { content: " there!" } }] },
    { id: "c", model, ...said, choices: [{ index: 0, delta: {}, finish_reason: "stop" }] },
    { id: "c", ...said, choices: [], usage: { prompt_tokens: 10, completion_tokens: 5 } },
  ],
};

const output = [
  { type: "message", id: "msg_1", role: "assistant", content: [{ type: "output_text", text }] },
];

const responses: Talk = {
  provider: {
    ...openai,
    formats: { "openai-responses": { paths: { chat: "/v1/responses" }, asksForUsage: false } },
  },
  path: () => "/v1/responses",
  request: { model, input: "hi", max_output_tokens: 100 },
  answer: (said) => ({
    id: "resp_1",
    object: "response",
    status: "completed",
    model,
    metadata: { service_tier: "flex" },
    output,
    usage: { input_tokens: 10, output_tokens: 5, total_tokens: 15 },
    ...said,
    text: { service_tier: "flex" },
  }),
  events: (said) => [
    {
      type: "response.created",
      response: { id: "resp_1", object: "response", service_tier: "auto", output: [] },
    },
    { type: "response.output_text.delta", output_index: 0, content_index: 0, delta: text },
    { type: "response.completed", response: responses.answer(said) },
  ],
};

const head = { id: "msg_1", type: "message", role: "assistant", model };

const messagesTalk: Talk = {
  provider: anthropic,
  path: () => "/v1/messages",
  request: { model, messages, max_tokens: 100 },
  answer: (said) => ({
    ...head,
    stop_reason: "end_turn",
    content: [{ type: "text", text }],
    usage: { input_tokens: 10, output_tokens: 5, ...said },
  }),
  events: (said) => [
    {
      type: "message_start",
      message: {
        ...head,
        content: [],
        usage: { input_tokens: 10, output_tokens: 1, ...said },
      },
    },
    { type: "content_block_start", index: 0, content_block: { type: "text", text: "" } },
    { type: "content_block_delta", index: 0, delta: { type: "text_delta", text } },
    { type: "content_block_stop", index: 0 },
    { type: "message_delta", delta: { stop_reason: "end_turn" }, usage: { output_tokens: 5 } },
    { type: "message_stop" },
  ],
};

const generate: Talk = {
  provider: gemini,
  path: (stream) =>
    `/v1beta/models/${model}:${stream ? "streamGenerateContent?alt=sse" : "generateContent"}`,
  request: {
    contents: [{ role: "user", parts: [{ text: "hi" }] }],
    generationConfig: { maxOutputTokens: 100 },
  },
  answer: (said) => ({
    candidates: [{ index: 0, content: { role: "model", parts: [{ text }] }, finishReason: "STOP" }],
    usageMetadata: {
      promptTokenCount: 10,
      candidatesTokenCount: 5,
      totalTokenCount: 15,
      ...said,
    },
  }),
  events: (said) => [generate.answer(said)],
};

function streamOf(talk: Talk, said: object): string {
  const events = talk.events(said).map((event) => `data: ${JSON.stringify(event)}\n\n`);
  return streamHead + events.join("") + (talk === chat ? "data: [DONE]\n\n" : "");
}

type Call = {
  /** How the client talks, and the upstream; by default alike. */
  readonly talk: Talk;
  readonly upstream?: Talk;
  readonly stream?: boolean;
  readonly asks?: object;
  readonly says?: object;
  readonly override?: Readonly<Record<string, unknown>>;
};

async function call({ talk, upstream = talk, stream = false, asks, says = {}, override }: Call) {
  let held = 0;
  let asked: Record<string, unknown> = {};
  const server = await startUpstream((socket, request) => {
    ({ held } = relay.money);
    asked = JSON.parse(request.slice(request.indexOf("\r\n\r\n") + 4)) as typeof asked;
    socket.end(
      stream ? streamOf(upstream, says) : jsonAnswer(JSON.stringify(upstream.answer(says))),
    );
  });
  const relay = openTestRelay({
    channels: [
      testChannel({
        baseUrl: server.url,
        provider: upstream.provider,
        models: new Set([model]),
        paramOverride: override ?? null,
      }),
    ],
  });
  const sent = await fetch(relay.url + talk.path(stream), {
    method: "POST",
    headers: { authorization: `Bearer ${testKey}`, "content-type": "application/json" },
    body: JSON.stringify({ ...talk.request, ...(talk === generate ? {} : { stream }), ...asks }),
  });
  const losses = sent.headers.get("x-tollgate-losses") ?? "";
  const body = await sent.text();
  await relay.stop();
  await server.stop();
  expect([sent.status, body]).toEqual([200, expect.any(String)]);
  const [settled, ...others] = relay.money.settled;
  if (settled === undefined || others.length > 0) throw new Error("one charge was expected");
  return { ...settled, held, asked, losses };
}

// 10 input tokens cost 2 each, 5 output tokens 8; see `testPrices` for the factors of the tiers.
const standard = 20 + 40;
const priority = 40 + 60;
const flex = 10 + 10;
const fast = 120 + 240;

/** What is asked and answered in a format, and what it costs. */
const cases: readonly (readonly [string, Talk, object, object, number])[] = [];
const add = (...each: (typeof cases)[number]): unknown =>
  (cases as (typeof cases)[number][]).push(each);

for (const [name, talk] of [
  ["chat", chat],
  ["responses", responses],
] as const) {
  const tier = (service_tier: unknown): object => ({ service_tier });
  add(name, talk, {}, {}, standard);
  add(name, talk, {}, tier("default"), standard);
  add(name, talk, {}, tier("priority"), priority);
  add(name, talk, tier("auto"), tier("flex"), flex);
  add(name, talk, tier("priority"), tier("priority"), priority);
  add(name, talk, tier("fast"), tier("priority"), priority);
  add(name, talk, tier("priority"), {}, priority);
  add(name, talk, tier("priority"), tier("default"), standard);
  add(name, talk, tier("flex"), tier("flex"), flex);
  add(name, talk, tier("flex"), tier("default"), standard);
  add(name, talk, tier("scale"), tier("scale"), standard);
  // What no document says lowers no charge, and raises none.
  for (const absurd of ["flex", "batch", "", "free", null, 0, ["default"], { default: 1 }]) {
    add(name, talk, tier("priority"), tier(absurd), priority);
  }
  add(name, talk, tier("default"), tier("flex"), standard);
  add(name, talk, tier("default"), tier("priority"), standard);
  add(name, talk, {}, tier("batch"), standard);
}

add("messages", messagesTalk, {}, { service_tier: "standard" }, standard);
add("messages", messagesTalk, {}, { service_tier: "priority" }, priority);
add("messages", messagesTalk, {}, { service_tier: "batch" }, standard);
add("messages", messagesTalk, {}, { service_tier: "flex" }, standard);
const standardOnly = { service_tier: "standard_only" };
add("messages", messagesTalk, standardOnly, { service_tier: "priority" }, standard);
const speed = { speed: "fast" };
add("messages", messagesTalk, speed, { service_tier: "standard", speed: "fast" }, fast);
add("messages", messagesTalk, speed, { service_tier: "standard", speed: "standard" }, standard);
add("messages", messagesTalk, speed, { service_tier: "standard" }, fast);
add("messages", messagesTalk, speed, { service_tier: "batch", speed: "standard" }, fast);
add("messages", messagesTalk, {}, { service_tier: "standard", speed: "fast" }, standard);

const geminiTier = (serviceTier: string): object => ({ serviceTier });
add("gemini", generate, {}, geminiTier("standard"), standard);
add("gemini", generate, geminiTier("priority"), geminiTier("priority"), priority);
add("gemini", generate, geminiTier("priority"), geminiTier("standard"), standard);
add("gemini", generate, { service_tier: "SERVICE_TIER_FLEX" }, geminiTier("flex"), flex);
add("gemini", generate, {}, geminiTier("flex"), standard);
add("gemini", generate, {}, { trafficType: "ON_DEMAND_FLEX" }, flex);
add("gemini", generate, {}, { trafficType: "ON_DEMAND_PRIORITY" }, priority);
add("gemini", generate, {}, { trafficType: "ON_DEMAND" }, standard);

describe("T25: a call is charged for the service tier that has served it", () => {
  for (const [name, talk, asks, says, charge] of cases) {
    const title = `${name} ${JSON.stringify(asks)}, answered ${JSON.stringify(says)}: ${charge}`;
    test(title, async () => {
      const whole = await call({ talk, asks, says });
      const stream = await call({ talk, asks, says, stream: true });
      expect([whole.charge, stream.charge]).toEqual([charge, charge]);
      // The hold covers every tier that may serve the call.
      expect(Math.min(whole.held, stream.held)).toBeGreaterThanOrEqual(charge);
    });
  }
});

test("T25: a call that leaves the tier to the provider is held at its highest price", async () => {
  const { held } = await call({ talk: chat });
  const { held: named } = await call({ talk: chat, asks: { service_tier: "default" } });
  const { held: dear } = await call({ talk: chat, asks: { service_tier: "priority" } });
  // 100 output tokens cost 8 each, half as much again with priority.
  expect(named).toBeLessThan(dear - 400);
  expect(Math.abs(held - dear)).toBeLessThan(60);
});

test("T25: a request that names its tier twice is refused, because two parsers may differ", async () => {
  const relay = openTestRelay({
    channels: [testChannel({ baseUrl: "http://127.0.0.1:9", models: new Set([model]) })],
  });
  const post = async (path: string, body: string): Promise<number> => {
    const headers = { authorization: `Bearer ${testKey}`, "content-type": "application/json" };
    return (await fetch(relay.url + path, { method: "POST", headers, body })).status;
  };
  const twice = '"service_tier":"default","service_tier":"priority"';
  const asked = JSON.stringify(chat.request).slice(1);
  expect(await post("/v1/chat/completions", `{${twice},${asked}`)).toBe(400);
  expect(await post("/v1/chat/completions", `{"Service_Tier":"priority",${asked}`)).toBe(400);
  expect(await post("/v1/messages", `{"speed":"fast","speed":"standard",${asked}`)).toBe(400);
  const generated = JSON.stringify(generate.request).slice(1);
  const both = `{"serviceTier":"standard","service_tier":"priority",${generated}`;
  expect(await post(generate.path(false), both)).toBe(400);
  await relay.stop();
});

test("T25: the tier that the channel sets is held and charged, not the client's", async () => {
  const override = { service_tier: "priority" };
  const plain = await call({ talk: chat, asks: { service_tier: "default" }, override });
  expect(plain.asked["service_tier"]).toBe("priority");
  expect(plain.charge).toBe(priority);
  expect(plain.held).toBeGreaterThan(100 * 12);
});

describe("T25: a translated call is charged for the tier that the upstream was asked for", () => {
  for (const stream of [false, true]) {
    test(`tiers that both formats know are carried (stream: ${stream})`, async () => {
      const asks = { service_tier: "priority" };
      const toResponses = await call({ talk: chat, upstream: responses, asks, says: asks, stream });
      expect(toResponses.asked["service_tier"]).toBe("priority");
      expect([toResponses.charge, toResponses.losses]).toEqual([priority, ""]);
      const says = { serviceTier: "priority" };
      const toGemini = await call({ talk: chat, upstream: generate, asks, says, stream });
      expect(toGemini.asked["serviceTier"]).toBe("priority");
      expect([toGemini.charge, toGemini.losses]).toEqual([priority, ""]);
      const downgraded = { serviceTier: "standard" };
      const less = await call({ talk: chat, upstream: generate, asks, says: downgraded, stream });
      expect(less.charge).toBe(standard);
      const fromGemini = await call({
        talk: generate,
        upstream: chat,
        asks: { serviceTier: "flex" },
        says: { service_tier: "flex" },
        stream,
      });
      expect([fromGemini.asked["service_tier"], fromGemini.charge]).toEqual(["flex", flex]);
      const only = { service_tier: "default" };
      const toMessages = await call({ talk: chat, upstream: messagesTalk, asks: only, stream });
      expect(toMessages.asked["service_tier"]).toBe("standard_only");
    });

    test(`others are named as lost and cost nothing (stream: ${stream})`, async () => {
      const asks = { service_tier: "priority" };
      const says = { service_tier: "standard" };
      const lost = await call({ talk: chat, upstream: messagesTalk, asks, says, stream });
      expect(lost.asked).not.toHaveProperty("service_tier");
      expect([lost.charge, lost.losses]).toEqual([standard, "service_tier"]);
      const slow = await call({ talk: messagesTalk, upstream: chat, asks: speed, stream });
      expect(slow.asked).not.toHaveProperty("service_tier");
      expect([slow.charge, slow.losses]).toEqual([standard, "speed"]);
    });
  }
});

test("T25: the log row names the tier and its factors, that of the default tier does not", async () => {
  const read = async (says: object) => {
    const { log } = await call({ talk: chat, says });
    const { content, other } = chargedTexts(log);
    return { content, usage: log.usage, other: JSON.parse(other) as Record<string, unknown> };
  };
  const charged = await read({ service_tier: "priority" });
  expect(charged.content).toContain("服务等级 priority 倍率 2，缓存倍率 3，补全倍率 1.5");
  expect(charged.usage).toMatchObject({ tier: "priority" });
  expect(charged.other).toMatchObject({
    model_ratio: 2,
    service_tier: { tier: "priority", ratio: 2, cache_ratio: 3, completion_ratio: 1.5 },
  });
  const plain = await read({ service_tier: "default" });
  expect(plain.content).not.toContain("服务等级");
  expect(plain.usage).not.toHaveProperty("tier");
  expect(plain.other).not.toHaveProperty("service_tier");
});
