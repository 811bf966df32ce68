/** T20: old servers refuse `stream_options`, with which the gateway asks for the usage of streams. */

import { expect, test } from "bun:test";
import { jsonAnswer, startUpstream } from "#network/testing/upstream.ts";
import { openai } from "#providers/openai.ts";
import type { Provider } from "#providers/provider.ts";
import { openTestRelay, testChannel, testKey } from "./testing/relay.ts";
import { done, finish, role, streamHead, words } from "./testing/stream.ts";

/** A server of the chat format alone, so that Messages are translated for it. */
const chatOnly: Provider = {
  ...openai,
  formats: { "openai-chat": { paths: { chat: "/v1/chat/completions" }, asksForUsage: true } },
};

const refusal = (message: string): string =>
  jsonAnswer(JSON.stringify({ error: { message, type: "invalid_request_error" } }), "400 Bad");

async function open(refuses: (request: string) => string | null, provider = chatOnly) {
  const upstream = await startUpstream((socket, request) => {
    const refused = refuses(request);
    if (refused === null) socket.end(streamHead + role + words("Hello") + finish + done);
    else socket.write(refused);
  });
  const relay = openTestRelay({
    channels: [testChannel({ baseUrl: upstream.url, provider })],
    options: { retryTimes: 0 },
  });
  return {
    relay,
    requests: upstream.requests,
    async call(path: string, more: object = {}) {
      const sent = await fetch(relay.url + path, {
        method: "POST",
        headers: { authorization: `Bearer ${testKey}`, "content-type": "application/json" },
        body: JSON.stringify({
          model: "m",
          stream: true,
          max_tokens: 100,
          messages: [{ role: "user", content: "hi" }],
          ...more,
        }),
      });
      return { status: sent.status, text: await sent.text() };
    },
    async stop() {
      await relay.stop();
      await upstream.stop();
    },
  };
}

const unknown = refusal("Unrecognized request argument supplied: stream_options");
const old = (request: string) => (request.includes("stream_options") ? unknown : null);

for (const path of ["/v1/chat/completions", "/v1/messages"]) {
  test(`T20: a server that refuses stream_options is asked again without it (${path})`, async () => {
    const { call, relay, requests, stop } = await open(old);
    const answers = [await call(path), await call(path)];
    await stop();

    expect(answers.map(({ status }) => status)).toEqual([200, 200]);
    expect(answers.every(({ text }) => text.includes("Hello"))).toBe(true);
    const asked = requests.map((request) => request.includes("stream_options"));
    expect(asked).toEqual([true, false, true, false]);
    // Without a report the gateway counts by itself.
    const sources = relay.money.settled.map(({ charge, log }) => [charge > 0, log.usageSource]);
    expect(sources).toEqual([
      [true, "local"],
      [true, "local"],
    ]);
  });
}

test("T20: a client that sent stream_options itself is told that it was refused", async () => {
  const { call, requests, stop } = await open(old);
  const { status, text } = await call("/v1/chat/completions", {
    stream_options: { include_usage: true },
  });
  await stop();

  expect([status, requests.length]).toEqual([400, 1]);
  expect(text).toContain("stream_options");
});

test("T20: other refusals are not tried again, nor is a server that refuses stream_options for ever", async () => {
  for (const [refuses, count] of [
    [() => refusal("messages is invalid"), 1],
    [() => unknown, 2],
  ] as const) {
    const { call, relay, requests, stop } = await open(refuses);
    const { status } = await call("/v1/chat/completions");
    await stop();

    expect([status, requests.length, relay.money.held]).toEqual([400, count, 0]);
  }
});

test("T20: a provider whose servers do not know stream_options is not asked for it", async () => {
  const { call, requests, stop } = await open(() => null, {
    ...chatOnly,
    formats: { "openai-chat": { paths: { chat: "/v1/chat/completions" }, asksForUsage: false } },
  });
  const { status } = await call("/v1/chat/completions");
  await stop();

  expect(status).toBe(200);
  expect(requests[0]).not.toContain("stream_options");
});
