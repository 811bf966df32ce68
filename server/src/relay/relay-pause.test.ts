/** An upstream that refuses a call inside a 200, before any output, and says when to try again. */

import { afterEach, expect, test } from "bun:test";
import { type Answerer, jsonAnswer, startUpstream } from "#network/testing/upstream.ts";
import { anthropic } from "#providers/anthropic.ts";
import { gemini } from "#providers/gemini.ts";
import { openai } from "#providers/openai.ts";
import type { Provider } from "#providers/provider.ts";
import { openTestRelay, testChannel, testKey, type TestRelay } from "./testing/relay.ts";
import { streamHead } from "./testing/stream.ts";

const stops: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const stop of stops.splice(0)) await stop();
});

const hello = [{ role: "user", content: "hi" }];
const clients = {
  "/v1/chat/completions": { model: "m", messages: hello },
  "/v1/messages": { model: "m", max_tokens: 9, messages: hello },
  "/v1/responses": { model: "m", input: "hi" },
  "/v1beta/models/m:generateContent": { contents: [{ role: "user", parts: [{ text: "hi" }] }] },
} as const;
type Path = keyof typeof clients;

/** What each kind of upstream says of a limit that is reached, and of its own load. */
const says = {
  openai: [
    openai,
    { error: { type: "rate_limit_error", message: "Limit. Please try again in 20s." } },
    { error: { type: "overloaded_error", message: "Busy. Please retry after 20 seconds." } },
  ],
  openrouter: [
    openai,
    { error: { code: 429, message: "Limit. Please try again in 20s." } },
    { error: { code: 503, message: "Busy. Please try again in 20s." } },
  ],
  anthropic: [
    anthropic,
    {
      type: "error",
      error: { type: "rate_limit_error", message: "Limit. Please try again in 20s." },
    },
    { type: "error", error: { type: "overloaded_error", message: "Please try again in 20s." } },
  ],
  gemini: [
    gemini,
    { error: { code: 429, status: "RESOURCE_EXHAUSTED", message: "Limit.", ...delayed("20s") } },
    { error: { code: 503, status: "UNAVAILABLE", message: "Busy.", ...delayed("20s") } },
  ],
} as const satisfies Record<string, readonly [Provider, object, object]>;

function delayed(retryDelay: string) {
  return { details: [{ "@type": "type.googleapis.com/google.rpc.RetryInfo", retryDelay }] };
}

/** Opens a relay whose first channel answers so; the second is asked while the first one rests. */
async function open(provider: Provider, answerer: Answerer) {
  const upstream = await startUpstream(answerer);
  const other = await startUpstream((socket) => socket.end(jsonAnswer("{}")));
  const relay = openTestRelay({
    channels: [
      testChannel({ baseUrl: upstream.url, provider, priority: 1 }),
      testChannel({ id: 2, baseUrl: other.url, provider: openai }),
    ],
    options: { retryTimes: 0 },
  });
  stops.push(relay.stop, upstream.stop, other.stop);
  return { relay, upstream };
}

async function call(relay: TestRelay, path: Path, stream: boolean): Promise<Response> {
  const isGemini = path.startsWith("/v1beta/");
  const asked = isGemini ? `${path.replace(":generate", ":streamGenerate")}?alt=sse` : path;
  const response = await fetch(relay.url + (stream ? asked : path), {
    method: "POST",
    headers: { authorization: `Bearer ${testKey}`, "content-type": "application/json" },
    body: JSON.stringify({ ...clients[path], ...(stream && !isGemini ? { stream } : {}) }),
  });
  await response.text();
  return response;
}

for (const [name, [provider, limited, busy]] of Object.entries(says)) {
  for (const stream of [false, true]) {
    const how = stream ? "streamed" : "whole";
    const answers = (body: object): Answerer => {
      const text = JSON.stringify(body);
      return (socket) => socket.end(stream ? `${streamHead}data: ${text}\n\n` : jsonAnswer(text));
    };

    for (const path of Object.keys(clients) as Path[]) {
      test(`a client of ${path} learns when ${name} wants to be asked again, though it refuses inside a 200, ${how}`, async () => {
        const { relay } = await open(provider, answers(limited));
        const response = await call(relay, path, stream);

        expect([response.status, response.headers.get("retry-after")]).toEqual([429, "20"]);
      });
    }

    test(`a channel of ${name} that is overloaded inside a 200 rests as long as it asks, ${how}`, async () => {
      const { relay, upstream } = await open(provider, answers(busy));
      const response = await call(relay, "/v1/chat/completions", stream);

      expect([response.status, response.headers.get("retry-after")]).toEqual([502, "20"]);
      await call(relay, "/v1/chat/completions", stream);
      expect(upstream.requests).toHaveLength(1);
      relay.skipMs += 21_000;
      await call(relay, "/v1/chat/completions", stream);
      expect(upstream.requests).toHaveLength(2);
    });
  }
}

// A client can make an upstream quote any text, so words alone must not take a channel away.
test("a pause in the words of an error whose code does not say that it is a limit is not kept", async () => {
  const error = { message: "unknown field 'rate limit, try again in 20s'" };
  const { relay, upstream } = await open(openai, (socket) =>
    socket.end(jsonAnswer(JSON.stringify({ error }))),
  );
  const response = await call(relay, "/v1/chat/completions", false);

  expect(response.headers.get("retry-after")).toBeNull();
  await call(relay, "/v1/chat/completions", false);
  expect(upstream.requests).toHaveLength(2);
});
