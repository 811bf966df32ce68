/** T25: above a number of input tokens, providers charge more for all tokens of a call. */

import { expect, test } from "bun:test";
import { chargedTexts } from "#canonical/call-texts.ts";
import { jsonAnswer, startUpstream } from "#network/testing/upstream.ts";
import { anthropic } from "#providers/anthropic.ts";
import { openTestRelay, testChannel, testKey } from "./testing/relay.ts";
import { streamHead } from "./testing/stream.ts";

const model = "long";

/** A prompt of 1,001 tokens, most of them from a cache, or written to it. */
const input = { input_tokens: 1, cache_read_input_tokens: 900, cache_creation_input_tokens: 100 };
const text = { type: "text", text: "hi" };
const message = { id: "msg_1", type: "message", role: "assistant", model };

/** An answer of 5 tokens. */
function answerOf(isStream: boolean, usage: object): string {
  const whole = { ...message, content: [text], stop_reason: "end_turn" };
  if (!isStream) {
    return jsonAnswer(JSON.stringify({ ...whole, usage: { ...usage, output_tokens: 5 } }));
  }
  const events = [
    { type: "message_start", message: { ...message, usage: { ...usage, output_tokens: 1 } } },
    { type: "content_block_start", index: 0, content_block: { type: "text", text: "" } },
    { type: "content_block_delta", index: 0, delta: { type: "text_delta", text: "hi" } },
    { type: "content_block_stop", index: 0 },
    { type: "message_delta", delta: { stop_reason: "end_turn" }, usage: { output_tokens: 5 } },
    { type: "message_stop" },
  ];
  return (
    streamHead +
    events.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`).join("")
  );
}

async function callWith(path: string, stream: boolean, usage: object, prompt = "hi") {
  let held = 0;
  const upstream = await startUpstream((socket) => {
    ({ held } = relay.money);
    socket.end(answerOf(stream, usage));
  });
  const relay = openTestRelay({
    channels: [
      testChannel({ baseUrl: upstream.url, provider: anthropic, models: new Set([model]) }),
    ],
  });
  const sent = await fetch(relay.url + path, {
    method: "POST",
    headers: { authorization: `Bearer ${testKey}`, "content-type": "application/json" },
    body: JSON.stringify({
      model,
      stream,
      max_tokens: 100,
      messages: [{ role: "user", content: prompt }],
    }),
  });
  await sent.text();
  await relay.stop();
  await upstream.stop();
  expect(sent.status).toBe(200);
  const [settled, ...others] = relay.money.settled;
  if (settled === undefined || others.length > 0) throw new Error("one charge was expected");
  return { ...settled, held };
}

// An input token costs 2, read from the cache 1, written to it 2.5, an output token 8.
const short = 1 * 2 + 899 * 1 + 100 * 2.5 + 5 * 8;
const long = (1 * 2 + 900 * 1 + 100 * 2.5) * 2 + 5 * 8 * 1.5;

for (const path of ["/v1/messages", "/v1/chat/completions"]) {
  for (const stream of [false, true]) {
    test(`T25: a long prompt is charged by its own price (${path}, stream: ${stream})`, async () => {
      const below = { ...input, cache_read_input_tokens: 899 };
      expect((await callWith(path, stream, below)).charge).toBe(short);
      expect((await callWith(path, stream, input)).charge).toBe(long);
    });
  }
}

test("T25: what is held for a prompt that may be long covers its charge", async () => {
  // 2,400 bytes of text have at most 1,200 tokens, and 100 may be written.
  const call = await callWith("/v1/messages", false, input, "a".repeat(2_400));
  expect(call.charge).toBe(long);
  expect(call.held).toBeGreaterThanOrEqual((1_200 * 2 * 2 + 100 * 8 * 1.5) | 0);
});

test("T25: the log row names the price of long prompts, that of a short one does not", async () => {
  const read = async (usage: object) => {
    const { log } = await callWith("/v1/messages", false, usage);
    const { content, other } = chargedTexts(log);
    return { content, other: JSON.parse(other) as Record<string, unknown> };
  };
  const charged = await read(input);
  expect(charged.content).toContain("长上下文（输入超过 1000）倍率 2，长上下文补全倍率 1.5");
  expect(charged.other).toMatchObject({
    model_ratio: 2,
    long_context: { above: 1_000, ratio: 2, completion_ratio: 1.5 },
  });
  const below = await read({ ...input, cache_read_input_tokens: 899 });
  expect(below.content).not.toContain("长上下文");
  expect(below.other).not.toHaveProperty("long_context");
});
