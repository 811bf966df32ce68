/** Streams whose client and upstream speak different formats: what they cost, and how they end. */

import { afterEach, expect, test } from "bun:test";
import { type Answerer, startUpstream } from "#network/testing/upstream.ts";
import { eventually } from "#base/testing/waiting.ts";
import { streamRules } from "#formats/testing/stream-rules.ts";
import type { Frame } from "#base/frames/frame.ts";
import { openSseReader } from "#base/sse.ts";
import { anthropic } from "#providers/anthropic.ts";
import { openai } from "#providers/openai.ts";
import type { Provider } from "#providers/provider.ts";
import {
  openTestRelay,
  testChannel,
  testKey,
  type TestRelay,
  type TestRelayOptions,
} from "./testing/relay.ts";
import { done, finish, role, streamHead, usageEvent, words } from "./testing/stream.ts";

const stops: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const stop of stops.splice(0)) await stop();
});

/** A server of the chat format alone, as most compatible ones are. */
const chatOnly: Provider = {
  ...openai,
  formats: { "openai-chat": { paths: { chat: "/v1/chat/completions" }, asksForUsage: true } },
};

const requests = {
  "/v1/messages": {
    model: "m",
    max_tokens: 500,
    stream: true,
    messages: [{ role: "user", content: "hi" }],
  },
  "/v1/responses": { model: "m", max_output_tokens: 500, stream: true, input: "hi" },
  "/v1beta/models/m:streamGenerateContent?alt=sse": {
    contents: [{ role: "user", parts: [{ text: "hi" }] }],
    generationConfig: { maxOutputTokens: 500 },
  },
} as const;

const rules = {
  "/v1/messages": streamRules["anthropic-messages"],
  "/v1/responses": streamRules["openai-responses"],
  "/v1beta/models/m:streamGenerateContent?alt=sse": streamRules["gemini-generate"],
} as const;

type Path = keyof typeof requests;
const paths = Object.keys(requests) as Path[];

async function open(given: Omit<TestRelayOptions, "channels">, ...answerers: readonly Answerer[]) {
  const upstreams = await Promise.all(answerers.map((answerer) => startUpstream(answerer)));
  const channels = upstreams.map(({ url }, index) =>
    testChannel({ id: index + 1, baseUrl: url, priority: -index, provider: chatOnly }),
  );
  const relay = openTestRelay({ ...given, channels });
  stops.push(relay.stop, ...upstreams.map(({ stop }) => stop));
  return relay;
}

async function call(
  relay: TestRelay,
  path: Path,
  body: object = requests[path],
): Promise<Response> {
  return await fetch(`${relay.url}${path}`, {
    method: "POST",
    headers: { authorization: `Bearer ${testKey}`, "content-type": "application/json" },
    body: JSON.stringify(body),
  });
}

function framesOf(text: string): readonly Frame[] {
  const reader = openSseReader();
  return [...reader.push(Buffer.from(text)), ...reader.end()];
}

const answer = streamHead + role + words("Hello") + words(" there!") + finish + usageEvent + done;
const charges = (relay: TestRelay) => relay.money.settled.map(({ charge }) => charge);

for (const path of paths) {
  test(`${path}: a translated stream costs what the upstream reports, like an untranslated one`, async () => {
    const plain = await open({}, (socket) => socket.end(answer));
    const asked = {
      model: "m",
      max_tokens: 500,
      stream: true,
      messages: [{ role: "user", content: "hi" }],
    };
    await (
      await fetch(`${plain.url}/v1/chat/completions`, {
        method: "POST",
        headers: { authorization: `Bearer ${testKey}`, "content-type": "application/json" },
        body: JSON.stringify(asked),
      })
    ).text();
    const relay = await open({}, (socket) => socket.end(answer));
    const text = await (await call(relay, path)).text();

    expect(rules[path](framesOf(text))).toEqual([]);
    expect(charges(relay)).toEqual(charges(plain));
    expect(charges(relay)[0]).toBeGreaterThan(0);
  });

  test(`${path}: a translated stream stops where the balance ends, and says so in its format`, async () => {
    const relay = await open({ balance: 1_100 }, (socket) =>
      socket.end(streamHead + role + words("word ").repeat(2_000) + finish + done),
    );
    const text = await (await call(relay, path)).text();

    expect(text).toContain("error");
    expect(framesOf(text).length).toBeLessThan(1_500);
    expect(relay.money.balance).toBeGreaterThanOrEqual(0);
    expect(relay.money.settled.map(({ log }) => log.interrupted)).not.toEqual([""]);
  });

  test(`${path}: an upstream that breaks off leaves no stream open, and what came is paid`, async () => {
    const relay = await open({}, (socket) => {
      socket.write(streamHead + role + words("Hello") + words(" there!"));
      setImmediate(() => socket.destroy());
    });
    const text = await (await call(relay, path)).text();
    const last = framesOf(text).at(-1)?.data ?? "";

    expect(last).toMatch(/"error"|response\.failed/);
    expect(charges(relay)).toHaveLength(1);
    expect(charges(relay)[0]).toBeGreaterThan(0);
  });
}

test("the event that closes a translated stream waits for the charge", async () => {
  const relay = await open({}, (socket) => socket.end(answer));
  relay.money.committing = false;
  const response = await call(relay, "/v1/messages");
  let text = "";
  const reading = (async () => {
    for await (const piece of response.body ?? []) text += Buffer.from(piece).toString();
  })();
  await eventually(() => relay.money.uncommitted() === 1 && text.includes("content_block_delta"));
  expect(text).not.toContain("message_stop");
  relay.money.committing = true;
  await reading;
  expect(text).toContain("message_stop");
});

test("an error in front of the first word is tried on the next channel, unseen by the client", async () => {
  const failing: Answerer = (socket) =>
    socket.end(`${streamHead}data: {"error":{"message":"overloaded","type":"server_error"}}\n\n`);
  const relay = await open({}, failing, (socket) => socket.end(answer));
  const text = await (await call(relay, "/v1/messages")).text();

  expect(streamRules["anthropic-messages"](framesOf(text))).toEqual([]);
  expect(relay.money.settled.map(({ log }) => log.tried)).toEqual([[1, 2]]);
});

test("effort does not raise what a translated call may cost: it is sent with the client's own limit", async () => {
  const end = 'data: {"type":"message_stop"}\n\n';
  const start = { type: "message_start", message: { id: "msg_1", model: "m", usage: {} } };
  const upstream = await startUpstream((socket) =>
    socket.end(`${streamHead}data: ${JSON.stringify(start)}\n\n${end}`),
  );
  const thinking = {
    model: "m",
    max_completion_tokens: 50,
    reasoning_effort: "high",
    stream: true,
    messages: [{ role: "user", content: "hi" }],
  };
  const channel = testChannel({ baseUrl: upstream.url, provider: anthropic });
  // Covers the client's tokens, but not the thousands that an effort stands for.
  const relay = openTestRelay({ channels: [channel], balance: 2_000 });
  stops.push(relay.stop, upstream.stop);
  const response = await fetch(`${relay.url}/v1/chat/completions`, {
    method: "POST",
    headers: { authorization: `Bearer ${testKey}`, "content-type": "application/json" },
    body: JSON.stringify(thinking),
  });

  expect([response.status, response.headers.get("x-tollgate-losses")]).toEqual([200, "reasoning"]);
  expect(upstream.requests[0]).toContain('"max_tokens":50');
  expect(upstream.requests[0]).not.toContain("thinking");
});

test("a limit below the smallest of the upstream's format is held as what is sent", async () => {
  const upstream = await startUpstream((socket) => socket.destroy());
  const provider = {
    ...openai,
    formats: { "openai-responses": { paths: { chat: "/v1/responses" }, asksForUsage: false } },
  } as const satisfies Provider;
  const channel = testChannel({ baseUrl: upstream.url, provider });
  const ask = async (balance: number) => {
    const relay = openTestRelay({ channels: [channel], balance });
    stops.push(relay.stop);
    const response = await fetch(`${relay.url}/v1/messages`, {
      method: "POST",
      headers: { authorization: `Bearer ${testKey}`, "content-type": "application/json" },
      body: JSON.stringify({ ...requests["/v1/messages"], stream: false, max_tokens: 1 }),
    });
    await response.text();
    return response.status;
  };
  stops.push(upstream.stop);

  // 150 covers one token of output at 8 units, but not sixteen.
  expect([await ask(150), upstream.requests.length]).toEqual([403, 0]);
  expect([await ask(2_000), upstream.requests.length > 0]).toEqual([502, true]);
});
