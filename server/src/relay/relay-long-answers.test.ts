/** Long answers that have to be translated, which another thread reads. */

import { afterEach, expect, test } from "bun:test";
import { openByteBudget } from "#base/memory/byte-budget.ts";
import { jsonAnswer, startUpstream } from "#network/testing/upstream.ts";
import { openai } from "#providers/openai.ts";
import type { Provider } from "#providers/provider.ts";
import { parsedHereMax, readApart } from "#relay/ways/apart.ts";
import { openTestRelay, testChannel, testKey, type TestRelayOptions } from "./testing/relay.ts";

const stops: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const stop of stops.splice(0)) await stop();
});

/** A server of the chat format alone, so that Messages are translated for it. */
const chatOnly: Provider = {
  ...openai,
  formats: { "openai-chat": { paths: { chat: "/v1/chat/completions" }, asksForUsage: true } },
};

const answerOf = (content: string) => ({
  id: "chatcmpl-1",
  object: "chat.completion",
  model: "m",
  choices: [{ index: 0, finish_reason: "stop", message: { role: "assistant", content } }],
  usage: { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 },
});

const long = "word ".repeat(parsedHereMax / 5);

/** Asks for a message, which the upstream answers with a text. */
async function ask(text: string, given: Partial<TestRelayOptions> = {}) {
  const upstream = await startUpstream(
    (socket) => void socket.write(jsonAnswer(JSON.stringify(answerOf(text)))),
  );
  const channel = testChannel({ baseUrl: upstream.url, provider: chatOnly });
  const apart: number[] = [];
  const relay = openTestRelay({
    channels: [channel],
    async readApart(question) {
      apart.push(question.answer.length);
      return structuredClone(readApart(structuredClone(question), chatOnly));
    },
    ...given,
  });
  stops.push(upstream.stop, relay.stop);
  const response = await fetch(`${relay.url}/v1/messages`, {
    method: "POST",
    headers: { "x-api-key": testKey, "content-type": "application/json" },
    body: JSON.stringify({
      model: "m",
      max_tokens: 50,
      messages: [{ role: "user", content: "hi" }],
    }),
  });
  // Safe cast: what is missing fails the test.
  const body = (await response.json()) as {
    readonly content: readonly { readonly text: string }[];
    readonly usage: { readonly input_tokens: number; readonly output_tokens: number };
  };
  return { status: response.status, body, relay, apart };
}

test("a long answer is read apart, and reaches the client whole with its usage", async () => {
  const { status, body, apart } = await ask(long);

  expect(status).toBe(200);
  expect(body.content[0]?.text).toBe(long);
  expect(body.usage).toMatchObject({ input_tokens: 10, output_tokens: 5 });
  expect(apart).toEqual([long.length + JSON.stringify(answerOf("")).length]);
});

test("a short answer needs no other thread", async () => {
  const { status, apart } = await ask("hello");

  expect(status).toBe(200);
  expect(apart).toEqual([]);
});

test("an answer that cannot be read in time is told as one that is too large", async () => {
  const { status, relay } = await ask(long, { readApart: async () => null });

  expect(status).toBe(502);
  expect(relay.failures).toHaveLength(1);
});

test("what waits to be read is part of the memory that everything unfinished shares", async () => {
  const budget = openByteBudget(64 * 1024 * 1024);
  const held: number[] = [];
  const { status } = await ask(long, {
    budget,
    readApart: async () => {
      held.push(budget.bytes);
      return null;
    },
  });

  expect(status).toBe(502);
  expect(held[0]).toBeGreaterThan(long.length);
  expect(budget.bytes).toBe(0);
});
