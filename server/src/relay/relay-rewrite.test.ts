/** What a channel changes in conversations: the instructions, and the form of the answer. */

import { afterEach, expect, test } from "bun:test";
import type { JsonObject } from "#base/json.ts";
import { jsonAnswer, startUpstream } from "#network/testing/upstream.ts";
import { anthropic } from "#providers/anthropic.ts";
import { gemini } from "#providers/gemini.ts";
import { openai } from "#providers/openai.ts";
import type { Provider } from "#providers/provider.ts";
import type { ChannelView } from "#ports/snapshot.ts";
import { openTestRelay, testChannel, testKey } from "./testing/relay.ts";
import { done, event, finish, role, streamHead, usageEvent, words } from "./testing/stream.ts";

const stops: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const stop of stops.splice(0)) await stop();
});

const plainAnswer = jsonAnswer(
  JSON.stringify({
    choices: [{ index: 0, message: { role: "assistant", content: "Hi" }, finish_reason: "stop" }],
    usage: { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 },
  }),
);

/** Opens a relay with one channel, whose upstream answers each call with these bytes. */
async function open(answer: string, given: Partial<ChannelView>) {
  const upstream = await startUpstream((socket) => socket.end(answer));
  const relay = openTestRelay({ channels: [testChannel({ baseUrl: upstream.url, ...given })] });
  stops.push(relay.stop, upstream.stop);
  const post = async (path: string, body: object): Promise<string> => {
    const response = await fetch(relay.url + path, {
      method: "POST",
      headers: { authorization: `Bearer ${testKey}` },
      body: JSON.stringify(body),
    });
    return await response.text();
  };
  // Safe cast: the relay sends JSON objects.
  const sent = () => JSON.parse(upstream.requests.at(-1)?.split("\r\n\r\n")[1] ?? "") as JsonObject;
  return { post, sent, relay };
}

const hi = [{ role: "user", content: "hi" }];
const system = (content: string) => ({ role: "system", content });
const part = (text: string) => ({ type: "text", text });
const contents = [{ role: "user", parts: [{ text: "hi" }] }];
const generate = "/v1beta/models/m:generateContent";

type Case = readonly [
  what: string,
  provider: Provider,
  path: string,
  asked: JsonObject,
  told: JsonObject,
];

const chat = "/v1/chat/completions";
const cases: readonly Case[] = [
  ["chat without", openai, chat, { messages: hi }, { messages: [system("PREFIX"), ...hi] }],
  [
    "chat with a text",
    openai,
    chat,
    { messages: [system("Own."), ...hi] },
    { messages: [system("PREFIX\n\nOwn."), ...hi] },
  ],
  [
    "chat with parts of a developer",
    openai,
    chat,
    { messages: [{ role: "developer", content: [part("Own.")] }, ...hi] },
    { messages: [{ role: "developer", content: [part("PREFIX"), part("Own.")] }, ...hi] },
  ],
  [
    "messages with a text",
    anthropic,
    "/v1/messages",
    { max_tokens: 5, system: "Own.", messages: hi },
    { system: "PREFIX\n\nOwn." },
  ],
  [
    "messages with blocks",
    anthropic,
    "/v1/messages",
    { max_tokens: 5, system: [part("Own.")], messages: hi },
    { system: [part("PREFIX"), part("Own.")] },
  ],
  ["responses", openai, "/v1/responses", { input: "hi" }, { instructions: "PREFIX" }],
  [
    "a content",
    gemini,
    generate,
    { system_instruction: { parts: [{ text: "Own." }] }, contents },
    { system_instruction: { parts: [{ text: "PREFIX" }, { text: "Own." }] } },
  ],
  [
    "a translated call",
    anthropic,
    chat,
    { messages: [system("Own."), ...hi] },
    { system: [{ type: "text", text: "PREFIX\n\nOwn." }] },
  ],
];

for (const [what, provider, path, asked, told] of cases) {
  test(`the channel's system prompt stands in front of the client's own: ${what}`, async () => {
    const { post, sent } = await open(plainAnswer, { provider, systemPrompt: "PREFIX" });
    await post(path, { model: "m", ...asked });
    expect(sent()).toMatchObject(told);
  });
}

test("the channel's system prompt is held before it is sent, and embeddings have none", async () => {
  const { post, sent, relay } = await open(plainAnswer, { systemPrompt: "long ".repeat(10_000) });
  relay.money.asks = true;
  await post(chat, { model: "m", messages: hi, max_tokens: 5 });
  // Half a byte is a token at most, and costs 2 units.
  expect(relay.money.extended).toBeGreaterThan(40_000);
  await post("/v1/embeddings", { model: "m", input: "hi" });
  expect(sent()["messages"]).toBeUndefined();
});

test("without the upstream's usage, the channel's system prompt is counted and charged like the client's prompt", async () => {
  const choices = [{ index: 0, message: { role: "assistant", content: "Hi" } }];
  const content = [{ type: "text", text: "Hi" }];
  const message = { id: "1", type: "message", role: "assistant", model: "m", content };
  const whole = jsonAnswer(JSON.stringify({ choices }));
  const stream = streamHead + role + words("Hi") + finish + done;
  const vectors = jsonAnswer(JSON.stringify({ data: [{ index: 0, embedding: [1] }] }));
  // The tests' tokenizer counts 5 characters a token.
  const systemPrompt = "long ".repeat(1_000);
  for (const [what, answer, provider, path, asked, more] of [
    ["whole", whole, openai, chat, { messages: hi }, 1_000],
    ["stream", stream, openai, chat, { messages: hi, stream: true }, 1_000],
    ["translated", jsonAnswer(JSON.stringify(message)), anthropic, chat, { messages: hi }, 1_000],
    ["embeddings", vectors, openai, "/v1/embeddings", { input: "hi" }, 0],
  ] as const) {
    const inputOf = async (given: Partial<ChannelView>) => {
      const { post, relay } = await open(answer, { provider, ...given });
      await post(path, { model: "m", ...asked });
      const { charge, log } = relay.money.settled[0] ?? {};
      const { input = 0, output = 0 } = log?.usage ?? {};
      expect([what, log?.usageSource, charge]).toEqual([what, "local", input * 2 + output * 8]);
      return input;
    };
    expect([what, (await inputOf({ systemPrompt })) - (await inputOf({}))]).toEqual([what, more]);
  }
});

const reasoning = (text: string) =>
  event({ choices: [{ index: 0, delta: { reasoning_content: text } }] });

test("reasoning becomes text between <think> lines, in a stream and in a whole answer", async () => {
  const stream =
    streamHead +
    role +
    reasoning("Let me") +
    reasoning(" see.") +
    words("Hello") +
    finish +
    usageEvent +
    done;
  const streamed = await open(stream, { thinksInText: true });
  const text = await streamed.post(chat, { model: "m", messages: hi, stream: true });
  expect(text).not.toContain("reasoning_content");
  expect(contentOf(text)).toBe("<think>\nLet me see.\n</think>\nHello");
  expect(text.endsWith(done)).toBe(true);
  expect(streamed.relay.money.settled[0]?.log.usageSource).toBe("upstream");

  const message = { role: "assistant", content: "Hello", reasoning_content: "Let me see." };
  const usage = { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 };
  const whole = await open(
    jsonAnswer(JSON.stringify({ choices: [{ index: 0, message, finish_reason: "stop" }], usage })),
    { thinksInText: true },
  );
  const answer = JSON.parse(await whole.post(chat, { model: "m", messages: hi }));
  expect(answer.choices[0].message).toMatchObject({
    content: "<think>\nLet me see.\n</think>\nHello",
  });
  expect(answer.choices[0].message).not.toHaveProperty("reasoning_content");
});

test("reasoning of a translated upstream becomes text, too; without reasoning nothing is added", async () => {
  const content = [
    { type: "thinking", thinking: "Let me see.", signature: "s" },
    { type: "text", text: "Hello" },
  ];
  const answerOf = (blocks: readonly object[]) =>
    jsonAnswer(
      JSON.stringify({
        id: "1",
        type: "message",
        role: "assistant",
        model: "m",
        content: blocks,
        stop_reason: "end_turn",
        usage: { input_tokens: 10, output_tokens: 5 },
      }),
    );
  for (const [blocks, expected] of [
    [content, "<think>\nLet me see.\n</think>\nHello"],
    [content.slice(1), "Hello"],
  ] as const) {
    const { post } = await open(answerOf(blocks), { provider: anthropic, thinksInText: true });
    const answer = JSON.parse(await post(chat, { model: "m", messages: hi }));
    expect(answer.choices[0].message.content).toBe(expected);
  }
});

test("a channel with a forced format writes its stream in the standard form, and sends the request as it came", async () => {
  const odd = event({ choices: [{ delta: { content: "Hello" }, vendor: 1 }], vendor: { a: 1 } });
  const stream = streamHead + odd + finish + usageEvent + done;
  const { post, sent } = await open(stream, { forcesFormat: true });
  const text = await post(chat, { model: "m", messages: hi, stream: true, vendor_option: 3 });
  expect(text).not.toContain("vendor");
  expect(text).toContain('"object":"chat.completion.chunk"');
  expect(contentOf(text)).toBe("Hello");
  expect(sent()).toMatchObject({ vendor_option: 3, stream_options: { include_usage: true } });
});

test("a call for several answers gets all of them, also where the format is forced", async () => {
  const choices = ["one", "two"].map((content, index) => ({
    index,
    message: { role: "assistant", content },
    finish_reason: "stop",
  }));
  const usage = { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 };
  const { post } = await open(jsonAnswer(JSON.stringify({ choices, usage })), {
    forcesFormat: true,
  });
  const answer = JSON.parse(await post(chat, { model: "m", messages: hi, n: 2 }));
  expect(answer.choices.length).toBe(2);
});

/** Returns the text of a streamed chat completion. */
function contentOf(stream: string): string {
  const events = stream.split("\n\n").filter((line) => line.startsWith("data: {"));
  return events
    .map((line) => JSON.parse(line.slice("data: ".length)).choices[0]?.delta.content ?? "")
    .join("");
}
