/** Long answers that have to be translated, which another thread reads. */

import { afterEach, expect, test } from "bun:test";
import { openByteBudget } from "#base/memory/byte-budget.ts";
import { jsonAnswer, startUpstream } from "#network/testing/upstream.ts";
import { openai } from "#providers/openai.ts";
import type { Provider } from "#providers/provider.ts";
import { parsedHereMax, readApart } from "./ways/apart.ts";
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
  const { response, ...rest } = await send(jsonAnswer(JSON.stringify(answerOf(text))), given);
  // Safe cast: what is missing fails the test.
  const body = (await response.json()) as {
    readonly content: readonly { readonly text: string }[];
    readonly usage: { readonly input_tokens: number; readonly output_tokens: number };
  };
  return { status: response.status, body, ...rest };
}

/** Asks for a message, or a stream of one. */
async function send(answer: string, given: Partial<TestRelayOptions>, stream = false) {
  const upstream = await startUpstream((socket) => void socket.write(answer));
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
      stream,
      messages: [{ role: "user", content: "hi" }],
    }),
  });
  return { response, relay, apart };
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

/** An answer that nobody gives: a million small values in a field that no format has. */
const crowded = { ...answerOf("hi"), more: Array.from({ length: 1_000_000 }, () => 1) };

const streamHead =
  "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nconnection: close\r\n\r\n";

test("a piece of a stream with a million values is not parsed while all others wait", async () => {
  const stream = await send(`${streamHead}data: ${JSON.stringify(crowded)}\n\n`, {}, true);

  expect(stream.response.status).toBe(502);
  expect(stream.relay.money.settled).toEqual([]);
});

test("a whole answer with a million values is not made a stream of while all others wait", async () => {
  const whole = await send(jsonAnswer(JSON.stringify(crowded)), {}, true);

  expect(whole.response.status).toBe(502);
  expect(whole.relay.money.settled).toEqual([]);
});

test("a whole answer of 9 MB of text is not made a stream of while all others wait", async () => {
  const whole = await send(jsonAnswer(JSON.stringify(answerOf("a".repeat(9_000_000)))), {}, true);

  expect(whole.response.status).toBe(502);
  expect(whole.relay.money.settled).toEqual([]);
});

test("a whole answer of a megabyte of text is a stream for who asked for one", async () => {
  const answer = jsonAnswer(JSON.stringify(answerOf("word ".repeat(200_000))));
  const { response, relay } = await send(answer, {}, true);

  expect(await response.text()).toContain("message_stop");
  expect(relay.money.settled).toHaveLength(1);
});

test("an answer's id of a megabyte does not come again with each event of a stream", async () => {
  const answer = { ...answerOf("word ".repeat(100_000)), id: "i".repeat(1_000_000) };
  const { response } = await send(jsonAnswer(JSON.stringify(answer)), {}, true);
  const text = await response.text();

  expect(response.status).toBe(200);
  expect(text).toContain("message_stop");
  expect(text.length).toBeLessThan(1_000_000);
});

test("the probabilities of two thousand tokens in one piece of a stream are no hindrance", async () => {
  const likely = { token: "ab", logprob: -0.5, bytes: [97, 98] };
  const top_logprobs = Array.from({ length: 5 }, () => likely);
  const content = Array.from({ length: 2_000 }, () => ({ ...likely, top_logprobs }));
  const delta = { role: "assistant", content: "hi" };
  const choices = [{ index: 0, delta, finish_reason: "stop", logprobs: { content } }];
  const { choices: _, ...rest } = answerOf("");
  const event = { ...rest, object: "chat.completion.chunk", choices };
  const answer = `${streamHead}data: ${JSON.stringify(event)}\n\ndata: [DONE]\n\n`;
  const { response, relay } = await send(answer, {}, true);

  expect(await response.text()).toContain("message_stop");
  expect(relay.money.settled).toHaveLength(1);
});
